/** The orders of a day as a file for a spreadsheet. */

import { tally } from "../shared/menu.ts";
import type { Order } from "../shared/types.ts";
import { locale, t } from "../shared/words.ts";
import { dateText, type Day } from "./day.ts";
import { statuses } from "./statuses.ts";

export function saveAsCsv({ date, orders }: Day): void {
  const head = [
    t("Number"), t("Table"), t("Name"), t("Group"), t("Placed"), t("Wanted"), t("Last change"),
    t("Status"), t("Note"), t("Pizza"), t("Size"), t("Toppings"), t("Drinks"),
  ];
  download(`${t("orders")}-${date}.csv`, csvOf([head, ...orders.map(cellsOf)]));
}

function cellsOf(order: Order): readonly string[] {
  const { id, table = "", name = "", group = "", placedAt, wantedAt, updatedAt, status } = order;
  const { note = "", pizza = "", pizzaSize, toppings, beverages } = order;
  const items = [[pizzaSize], toppings, beverages].map((list) =>
    tally(list).map(({ text }) => text).join("; "));
  return [
    id, table, name, group, timeCell(placedAt), wantedAt === undefined ? "" : timeCell(wantedAt),
    timeCell(updatedAt), statuses[status].name, note, pizza, ...items,
  ];
}

/** "2026-11-20 19:42", which spreadsheets take for a time. */
function timeCell(moment: string): string {
  const date = new Date(moment);
  return `${dateText(date)} ${date.toTimeString().slice(0, 5)}`;
}

/** A spreadsheet expects a semicolon where a comma is in its numbers. */
const separator = new Intl.NumberFormat(locale).format(0.5).includes(",") ? ";" : ",";

/** RFC 4180 but for its comma, with the mark by which spreadsheets recognize UTF-8. */
function csvOf(rows: readonly (readonly string[])[]): string {
  return `\ufeff${rows.map((cells) => `${cells.map(quoted).join(separator)}\r\n`).join("")}`;
}

/**
 * A spreadsheet computes a text that begins like a formula, and anybody may write a note. Soft
 * hyphens of translations would hide a word from its search.
 */
function quoted(cell: string): string {
  const text = cell.replaceAll("\u00ad", "");
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
