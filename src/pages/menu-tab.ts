/**
 * The menu and the shop as staff work them: sold out and back in one tap, add, change, duplicate,
 * remove and undo, open and close. What is shown is what the service last told: a row changes when
 * the event comes, on this screen as on every other.
 *
 * In the form, what cannot be is told beside the field in people's words; what is only odd is asked
 * about, and saved when Save is pressed again. A change is bound to the state it began with.
 */

import { explain, isRefusal, read, write } from "./api.ts";
import { arrange, button, byId, el, onClick, part, setText, unseen } from "./dom.ts";
import { isSoldOut, menu, menuKinds, notesOn, shop } from "./model.ts";
import type { MenuItem, MenuKind, Shop } from "./model.ts";
import { notify } from "./moves.ts";
import { inchesIn, length, lengthText, plain, t, usesInches } from "./words.ts";

const titles = {
  pizzasizes: [t("Sizes"), t("Add a size")],
  toppings: [t("Toppings"), t("Add a topping")],
  beverages: [t("Drinks"), t("Add a drink")],
} as const;

const lists = {
  pizzasizes: listOf("pizzasizes"), toppings: listOf("toppings"), beverages: listOf("beverages"),
};
/** Each is made once, whatever becomes of its item. */
const rows = new Map<string, ReturnType<typeof makeRow>>();
const search = byId("menu-search", HTMLInputElement);
let lastChange: Promise<void> = Promise.resolve();
const shopName = byId("shop-name-input", HTMLInputElement);
const notice = byId("notice-input", HTMLInputElement);

search.addEventListener("input", showMenuTab);
onClick("toggle-shop", () => { void tell(changeShop(({ isOpen }) => ({ isOpen: !isOpen }))); });
part("shop-form").addEventListener("submit", (event) => {
  event.preventDefault();
  void saveTexts();
});

export function showMenuTab(): void {
  const wanted = plain(search.value);
  let found = 0;
  for (const kind of menuKinds) {
    arrange(lists[kind], [...menu[kind].values()].map((item) => {
      const key = `${kind}/${item.id}`;
      const row = rows.get(key) ?? makeRow(kind, item.id);
      rows.set(key, row);
      row.show(item);
      row.element.hidden = !plain(item.name).includes(wanted);
      if (!row.element.hidden) found += 1;
      return row.element;
    }));
  }
  setText(part("menu-found"),
    wanted === "" || found > 0 ? "" : t("Nothing on the menu is called that."));
  showShop();
}

/** A field that somebody is typing in keeps what is typed. */
function showShop(): void {
  const { name, isOpen, notice: text } = shop;
  setText(part("shop-now"), isOpen ? t("The shop is open.") : t("The shop is closed."));
  setText(part("toggle-shop"), isOpen ? t("Close the shop") : t("Open the shop"));
  for (const [input, value] of [[shopName, name], [notice, text]] as const) {
    if (input.value === input.defaultValue) input.value = value;
    input.defaultValue = value;
  }
}

async function saveTexts(): Promise<void> {
  const [name, text] = [shopName.value.trim(), notice.value.trim()];
  const fault = name === "" ? t("The shop needs a name.") : "";
  setText(part("shop-fault"), fault);
  shopName.setAttribute("aria-invalid", String(fault !== ""));
  if (fault !== "") return shopName.focus();
  [shopName.defaultValue, notice.defaultValue] = [shopName.value, notice.value];
  await tell(changeShop(() => ({ name, notice: text })).then(() => { notify(t("Saved.")); }));
}

/** What `change` makes of the shop as it is then; one change after the other. */
function changeShop(change: (now: Shop) => Partial<Shop>): Promise<void> {
  const changing = lastChange.then(() => writeShop(change));
  lastChange = changing.catch(() => undefined);
  return changing;
}

/** Again where another screen was faster: each change of ours stands beside its. */
async function writeShop(change: (now: Shop) => Partial<Shop>): Promise<void> {
  const { data, etag } = await read<Shop>("api/shop");
  await write("PATCH", "api/shop", change(data), etag).catch((fault) => {
    if (!isRefusal(fault, 412)) throw fault;
    return writeShop(change);
  });
}

function setSoldOut(kind: MenuKind, id: string, isOut: boolean): Promise<void> {
  return changeShop(({ soldOut: all }) => {
    const others = all[kind].filter((one) => one !== id);
    return { soldOut: { ...all, [kind]: isOut ? [...others, id] : others } };
  });
}

/** Undone, an item comes back as it was, under the id by which orders know it. */
async function remove(kind: MenuKind, id: string): Promise<void> {
  const path = `api/${kind}/${encodeURIComponent(id)}`;
  const { data, etag } = await read<MenuItem>(path);
  const wasSoldOut = isSoldOut(kind, id);
  await write("DELETE", path, undefined, etag);
  const bringBack = async () => {
    await write("POST", `api/${kind}`, data);
    if (wasSoldOut) await setSoldOut(kind, id, true);
  };
  const { name } = data;
  notify(t("{name} was removed.", { name }), () => { void tell(bringBack(), name); });
}

function listOf(kind: MenuKind): HTMLElement {
  const [title, add] = titles[kind];
  const list = el("ul", { class: "items" });
  part("menu-kinds").append(el("section", { class: kind },
    el("h2", {}, title), button("add", () => { addItem(kind, add); }, `+ ${add}`), list));
  return list;
}

function makeRow(
  kind: MenuKind, id: string,
): { readonly element: HTMLElement; show(item: MenuItem): void } {
  const act = (work: () => Promise<unknown>) => () => {
    void tell(work(), menu[kind].get(id)?.name);
  };
  const what = el("b");
  const notes = el("span", { class: "quiet" });
  const toggle = button("toggle", act(() => setSoldOut(kind, id, !isSoldOut(kind, id))));
  const change = button("", act(() => changeItem(kind, id)));
  const duplicate = button("", () => { addItem(kind, titles[kind][1], menu[kind].get(id)); });
  const away = button("", act(() => remove(kind, id)));
  const more = unseen("");
  const element = el("li", {}, el("p", {}, what, " ", notes), toggle, change,
    el("details", {}, el("summary", {}, "⋯", more), duplicate, away));
  const show = (item: MenuItem) => {
    const { name } = item;
    const isOut = isSoldOut(kind, id);
    element.classList.toggle("sold-out", isOut);
    setText(what, name);
    setText(notes, [isOut ? t("sold out") : "", notesOn(item)].filter(Boolean).join(" · "));
    setText(more, t("More for {name}", { name }));
    for (const [one, label] of [
      [toggle, isOut ? t("Bring back") : t("Sold out")], [change, t("Change")],
      [duplicate, t("Duplicate")], [away, t("Remove")],
    ] as const) {
      setText(one, label);
      one.setAttribute("aria-label", `${label} ${name}`);
    }
  };
  return { element, show };
}

/** What came of it is told by the row itself, once the service has it; a fault here. */
function tell(work: Promise<unknown>, about = shop.name): Promise<void> {
  return work.then(() => undefined, (fault) => { notify(`${about}: ${explain(fault)}`); });
}

type Input = HTMLInputElement | HTMLTextAreaElement;
type Type = "text" | "length" | "checkbox" | "lines";
type Field = readonly [name: string, label: string, type: Type];
type Values = Record<string, unknown>;

const fields: Readonly<Record<MenuKind, readonly Field[]>> = {
  pizzasizes: [
    ["name", t("Name"), "text"],
    [
      "diameterInInches",
      usesInches ? t("Diameter in inches") : t("Diameter in centimetres"), "length",
    ],
  ],
  toppings: [
    ["name", t("Name"), "text"], ["isVegetarian", t("Vegetarian"), "checkbox"],
    ["isVegan", t("Vegan"), "checkbox"],
  ],
  beverages: [
    ["name", t("Name"), "text"], ["isCarbonated", t("Sparkling"), "checkbox"],
    ["sizeOptions", t("Bottles or glasses, one per line"), "lines"],
  ],
};

/** The bounds of contract part 2. */
const [nameMost, linesMost, inchesMost] = [200, 50, 1000];
/** Wider than any oven: more likely a lost decimal point. */
const inchesOdd = 40;

/** A fault that stands beside its field. */
class Fault extends Error {
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

interface Editing {
  readonly kind: MenuKind;
  /** Undefined: a new one. */
  readonly id?: string;
  readonly inputs: readonly (readonly [field: Field, input: Input, before: unknown])[];
  readonly save: (values: Values) => Promise<unknown>;
}

const dialog = byId("item-dialog", HTMLDialogElement);
let editing: Editing | undefined;
/** What is being saved, against the second half of a double click. */
let saving: Editing | undefined;
/** What was asked last: pressed again with the same doubts, Save means it. */
let asked = "";

// The row it was opened from may have been drawn again in the meantime.
dialog.addEventListener("close", () => {
  if (!part("menu").contains(document.activeElement)) part("show-menu").focus();
});
onClick("item-cancel", () => { dialog.close(); });
part("item-form").addEventListener("submit", (event) => {
  event.preventDefault();
  void submit();
});

/** `like`: what it begins with, for a duplicate. */
function addItem(kind: MenuKind, title: string, like?: MenuItem): void {
  const save = (values: Values) => write("POST", `api/${kind}`, values);
  show({ kind, inputs: inputsFor(kind, { ...like }), save }, title);
}

async function changeItem(kind: MenuKind, id: string): Promise<void> {
  const path = `api/${kind}/${encodeURIComponent(id)}`;
  const { data, etag } = await read<MenuItem>(path);
  const save = (values: Values) => write("PUT", path, values, etag).catch(async (fault) => {
    // The form now shows the newer state, and the next save is bound to that.
    if (isRefusal(fault, 412)) await changeItem(kind, id);
    throw fault;
  });
  show({ kind, id, inputs: inputsFor(kind, { ...data }), save },
    t("Change {name}", { name: data.name }));
}

function show(one: Editing, title: string): void {
  editing = one;
  saving = undefined;
  setText(part("item-title"), title);
  part("item-fields").replaceChildren(...one.inputs.map(([[name, label, type], input]) =>
    el("label", { class: type }, el("span", {}, label), input,
      el("span", { class: "fault", id: `fault-${name}` }))));
  say("", "");
  if (!dialog.open) dialog.showModal();
  const [, first] = one.inputs[0] ?? [];
  if (first instanceof HTMLInputElement) first.select();
}

async function submit(): Promise<void> {
  const mine = editing;
  if (mine === undefined || saving === mine) return;
  try {
    const values = valuesOf(mine);
    const doubts = doubtsAbout(mine, values);
    if (doubts !== "" && doubts !== asked) return say("", doubts);
    saving = mine;
    await mine.save(values);
    // Another item may have been begun in the meantime.
    if (editing === mine) dialog.close();
  } catch (fault) {
    saving = undefined;
    if (fault instanceof Fault) say(fault.field, fault.message);
    else say("", "", explain(fault));
  }
}

/** A fault of one field, doubts to be asked about, or what else went wrong: the others go. */
function say(field: string, text: string, failure = ""): void {
  asked = field === "" ? text : "";
  setText(part("item-faults"), field === "" ? text || failure : "");
  setText(part("item-save"), asked === "" ? t("Save") : t("Save all the same"));
  for (const [[name], input] of editing?.inputs ?? []) {
    setText(part(`fault-${name}`), name === field ? text : "");
    input.setAttribute("aria-invalid", String(name === field));
    if (name === field) input.focus();
  }
}

function inputsFor(kind: MenuKind, item: Values): Editing["inputs"] {
  return fields[kind].map((field) => {
    const [name, , type] = field;
    const input = type === "lines" ? el("textarea", { rows: "4" })
      : el("input", { type: type === "checkbox" ? type : "text", autocomplete: "off" });
    input.setAttribute("aria-describedby", `fault-${name}`);
    if (type === "length") input.setAttribute("inputmode", "decimal");
    const value = item[name];
    if (input instanceof HTMLInputElement) input.checked = value === true;
    if (type !== "checkbox") input.value = input.defaultValue = written(type, value);
    return [field, input, value] as const;
  });
}

function written(type: Type, value: unknown): string {
  if (Array.isArray(value)) return value.join("\n");
  if (type === "length" && typeof value === "number") return lengthText(value);
  return typeof value === "string" ? value : "";
}

/** As the resource's own members. Throws a Fault. */
function valuesOf({ inputs }: Editing): Values {
  return Object.fromEntries(inputs.map(([[name, , type], input, before]) => {
    if (type === "checkbox") return [name, input instanceof HTMLInputElement && input.checked];
    // What was not touched is not rounded by its way through centimetres.
    if (type === "length") {
      const kept = typeof before === "number" && input.value === input.defaultValue;
      return [name, kept ? before : inches(name, input.value)];
    }
    return [name, type === "lines" ? linesIn(name, input.value) : nameIn(name, input.value)];
  }));
}

function nameIn(field: string, text: string): string {
  const name = text.trim();
  if (name === "") throw new Fault(field, t("It needs a name."));
  if ([...name].length > nameMost) throw new Fault(field, t("That is too long."));
  return name;
}

function linesIn(field: string, text: string): string[] {
  const lines = text.split("\n").map((line) => line.trim()).filter((line) => line !== "");
  const twice = lines.find((line, at) => lines.indexOf(line) < at);
  if (twice !== undefined) throw new Fault(field, t("{name} is there twice.", { name: twice }));
  if (lines.length > linesMost || lines.some((line) => [...line].length > nameMost)) {
    throw new Fault(field, t("That is too long."));
  }
  return lines;
}

function inches(field: string, text: string): number {
  const wide = inchesIn(text);
  if (wide === 0) {
    const example = lengthText(10.04);
    throw new Fault(field, t("How wide is it? A number such as {example}.", { example }));
  }
  if (wide > inchesMost) throw new Fault(field, t("That is wider than any pizza."));
  return wide;
}

/** What may be meant, and is more likely a slip: a question each. */
function doubtsAbout({ kind, id }: Editing, values: Values): string {
  const { name, isVegan, isVegetarian, diameterInInches } = values;
  const same = (other: MenuItem) =>
    other.id !== id && other.name.toLowerCase() === String(name).toLowerCase();
  const doubts = [
    [...menu[kind].values()].some(same) && t("There is one of that name already. Add another?"),
    isVegan === true && isVegetarian === false
      && t("What is vegan is vegetarian too. Is it really not vegetarian?"),
    Number(diameterInInches) > inchesOdd
      && t("A pizza {width} wide: is that right?", { width: length(Number(diameterInInches)) }),
  ];
  return doubts.filter((doubt) => doubt !== false).join("\n");
}
