/**
 * The form Change: table, name and time of an order, and a note for each pizza. A text that was
 * changed elsewhere meanwhile stands below the field, and only a press on Save after that writes
 * over it.
 */

import { longestName } from "../../resources/limits.ts";
import { ask } from "../shared/dialogs.ts";
import { type Child, h, submitted, unseen, type View } from "../shared/dom.ts";
import { pizzaTitle } from "../shared/pizza-text.ts";
import { tableNameOf } from "../shared/table-names.ts";
import type { Order } from "../shared/types.ts";
import { clockText, t } from "../shared/words.ts";
import type { BoardOrder } from "./cards.ts";
import { whichText } from "./contents.ts";
import { dialogFrame } from "./dialog-frame.ts";
import { whole } from "./forms.ts";
import { headTexts, type OrderText, orderTexts } from "./marks.ts";
import { changeTexts, type Step } from "./moves.ts";
import { isOpen, statuses } from "./statuses.ts";
import { closeDialog, drawNow, openDialog, state, updateDialog } from "./store.ts";

/** Table, name and time of an order, and a note for each pizza. */
export interface ChangeDialog {
  readonly type: "change";
  readonly title: string;
  /** The pizzas as they were when the dialog opened. */
  readonly before: readonly Order[];
  /** The texts that were typed so far, by field. */
  readonly typed: Readonly<Record<string, string | undefined>>;
  readonly failure: string;
  readonly isSaving: boolean;
}

const labels: Readonly<Record<OrderText, string>> = {
  table: t("Table"), name: t("Name"), wantedAt: t("Wanted at"), note: t("Note"),
};

export function openChange({ title, pizzas }: BoardOrder): void {
  const before = pizzas.map(nowOf).filter(({ status }) => status !== "Cancelled");
  openDialog({ type: "change", title, before, typed: {}, failure: "", isSaving: false });
  drawNow();
  document.querySelector<HTMLInputElement>("dialog [name=table]")?.select();
}

/** The key of a typed text: all but the note are those of all pizzas. */
function keyFor(field: OrderText, { id }: Order): string {
  return field === "note" ? `note ${id}` : field;
}

/** A pizza as the board knows it now. */
function nowOf(order: Order): Order {
  return state().orders.get(order.id) ?? order;
}

/** "2026-11-20T19:30" by the clock of the place, as its field has it. */
function localTime(moment: string): string {
  const date = new Date(moment);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function fieldText(order: Order, field: OrderText): string {
  const text = order[field] ?? "";
  return field === "wantedAt" && text !== "" ? localTime(text) : text;
}

/** The typed text as it is stored. Undefined: nothing was typed. */
function typedText(
  { typed }: ChangeDialog, field: OrderText, order: Order,
): string | undefined {
  const text = typed[keyFor(field, order)]?.trim();
  if (text === undefined || text === "") return text;
  return field === "table" ? tableNameOf(text)
    : field === "wantedAt" ? new Date(text).toISOString() : text;
}

/** The writes of Save: for each open pizza the typed texts that differ from its own. */
function stepsOf(dialog: ChangeDialog): readonly Step[] {
  return dialog.before.map(nowOf).filter(isOpen).flatMap((seen) => {
    const body = Object.fromEntries(orderTexts.flatMap((field) => {
      const text = typedText(dialog, field, seen);
      return text === undefined || text === (seen[field] ?? "") ? [] : [[field, text]];
    }));
    return Object.keys(body).length > 0 ? [{ seen, body }] : [];
  });
}

async function close(dialog: ChangeDialog): Promise<void> {
  const isMeant = stepsOf(dialog).length === 0
    || await ask(t("Throw away what you typed?"), t("Throw away"), t("Go on typing"),
      { className: "ink" });
  if (isMeant) closeDialog();
}

async function save(dialog: ChangeDialog): Promise<void> {
  if (dialog.isSaving) return;
  updateDialog("change", { isSaving: true, failure: "" });
  const failure = await changeTexts(stepsOf(dialog));
  updateDialog("change", { isSaving: false, failure });
  if (failure === "" && state().dialog?.type === "change") closeDialog();
}

export function changeForm(dialog: ChangeDialog): View {
  const { title, before, failure } = dialog;
  const now = before.map(nowOf);
  const open = now.filter(isOpen);
  const titles = now.map(pizzaTitle);
  const isChanged = before.some((order) =>
    orderTexts.some((field) => newerText(dialog, field, order) !== undefined));
  const askToClose = (): void => { void close(dialog); };
  return dialogFrame({
    name: "change", title: t("Change {name}", { name: title }), close: askToClose,
  }, [
    h("form", {
      id: "change", novalidate: true, onsubmit: submitted(() => { void save(dialog); }),
    },
      open.length > 1
        && h("p", { class: "soft" }, t("For all {count} pizzas", { count: open.length })),
      h("div", { class: "who-fields" }, ...headTexts.map((field) =>
        textField(dialog, field, open))),
      ...now.map((order, index) => h("section", { key: order.id },
        h("h3", {}, h("bdi", {}, titles[index]), ...whichText(titles, index)),
        isOpen(order) ? textField(dialog, "note", [order])
          : h("p", { class: "soft" }, t("{status}: stays as it is.", {
            status: statuses[order.status].name,
          }))))),
  ], [
    h("p", { class: "fault", role: "alert" }, failure !== "" ? failure
      : isChanged ? t("Somebody else changed it. Save writes over that.") : ""),
    // A press that was aimed at another text does nothing.
    h("button", {
      type: "submit", form: "change", class: "go", pressKey: JSON.stringify(now.map((order) =>
        orderTexts.map((field) => order[field]))),
    }, t("Save")),
    h("button", { onclick: askToClose }, t("Don’t change")),
  ]);
}

/** A text that came from elsewhere since this one was typed. */
function newerText(dialog: ChangeDialog, field: OrderText, before: Order): string | undefined {
  const typed = typedText(dialog, field, before);
  const newer = nowOf(before)[field] ?? "";
  return typed === undefined || newer === (before[field] ?? "") || newer === typed
    ? undefined : newer;
}

/** A field for what these pizzas have in common. */
function textField(dialog: ChangeDialog, field: OrderText, pizzas: readonly Order[]): Child {
  const [first] = pizzas;
  if (first === undefined) return undefined;
  const key = keyFor(field, first);
  const texts = new Set(pizzas.map((pizza) => pizza[field] ?? ""));
  const newer = dialog.before.filter(({ id }) => pizzas.some((pizza) => pizza.id === id))
    .map((pizza) => newerText(dialog, field, pizza)).find((text) => text !== undefined);
  const shown = field === "wantedAt" && newer ? clockText(newer) : newer;
  const value = dialog.typed[key] ?? (texts.size === 1 ? fieldText(first, field) : "");
  return h("label", { key },
    h("span", {}, labels[field], field === "note" && unseen(` ${pizzaTitle(first)}`)),
    h("input", {
      name: field, type: field === "wantedAt" ? "datetime-local" : "text", value,
      autocomplete: "off", dir: field === "wantedAt" ? false : "auto",
      placeholder: texts.size > 1 && t("several names"),
      oninput: whole(value, longestName, (typed) => {
        // An emptied field that says "several names" keeps them.
        const text = typed === "" && texts.size > 1 ? undefined : typed;
        updateDialog("change", { typed: { ...dialog.typed, [key]: text } });
      }),
    }),
    shown !== undefined && h("span", { class: "fault" },
      shown === "" ? t("Now: none") : t("Now: {text}", { text: shown })));
}
