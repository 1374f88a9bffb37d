/**
 * Reads a backup or a menu into an empty store (contract part 1), all of it or nothing.
 * A mistake is one line on stderr and exit code 1.
 */

import { parseOptions, runCommand, UsageError } from "./command.ts";
import { readDocument } from "../documents/document.ts";
import { kindsFor, storedKindsFor } from "../pizzeria/kinds.ts";
import { createLog } from "../log/log.ts";
import { readSettings } from "../settings.ts";
import { fillStore, openStore, type OpenOptions } from "../store/opening.ts";
import { StoreError } from "../store/store-error.ts";
import type { NewResource } from "../store/whole-journal.ts";

const usage = "node dist/restore.js FILE";

const help = `Reads a backup, or a menu, into the store in DATA_DIR.

  ${usage}

The store must be empty, and no server may be running on it. Either all of FILE is in it
afterwards, or nothing. FILE is what GET /api/backup answers, or a document such as
{"toppings": [...], "pizzasizes": [...], "beverages": [...], "orders": [...]}.`;

async function run(args: readonly string[]): Promise<string> {
  const { file, wantsHelp } = parseCommand(args);
  if (wantsHelp) return help;
  const { dataDir } = readSettings(process.env);
  const kinds = kindsFor("public");
  const counts = new Map(kinds.map(({ name }) => [name, 0]));
  const log = createLog({ level: "info", terminal: process.stderr.isTTY === true, fd: 2 });
  const options = { folder: dataDir, kinds: storedKindsFor("public"), log };
  await fillStore(options, counted(readDocument(file, kinds), counts));
  await writeFiles(options);
  const list = [...counts].map(([name, count]) => `${count} ${name}`).join(", ");
  return `restored ${list} into ${dataDir}`;
}

/** From the journal into the files that a person reads; the next to open the store does it too. */
async function writeFiles(options: OpenOptions): Promise<void> {
  try {
    const store = await openStore(options);
    await store.snapshot();
    await store.close();
  } catch (error) {
    if (!(error instanceof StoreError && error.code === "locked")) throw error;
  }
}

function* counted(
  content: Iterable<NewResource>,
  counts: Map<string, number>,
): Generator<NewResource> {
  for (const resource of content) {
    counts.set(resource.kind, (counts.get(resource.kind) ?? 0) + 1);
    yield resource;
  }
}

function parseCommand(args: readonly string[]): { file: string; wantsHelp: boolean } {
  const { values, positionals } = parseOptions(args, { help: { type: "boolean", short: "h" } });
  const [file = "", ...others] = positionals;
  const wantsHelp = values.help === true;
  if (!wantsHelp && file === "") throw new UsageError("expected a FILE to restore, got none");
  if (others.length > 0) {
    throw new UsageError(`expected one FILE to restore, got ${positionals.length}`);
  }
  return { file, wantsHelp };
}

await runCommand(usage, run);
