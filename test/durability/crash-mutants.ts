/**
 * Every fsync of the store, and the rename of its document, by a name, and how to recognise it:
 * each is left out in turn.
 */

import type { Call } from "../helpers/simulated-disk.ts";

export interface Mutant {
  readonly name: string;
  /** Where it shows: in the load, or only at a start upon what a killed process left. */
  readonly in: "load" | "restart";
  readonly lies: (call: Call) => boolean;
}

const isJournal = (name: string): boolean => /^journal-\d+\.ndjson$/.test(name);

function isFileSync(call: Call, isFile: (name: string) => boolean, previous: RegExp): boolean {
  return call.operation === "sync" && isFile(call.name) && previous.test(history(call.previous));
}

function isFolderSync(call: Call, isFile: (name: string) => boolean, previous: RegExp): boolean {
  if (call.operation !== "syncFolder") return false;
  return isFile(call.previous?.name ?? "") && previous.test(call.previous?.operation ?? "none");
}

/** The last two operations, such as "create write"; a write of a mark is a "mark". */
function history(call: Call | undefined): string {
  const operations = [call?.previous, call].map((one) => {
    const isMark = /^[^\n]*"store\.mark"[^\n]*\n$/.test(String(one?.bytes ?? ""));
    return one?.operation === "write" && isMark ? "mark" : (one?.operation ?? "none");
  });
  return operations.join(" ");
}

/** Whether the file has had another name, before what is there now was made. */
function wasRenamed(call: Call | undefined): boolean {
  return call !== undefined && (call.operation === "rename" || wasRenamed(call.previous));
}

export const mutants: readonly Mutant[] = [
  {
    name: "a batch's",
    in: "load",
    lies: (call) => isFileSync(call, isJournal, /(?<!create) write$/),
  },
  {
    name: "an undone batch's",
    in: "load",
    lies: (call) => isFileSync(call, isJournal, /(write|mark) truncate$/),
  },
  {
    name: "the one of a mark before the next journal",
    in: "load",
    lies: (call) => isFileSync(call, isJournal, /mark$/),
  },
  {
    name: "a header's",
    in: "load",
    lies: (call) => isFileSync(call, isJournal, /create write$/),
  },
  {
    name: "the folder's after a journal was made",
    in: "load",
    lies: (call) => isFolderSync(call, isJournal, /create/),
  },
  {
    name: "the document's",
    in: "load",
    lies: (call) => isFileSync(call, (name) => name === "store.json.tmp", /./),
  },
  {
    name: "the document's rename",
    in: "load",
    // Without the first one there is no store.
    lies: (call) =>
      call.operation === "rename" && call.name === "store.json.tmp" && wasRenamed(call.previous),
  },
  {
    name: "the folder's after the document was renamed",
    in: "load",
    lies: (call) => isFolderSync(call, (name) => name === "store.json.tmp", /rename/),
  },
  {
    name: "the folder's between two removals of journals",
    in: "load",
    lies: (call) => isFolderSync(call, isJournal, /remove/),
  },
  {
    name: "a start's of the journals that it copies",
    in: "restart",
    lies: (call) => isFileSync(call, (name) => name.endsWith(".ndjson.tmp"), /./),
  },
  {
    name: "a start's of the last journal",
    in: "restart",
    lies: (call) => isFileSync(call, isJournal, /open$/),
  },
  {
    name: "a start's of the folder, for the journals that it copied",
    in: "restart",
    lies: (call) => isFolderSync(call, (name) => name.endsWith(".ndjson.tmp"), /rename/),
  },
];
