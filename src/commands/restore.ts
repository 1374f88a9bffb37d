/**
 * `node dist/restore.js FILE` reads a backup or a menu into an empty store, all of it or nothing
 * (contract part 1). A mistake is one line on stderr and exit code 1.
 */

import { parseArgs } from "node:util";
import { plural, runCommand, UsageError } from "./command.ts";
import { listedKinds, storedKinds } from "../resources/kinds.ts";
import { createLog } from "../log/log.ts";
import { readSettings } from "../settings.ts";
import { fillStore } from "../store/opening.ts";
import { readDocumentFile, type Restored } from "../store/restoring.ts";

const usage = "node dist/restore.js FILE";

const help = `Reads a backup, or a menu, into the store in DATA_DIR.

  ${usage}

The store must be empty, and no server may be running on it. Either all of FILE is in it
afterwards, or nothing. FILE is what GET /api/backup answers, with ?follow=true too, or a
store.json, or a document such as
{"toppings": [...], "pizzasizes": [...], "beverages": [...], "orders": [...]}.`;

async function run(args: readonly string[]): Promise<string> {
  const options = { help: { type: "boolean", short: "h" } } as const;
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
  if (values.help === true) return help;
  const [file] = positionals;
  if (file === undefined) throw new UsageError("expected a FILE to restore, got none");
  if (positionals.length > 1) {
    throw new UsageError(`expected one FILE to restore, got ${positionals.length}`);
  }
  const { dataDir } = readSettings(process.env);
  const log = createLog({ level: "info", terminal: process.stderr.isTTY === true, fd: 2 });
  const restored = await readDocumentFile(file, storedKinds);
  await fillStore({ folder: dataDir, kinds: storedKinds, log }, restored);
  const counts = listedKinds.map((kind) => plural(restored.tables.of(kind).length, kind.label));
  return `restored ${counts.join(", ")} into ${dataDir}${notesOn(restored)}`;
}

/** The document's time, a cut record at its end, and missing lists. */
function notesOn({ asOf, missing, bytesLeftOut }: Restored): string {
  const time = asOf === "" ? "" : `, as of ${asOf}`;
  const cut =
    bytesLeftOut === 0
      ? ""
      : `; left out the last ${plural(bytesLeftOut, "byte")}, which are not a whole record`;
  return time + cut + (missing.length === 0 ? "" : `; the file has no ${missing.join(", no ")}`);
}

await runCommand(usage, run);
