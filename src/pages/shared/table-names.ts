/** The names of tables. */

import { saved } from "./storage.ts";
import { t } from "./words.ts";

/** Digits alone are a table. Its name is that on the cards that this device has printed. */
export function tableNameOf(text: string): string {
  const digits = text.trim();
  if (!/^\d{1,9}$/.test(digits)) return text;
  const cards = (saved("table-cards", "") ?? "").split("\n").map((line) => line.trim());
  const plain = t("Table {number}", { number: Number(digits) });
  const isOf = (card: string): boolean => /\d+$/.exec(card)?.[0] === digits;
  return cards.includes(plain) ? plain : cards.find(isOf) ?? plain;
}
