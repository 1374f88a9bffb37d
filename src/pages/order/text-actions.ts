/** The things that a guest can do with the texts of an order, named as they would say it. */

import { longestName } from "../../resources/limits.ts";
import { tableNameOf } from "../shared/table-names.ts";
import { t } from "../shared/words.ts";
import { merged, withRow } from "./basket.ts";
import { drawNow, set, setBasket, state } from "./store.ts";
import { oneLine, roomIn } from "./typed-text.ts";

export function writeName(text: string): void {
  setBasket({ name: typedOrBefore(text, state().basket.name) });
}

export function writeTable(text: string): void {
  setBasket({ table: typedOrBefore(text, state().basket.table) });
}

export function writeWantedAt(text: string): void {
  setBasket({ wantedAt: text });
}

export function finishTable(): void {
  const { basket: { table } } = state();
  if (tableNameOf(table) !== table) setBasket({ table: tableNameOf(table) });
}

export function openNote(key: string): void {
  set({ noteRow: key });
  drawNow();
  document.getElementById("note-text")?.focus();
}

function noteOf(key: string): string {
  return state().basket.rows.find((row) => row.key === key)?.note ?? "";
}

export function writeNote(text: string): void {
  const { basket, noteRow } = state();
  setBasket(withRow(basket, noteRow, { note: typedOrBefore(text, noteOf(noteRow)) }));
}

/** Once the press that took the focus is over: nothing moves under the finger before. */
export function finishNote(): void {
  const { noteRow } = state();
  setTimeout(() => {
    const isBack = document.activeElement?.id === "note-text";
    if (isBack || state().noteRow !== noteRow) return;
    set({ noteRow: "" });
    const basket = withRow(state().basket, noteRow, { note: noteOf(noteRow).trim() });
    setBasket(state().openRow === "" ? merged(basket) : basket);
    drawNow();
    // After Enter the focus is nowhere: it goes back to the button that has opened the note.
    const isNowhere = document.activeElement === document.body;
    if (isNowhere) document.getElementById(`note-${noteRow}`)?.focus();
  }, 300);
}

/**
 * A field holds what is typed to its end, or not at all, with a word: a part may say another thing.
 */
function typedOrBefore(text: string, before: string): string {
  const line = oneLine(text);
  if (roomIn(line) >= 0) return line;
  const message = t("There is room for {number} letters.", { number: longestName });
  // After the press or the paste, whose own change clears the message.
  queueMicrotask(() => { set({ message }); });
  return before;
}
