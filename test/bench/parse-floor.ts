/**
 * The floor under start-up: reads every line of a data folder and hands it to JSON.parse, keeping
 * what comes out by its id and checking nothing. Says by IPC when it has done so.
 */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const kept = new Map<unknown, unknown>();

function parseFile(file: string): void {
  const bytes = readFileSync(file);
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline < 0 ? bytes.length : newline;
    parseLine(bytes.toString("utf8", start, end));
    start = end + 1;
  }
}

/** The object in a line of a snapshot or journal, whatever stands around it. */
function parseLine(line: string): void {
  const [open, close] = [line.indexOf("{"), line.lastIndexOf("}")];
  if (open < 0 || close < open) return;
  const value = JSON.parse(line.slice(open, close + 1)) as { id?: unknown };
  kept.set(value.id, value);
}

const folder = process.argv[2] ?? ".";
for (const entry of readdirSync(folder, { withFileTypes: true })) {
  if (entry.isFile()) parseFile(join(folder, entry.name));
}
process.send?.({ kept: kept.size });
