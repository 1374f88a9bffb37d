/** What an operator is told of a command that could not do its work: one line, with the cure. */

import { DocumentError } from "../documents/document-error.ts";
import { printable } from "../log/log-format.ts";
import { SettingsError } from "../settings.ts";
import { StoreError } from "../store/store-error.ts";
import { codeOf, messageOf } from "../log/system-error.ts";

/** One line; only what nobody foresaw comes with its stack. */
export function explain(error: unknown): string {
  if (error instanceof SettingsError || error instanceof DocumentError) {
    return printable(error.message);
  }
  if (error instanceof StoreError) {
    return printable([error.message, error.hint].filter(Boolean).join(". "));
  }
  if (codeOf(error) !== undefined) return printable(messageOf(error));
  return (error instanceof Error ? error.stack : undefined) ?? messageOf(error);
}
