/** A field holds what is typed to its end, or not at all: a part may say another thing. */

import { longestName } from "../../resources/limits.ts";
import { t } from "../shared/words.ts";
import { set } from "./store.ts";
import { oneLine, roomIn } from "./typed-text.ts";

/** The text, unless it is longer than the service takes. Then the one before, with a word. */
export function typedOrBefore(text: string, before: string): string {
  const line = oneLine(text);
  if (roomIn(line) >= 0) return line;
  const message = t("There is room for {number} letters.", { number: longestName });
  // After the press or the paste, whose own change clears the message.
  queueMicrotask(() => { set({ message }); });
  return before;
}
