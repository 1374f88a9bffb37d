/** Texts that people write, as the service takes them (contract part 2). Pure values. */

import { longestName } from "../../resources/limits.ts";
import { isVisible } from "../../resources/text.ts";

/** How many more letters there is room for, as the service counts them. */
export function roomIn(text: string): number {
  return longestName - [...text].length;
}

/** The text in one line, of whole letters. A field shows it so, and so it is sent. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cs}\u2028\u2029]/gu, " ");
}

/** "" for a text that is longer than the service takes: a part of it may say another thing. */
export function wholeOrEmpty(text: string): string {
  const line = oneLine(text);
  return roomIn(line) < 0 ? "" : line;
}

/** A text as it is sent: "" for one that nobody can see. */
export function textSent(text: string): string {
  return visibleOrEmpty(text).trim();
}

/** "" for a text that nobody can see: the service refuses it. */
export function visibleOrEmpty(text: string): string {
  return isVisible(text) ? text : "";
}
