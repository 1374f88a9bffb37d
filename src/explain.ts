/** What an operator is told of a command that could not do its work: one line, with the cure. */

import { DocumentError } from "./handlers/document-error.ts";
import { SettingsError } from "./settings.ts";
import { StoreError } from "./store/store-error.ts";
import { codeOf, messageOf } from "./system-error.ts";

/** Only what nobody foresaw comes with its stack. */
export function explain(error: unknown): string {
  if (error instanceof SettingsError || error instanceof DocumentError) return error.message;
  if (error instanceof StoreError) return [error.message, error.hint].filter(Boolean).join(". ");
  if (codeOf(error) !== undefined) return messageOf(error);
  return (error instanceof Error ? error.stack : undefined) ?? messageOf(error);
}
