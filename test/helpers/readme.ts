/** The project's documents as their tests read them: fenced blocks, in their order. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The project's folder. */
export const root: string = fileURLToPath(new URL("../../", import.meta.url));

export interface Block {
  /** The word after the fence: "sh", "json". */
  readonly language: string;
  readonly text: string;
}

/** The fenced blocks of a document. `path`: from the project's folder. */
export function blocksOf(path: string): Block[] {
  const text = readFileSync(join(root, path), "utf8");
  const fences = text.matchAll(/^```(\w*)\n([^]*?)^```$/gm);
  return Array.from(fences, ([, language = "", block = ""]) => ({ language, text: block }));
}
