/**
 * The form Change: table, name and time of an order, and a note for each pizza. A text that was
 * changed elsewhere meanwhile stands below the field, and only a press on Save after that writes
 * over it.
 */

import { h, type View } from "../shared/dom.ts";
import { isOpen } from "../shared/orders.ts";
import { pizzaTitle } from "../shared/pizza-text.ts";
import { tableNameOf } from "../shared/table-names.ts";
import type { Order } from "../shared/types.ts";
import { clockText, t } from "../shared/words.ts";
import { type ChangeDialog, freshForm } from "./dialog-state.ts";
import { formDialog, saveForm, textField } from "./forms.ts";
import { type BoardOrder, headTexts, type OrderText, orderTexts } from "./known-orders.ts";
import { ordersWith } from "./lists.ts";
import { changeTexts } from "./moves.ts";
import { latestOf, type PizzaWrite } from "./order-writes.ts";
import { positionText } from "./parts.ts";
import { statuses } from "./statuses.ts";
import { closeDialog, drawNow, openDialog, state } from "./store.ts";

const labels: Readonly<Record<OrderText, string>> = {
  table: t("Table"), name: t("Name"), wantedAt: t("Wanted at"), note: t("Note"),
};

export function openChangeForm({ title, pizzas }: BoardOrder): void {
  const before = pizzas.map(latestOf).filter(({ status }) => status !== "Cancelled");
  openDialog({ type: "change", title, before, ...freshForm });
  drawNow();
  document.querySelector<HTMLInputElement>("dialog [name=table]")?.select();
}

/** The pizzas as they were when the form was opened, and those of the order that came since. */
function pizzasIn({ before }: ChangeDialog): readonly Order[] {
  const since = ordersWith(state(), before).flatMap(({ pizzas }) => pizzas.map(latestOf))
    .filter(({ id, status }) => status !== "Cancelled" && !before.some((seen) => seen.id === id));
  return [...before, ...since];
}

/** The key of a typed text: all but the note are those of all pizzas. */
function keyFor(field: OrderText, { id }: Order): string {
  return field === "note" ? `note-${id}` : field;
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

/** The texts that open pizzas have in such a field. */
function textsIn(dialog: ChangeDialog, field: OrderText): ReadonlySet<string> {
  return new Set(pizzasIn(dialog).map(latestOf).filter(isOpen).map((order) => order[field] ?? ""));
}

/** The typed text as it is stored. Undefined: nothing was typed. */
function typedText(dialog: ChangeDialog, field: OrderText, order: Order): string | undefined {
  const text = dialog.typed[keyFor(field, order)]?.trim();
  if (text === undefined) return undefined;
  if (text === "") {
    // An emptied field that says "several names" keeps them.
    return field !== "note" && textsIn(dialog, field).size > 1 ? undefined : "";
  }
  return field === "table" ? tableNameOf(text)
    : field === "wantedAt" ? new Date(text).toISOString() : text;
}

/** The writes of Save: for each open pizza the typed texts that differ from its own. */
function writesOf(dialog: ChangeDialog): readonly PizzaWrite[] {
  return pizzasIn(dialog).map(latestOf).filter(isOpen).flatMap((seen) => {
    const body = Object.fromEntries(orderTexts.flatMap((field) => {
      const text = typedText(dialog, field, seen);
      return text === undefined || text === (seen[field] ?? "") ? [] : [[field, text]];
    }));
    return Object.keys(body).length > 0 ? [{ seen, body }] : [];
  });
}

export function changeForm(dialog: ChangeDialog): View {
  const { title, failure } = dialog;
  const before = pizzasIn(dialog);
  const now = before.map(latestOf);
  const open = now.filter(isOpen);
  const [first] = open;
  const titles = now.map(pizzaTitle);
  const isChanged = before.some((order) =>
    orderTexts.some((field) => newerIn(dialog, field, order) !== undefined));
  const overwrites = isChanged ? t("Somebody else changed it. Save writes over that.") : "";
  return formDialog({ ...dialog, failure: failure || overwrites }, {
    title: t("Change {name}", { name: title }), isTyped: writesOf(dialog).length > 0,
    leaveLabel: t("Don’t change"),
    // A press that was aimed at another text does nothing.
    pressKey: JSON.stringify(now.map((order) => orderTexts.map((field) => order[field]))),
    save: () => saveForm(dialog, {}, () => changeTexts(writesOf(dialog)), closeDialog),
  },
    open.length > 1
      && h("p", { class: "soft" }, t("For all {count} pizzas", { count: open.length })),
    first && h("div", { class: "who-fields" }, ...headTexts.map((field) =>
      orderField(dialog, field, first))),
    ...now.map((order, index) => h("section", { key: order.id, class: "ruled" },
      h("h3", { class: "spread" }, h("bdi", {}, titles[index]), ...positionText(titles, index)),
      isOpen(order) ? orderField(dialog, "note", order, titles[index])
        : h("p", { class: "soft" }, t("{status}: stays as it is.", {
          status: statuses[order.status].name,
        })))));
}

/** A text that came from elsewhere since this one was typed. */
function newerIn(dialog: ChangeDialog, field: OrderText, before: Order): string | undefined {
  const typed = typedText(dialog, field, before);
  const newer = latestOf(before)[field] ?? "";
  return typed === undefined || newer === (before[field] ?? "") || newer === typed
    ? undefined : newer;
}

/** A field of one pizza, or of all. */
function orderField(
  dialog: ChangeDialog, field: OrderText, order: Order, about = "",
): View {
  const isSeveral = field !== "note" && textsIn(dialog, field).size > 1;
  const newer = dialog.before.filter(({ id }) => field !== "note" || id === order.id)
    .map((pizza) => newerIn(dialog, field, pizza)).find((text) => text !== undefined);
  return textField(dialog, {
    name: keyFor(field, order), label: labels[field], about,
    first: isSeveral ? "" : fieldText(order, field),
    newer: field === "wantedAt" && newer ? clockText(newer) : newer,
  }, {
    type: field === "wantedAt" ? "datetime-local" : "text",
    dir: field === "wantedAt" ? false : "auto", placeholder: isSeveral && t("several names"),
  });
}
