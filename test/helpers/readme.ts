/** README.md as its tests read it: sections, tables, fenced blocks and the commands in those. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The project's folder. */
export const root: string = fileURLToPath(new URL("../../", import.meta.url));
export const readme: string = readFileSync(join(root, "README.md"), "utf8");

/** The text under a heading, up to the next of the same rank. */
export function section(heading: string): string {
  const [, text = ""] = readme.split(new RegExp(`^## ${heading}$`, "m"));
  assert.notEqual(text, "", `no section "${heading}"`);
  return text.split(/^## /m)[0] ?? "";
}

/** The content of the fenced blocks of one language. */
export function blocks(language: string): string[] {
  const fences = readme.matchAll(/^```(\w*)\n([^]*?)^```$/gm);
  return [...fences].flatMap(([, label, text = ""]) => (label === language ? [text] : []));
}

export interface Command {
  readonly text: string;
  /** What it prints. */
  readonly expected: string;
}

/** `$ command`, its further lines after `> `, then what it prints. */
export function commandsIn(block: string): Command[] {
  const commands = block.split(/^\$ /m).slice(1);
  return commands.map((text) => {
    const lines = text.split("\n");
    const end = lines.findIndex((line, index) => index > 0 && !line.startsWith("> "));
    const [first = "", ...further] = lines.slice(0, end);
    return {
      text: [first, ...further.map((line) => line.slice(2))].join("\n"),
      expected: lines.slice(end).join("\n"),
    };
  });
}
