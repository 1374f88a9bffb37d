/** A line for each thing that this device has done, and its undo for ten seconds. */

import type { BoardOrder } from "./cards.ts";
import { set, state } from "./store.ts";

export interface UndoLine {
  readonly key: number;
  readonly text: string;
  readonly undo: (() => void) | undefined;
  /** The orders as they were before. One that has left its place there keeps it for the line. */
  readonly before: readonly BoardOrder[];
}

const shownForMs = 10_000;
const maxLines = 3;

const last = { key: 0 };

export function notify(
  text: string, undo?: () => void, before: readonly BoardOrder[] = [],
): void {
  const key = last.key += 1;
  set({ undoLines: [...state().undoLines, { key, text, undo, before }].slice(-maxLines) });
  setTimeout(() => { dropLine(key); }, shownForMs);
}

/** Before its ten seconds are over. */
export function dropLine(key: number): void {
  set({ undoLines: state().undoLines.filter((line) => line.key !== key) });
}
