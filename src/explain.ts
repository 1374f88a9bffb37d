/** What an operator is told of a command that could not do its work: one line, with the cure. */

import { DocumentError } from "./documents/document-error.ts";
import { SettingsError } from "./settings.ts";
import { StoreError } from "./store/store-error.ts";
import { codeOf, messageOf } from "./system-error.ts";

/** One line; only what nobody foresaw comes with its stack. */
export function explain(error: unknown): string {
  if (error instanceof SettingsError || error instanceof DocumentError) {
    return oneLine(error.message);
  }
  if (error instanceof StoreError) {
    return oneLine([error.message, error.hint].filter(Boolean).join(". "));
  }
  if (codeOf(error) !== undefined) return oneLine(messageOf(error));
  return (error instanceof Error ? error.stack : undefined) ?? messageOf(error);
}

/** Whatever a path or a document holds, it breaks no line and commands no terminal. */
function oneLine(text: string): string {
  return text.replaceAll(
    /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
