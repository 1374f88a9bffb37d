/** `--check FILE`: what a copy of a store holds. It changes nothing. */

import { storedKinds } from "../resources/kinds.ts";
import { diskFileSystem } from "../store/file-system.ts";
import { readStore } from "../store/reading.ts";
import { Tables } from "../store/tables.ts";
import { contentsOf } from "./contents.ts";

/** Resolves to lines of text. Rejects with StoreError for a damaged file, or with Node's error. */
export async function checkFile(path: string): Promise<string> {
  const tables = new Tables(storedKinds);
  const file = await diskFileSystem.open(path);
  try {
    const { torn } = await readStore(file, tables, path);
    const held = `${path} holds ${contentsOf(tables)}.\n`;
    if (torn === undefined) return held;
    const { line, bytes, ids } = torn;
    const named = ids.length === 0 ? "" : `, with ${ids.join(", ")}`;
    const end = `From line ${line} on, ${bytes} bytes are a torn end${named}`;
    return `${held}${end}: a start cuts it off.\n`;
  } finally {
    await file.close();
  }
}
