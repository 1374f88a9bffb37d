/**
 * The form in which a menu item is added or changed. A change is bound to the state it began
 * with.
 */

import { explain, isRefusal, read, Refusal, write } from "./api.ts";
import { byId, el, onClick, part, setText } from "./dom.ts";
import type { MenuItem, MenuKind } from "./menu.ts";

type Input = HTMLInputElement | HTMLTextAreaElement;
type Field = readonly [name: string, label: string, type: "text" | "number" | "checkbox" | "lines"];

const fields: Readonly<Record<MenuKind, readonly Field[]>> = {
  pizzasizes: [["name", "Name", "text"], ["diameterInInches", "Diameter in inches", "number"]],
  toppings: [
    ["name", "Name", "text"], ["isVegetarian", "Vegetarian", "checkbox"],
    ["isVegan", "Vegan", "checkbox"],
  ],
  beverages: [
    ["name", "Name", "text"], ["isCarbonated", "Sparkling", "checkbox"],
    ["sizeOptions", "Sizes, one per line", "lines"],
  ],
};
const idField: Field = ["id", "Id (leave empty to have one made)", "text"];

const dialog = byId("item-dialog", HTMLDialogElement);
let save: () => Promise<unknown>;
let saving: typeof save | undefined;

// The row it was opened from may have been drawn again in the meantime.
dialog.addEventListener("close", () => {
  if (!part("menu").contains(document.activeElement)) part("show-menu").focus();
});
onClick("item-cancel", () => { dialog.close(); });
part("item-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const mine = save;
  if (saving === mine) return; // The second half of a double click.
  saving = mine;
  mine().then(() => {
    // Another item may have been begun in the meantime.
    if (save === mine) dialog.close();
  }, (fault) => {
    const faults = fault instanceof Refusal ? fault.faults : [];
    setText(part("item-faults"), faults.length === 0 ? explain(fault)
      : faults.map(({ pointer = "", detail }) => `${pointer.slice(2)}: ${detail}`).join("\n"));
    saving = undefined;
  });
});

export function addItem(kind: MenuKind, title: string): void {
  const values = show(title, [...fields[kind], idField], {});
  save = () => {
    const body = values();
    return write("POST", `api/${kind}`, { ...body, id: body["id"] === "" ? null : body["id"] });
  };
}

export async function changeItem(kind: MenuKind, id: string): Promise<void> {
  const path = `api/${kind}/${encodeURIComponent(id)}`;
  const { data, etag } = await read<MenuItem>(path);
  const values = show(`Change ${data.name}`, fields[kind], { ...data });
  save = () => write("PUT", path, values(), etag).catch(async (fault) => {
    // The form now shows the newer state, and the next save is bound to that.
    if (isRefusal(fault, 412)) await changeItem(kind, id);
    throw fault;
  });
}

/** Answers what the form holds, as the resource's own members. */
function show(
  title: string, list: readonly Field[], item: Readonly<Record<string, unknown>>,
): () => Record<string, unknown> {
  setText(part("item-title"), title);
  setText(part("item-faults"), "");
  const inputs = list.map((field) => [field, inputFor(field, item[field[0]])] as const);
  part("item-fields").replaceChildren(...inputs.map(([[, label, type], input]) =>
    el("label", { class: type }, el("span", {}, label), input)));
  if (!dialog.open) dialog.showModal();
  return () => Object.fromEntries(inputs.map(([[name, , type], input]) =>
    [name, valueOf(type, input)]));
}

function inputFor([, , type]: Field, value: unknown = ""): Input {
  const input = type === "lines" ? el("textarea", { rows: "4" })
    : el("input", { type, step: "any", autocomplete: "off" });
  if (input instanceof HTMLInputElement) input.checked = value === true;
  if (type !== "checkbox") input.value = Array.isArray(value) ? value.join("\n") : String(value);
  return input;
}

function valueOf(type: Field[2], input: Input): unknown {
  if (input instanceof HTMLTextAreaElement) {
    return input.value.split("\n").map((line) => line.trim()).filter((line) => line !== "");
  }
  if (type === "checkbox") return input.checked;
  return type === "number" ? input.valueAsNumber : input.value;
}
