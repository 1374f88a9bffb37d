/** The orders of a day as a file for a spreadsheet. */

import { tally } from "../shared/menu.ts";
import type { Order } from "../shared/types.ts";
import { t } from "../shared/words.ts";
import { statusNames } from "./actions.ts";
import { calendarDay, type Day } from "./day.ts";

export function saveAsCsv({ date, orders }: Day): void {
  const head = [
    t("Number"), t("Placed"), t("Last change"), t("Stage"), t("Note"), t("Size"), t("Toppings"),
    t("Drinks"),
  ];
  download(`${t("orders")}-${date}.csv`, csvOf([head, ...orders.map(cellsOf)]));
}

function cellsOf(order: Order): readonly string[] {
  const { id, placedAt, updatedAt, status, note = "", pizzaSize, toppings, beverages } = order;
  const items = [[pizzaSize], toppings, beverages].map((some) =>
    tally(some).map(({ text }) => text).join("; "));
  return [id, timeCell(placedAt), timeCell(updatedAt), statusNames[status], note, ...items];
}

/** "2026-11-20 19:42", which spreadsheets take for a time. */
function timeCell(moment: string): string {
  const date = new Date(moment);
  return `${calendarDay(date)} ${date.toTimeString().slice(0, 5)}`;
}

/** RFC 4180, with the mark by which spreadsheets recognize UTF-8. */
function csvOf(rows: readonly (readonly string[])[]): string {
  return `\ufeff${rows.map((cells) => `${cells.map(quoted).join(",")}\r\n`).join("")}`;
}

/** A spreadsheet computes a text that begins like a formula, and anybody may write a note. */
function quoted(text: string): string {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n;]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

function download(name: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  link.download = name;
  link.click();
  // The browser has taken it by then.
  setTimeout(() => { URL.revokeObjectURL(link.href); }, 60_000);
}
