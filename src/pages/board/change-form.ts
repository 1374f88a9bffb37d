/**
 * The form Change: table and name of all open orders that belong together, and a note for each
 * pizza. Each order that differs gets a write that is bound to the state on the screen (If-Match).
 * A text that was changed elsewhere stands below the typed one, and only a press on Save after that
 * writes over it.
 */

import { explain, isRefusal, read, write } from "../shared/api.ts";
import { ask } from "../shared/dialogs.ts";
import { type Child, h, submitted, type View } from "../shared/dom.ts";
import { orderTitle, together, togetherKey } from "../shared/orders.ts";
import { pizzaTitle } from "../shared/pizza-text.ts";
import type { Order } from "../shared/types.ts";
import { t } from "../shared/words.ts";
import { whichText } from "./contents.ts";
import { dialogFrame } from "./dialog-frame.ts";
import type { ChangeDialog } from "./dialog-types.ts";
import { closeDialog, openDialog, updateDialog } from "./dialogs.ts";
import { type OrderText, orderTexts } from "./marks.ts";
import { markSaving, settle } from "./moves.ts";
import { notify } from "./notices.ts";
import { isOpen, statuses } from "./statuses.ts";
import { applyChanges, drawNow, state } from "./store.ts";

type Texts = Partial<Readonly<Record<OrderText, string>>>;

const longestText = 200;

/** For all that belong together with this order. */
export function openChange(order: Order): void {
  const before = together(state().orders.values()).get(togetherKey(order)) ?? [order];
  openDialog({
    type: "change", title: orderTitle(order), before, typed: {}, failure: "", isSaving: false,
  });
  drawNow();
  document.querySelector<HTMLInputElement>("dialog [name=table]")?.select();
}

/** The key of a typed text: table and name are those of all orders. */
function keyOf(field: OrderText, { id }: Order): string {
  return field === "note" ? `note ${id}` : field;
}

/** An order as the board knows it now. */
function nowOf(order: Order): Order {
  return state().orders.get(order.id) ?? order;
}

/** The typed texts that differ from those of the order. */
function differing({ typed }: ChangeDialog, order: Order): Texts {
  return Object.fromEntries(orderTexts.flatMap((field) => {
    const text = typed[keyOf(field, order)]?.trim();
    return text === undefined || text === (order[field] ?? "") ? [] : [[field, text]];
  }));
}

function isTyped(dialog: ChangeDialog): boolean {
  return dialog.before.some((order) => Object.keys(differing(dialog, nowOf(order))).length > 0);
}

async function close(dialog: ChangeDialog): Promise<void> {
  const isMeant = !isTyped(dialog)
    || await ask(t("Throw away what you typed?"), t("Throw away"), t("Go on typing"),
      { className: "ink" });
  if (isMeant) closeDialog();
}

async function save(dialog: ChangeDialog): Promise<void> {
  if (dialog.isSaving) return;
  updateDialog("change", { isSaving: true, failure: "" });
  const hasChanges = isTyped(dialog);
  const open = dialog.before.map(nowOf).filter(isOpen);
  const failures = await Promise.all(open.map((order) =>
    saveOrder(order, differing(dialog, order))));
  const failure = failures.find((text) => text !== "") ?? "";
  updateDialog("change", { isSaving: false, failure });
  if (failure !== "" || state().dialog?.type !== "change") return;
  closeDialog();
  if (hasChanges) notify(t("{number} changed", { number: dialog.title }), open[0]?.status);
}

/** Resolves to what went wrong, or to nothing. */
async function saveOrder(seen: Order, texts: Texts): Promise<string> {
  if (Object.keys(texts).length === 0) return "";
  markSaving(seen.id);
  try {
    const outcome = await send(seen, texts);
    settle(seen, outcome.isSaved ? outcome.order : undefined);
    if (!outcome.isSaved) applyChanges([{ event: "orders.updated", data: outcome.order }]);
    return outcome.isSaved ? ""
      : isOpen(outcome.order) ? t("Somebody else changed it. Save writes over that.")
        : t("Some are done meanwhile. They stay as they are.");
  } catch (fault) {
    settle(seen, undefined);
    return explain(fault);
  }
}

interface Outcome {
  readonly order: Order;
  readonly isSaved: boolean;
}

/** Not saved: another text came, or the order was closed. A new status alone changes nothing. */
async function send(seen: Order, texts: Texts): Promise<Outcome> {
  const path = `api/orders/${encodeURIComponent(seen.id)}`;
  // Lists and events have no ETag: it is fetched, with the state that it belongs to.
  const { data, etag } = await read<Order>(path);
  const fields = Object.keys(texts) as OrderText[];
  // An earlier try that got no answer may have been carried out.
  if (fields.every((field) => (data[field] ?? "") === texts[field])) {
    return { order: data, isSaved: true };
  }
  if (!isOpen(data) || fields.some((field) => data[field] !== seen[field])) {
    return { order: data, isSaved: false };
  }
  try {
    return { order: (await write<Order>("PATCH", path, texts, etag)).data, isSaved: true };
  } catch (fault) {
    if (!isRefusal(fault, 412)) throw fault;
    return send(seen, texts);
  }
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
      h("div", { class: "who-fields" },
        sharedTextField(dialog, "table", t("Table"), open),
        sharedTextField(dialog, "name", t("Name"), open)),
      ...now.map((order, index) => h("section", { key: order.id },
        h("h3", {}, h("bdi", {}, titles[index]), ...whichText(titles, index)),
        isOpen(order) ? sharedTextField(dialog, "note", t("Note"), [order])
          : h("p", { class: "soft" }, t("{status}: stays as it is.", {
            status: statuses[order.status].name,
          }))))),
  ], [
    h("p", { class: "fault", role: "alert" }, failure !== "" ? failure
      : isChanged ? t("Somebody else changed it. Save writes over that.") : ""),
    // A press that was aimed at another text does nothing.
    h("button", {
      type: "submit", form: "change", class: "go", pressKey: JSON.stringify(now.map((order) =>
        [order.table, order.name, order.note])),
    }, t("Save")),
    h("button", { onclick: askToClose }, t("Don’t change")),
  ]);
}

/** A text that came from elsewhere since this one was typed. */
function newerText(dialog: ChangeDialog, field: OrderText, before: Order): string | undefined {
  const typed = dialog.typed[keyOf(field, before)];
  const newer = nowOf(before)[field] ?? "";
  return typed === undefined || newer === (before[field] ?? "") || newer === typed.trim()
    ? undefined : newer;
}

/** A field for what these orders have in common. */
function sharedTextField(
  dialog: ChangeDialog, field: OrderText, label: string, orders: readonly Order[],
): Child {
  const [first] = orders;
  if (first === undefined) return undefined;
  const key = keyOf(field, first);
  const texts = new Set(orders.map((order) => order[field] ?? ""));
  const newer = dialog.before.filter(({ id }) => orders.some((order) => order.id === id))
    .map((order) => newerText(dialog, field, order)).find((text) => text !== undefined);
  return h("label", { key },
    h("span", {}, label), h("input", {
      name: field, value: dialog.typed[key] ?? (texts.size === 1 ? first[field] ?? "" : ""),
      maxlength: longestText, autocomplete: "off", dir: "auto",
      placeholder: texts.size > 1 && t("several names"),
      oninput: ({ currentTarget: { value } }) => {
        // An emptied field that says "several names" keeps them.
        const text = value === "" && texts.size > 1 ? undefined : value;
        updateDialog("change", { typed: { ...dialog.typed, [key]: text } });
      },
    }),
    newer !== undefined && h("span", { class: "fault" },
      newer === "" ? t("Now: none") : t("Now: {text}", { text: newer })));
}
