/** The names of tables: those on the signs that this device has printed, and what digits mean. */

import { saved } from "./storage.ts";
import { t } from "./words.ts";

/** Devices have stored the names under this key, one a line: another one would lose them. */
export const tableNamesKey = "table-cards";

/** Digits alone are a table. Its name is that on its sign. */
export function tableNameOf(text: string): string {
  const digits = text.trim();
  if (!/^\d{1,9}$/.test(digits)) return text;
  const names = (saved(tableNamesKey, "") ?? "").split("\n").map((line) => line.trim());
  const plain = t("Table {number}", { number: Number(digits) });
  const hasDigits = (name: string): boolean => /\d+$/.exec(name)?.[0] === digits;
  return names.includes(plain) ? plain : names.find(hasDigits) ?? plain;
}
