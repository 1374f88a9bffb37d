/** Opens a store on what a crash left, and says what is wrong with it. */

import { Buffer } from "node:buffer";
import { hash } from "node:crypto";
import { openStore } from "../../src/store/opening.ts";
import type { Store } from "../../src/store/store.ts";
import type { Files } from "../helpers/crash-states.ts";
import { SimulatedDisk } from "../helpers/simulated-disk.ts";
import { orders, thing, toppings } from "../helpers/things.ts";
import { clock, crashStoreOptions, type Moment } from "./crash-load.ts";
import { contentText } from "./ledger.ts";

/** The result of a start on some files. */
export interface Outcome {
  readonly content: string;
  readonly lastSeq: number;
  /** The file after the start. */
  readonly file: Buffer;
  /** A fault that does not depend on the writes before. */
  readonly fault: string | undefined;
}

/** Opens a store on the files, lets it take a write, and opens it again. */
export async function tryFiles(files: Files): Promise<Outcome> {
  const disk = new SimulatedDisk(files);
  clock.now = 40_000_000;
  try {
    const store = await openStore(crashStoreOptions(disk));
    const content = contentText(store);
    const lastSeq = store.history.last;
    const file = disk.files().get("store.ndjson") ?? Buffer.alloc(0);
    const fault = faultOfOrder(store) ?? (await faultAfterWriting(store, disk));
    return { content, lastSeq, file, fault };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { content: "", lastSeq: 0, file: Buffer.alloc(0), fault: `it does not open: ${message}` };
  }
}

/** The fault of the outcome at a moment. */
export function faultOf(
  { content, lastSeq, file, fault }: Outcome,
  expected: Pick<Moment, "acceptable" | "lastSeq" | "sent">,
): string | undefined {
  if (fault !== undefined) return fault;
  if (!expected.acceptable.has(content)) {
    const acceptable = [...expected.acceptable].join("\nor\n");
    return `it holds what it should not:\n${content}\ninstead of\n${acceptable}`;
  }
  const headerEnd = file.indexOf("\n");
  const hasSameHeader = expected.sent.indexOf(file.subarray(0, headerEnd)) === 0;
  if (hasSameHeader && file.indexOf(expected.sent) !== 0) return "what a reader has was changed";
  if (lastSeq >= expected.lastSeq) return undefined;
  return `its changes end at ${lastSeq}, and ${expected.lastSeq} was answered`;
}

function faultOfOrder(store: Store): string | undefined {
  for (const kind of [toppings, orders]) {
    const seqs = Array.from(store.rows(kind), ({ seq }) => seq);
    const isRising = seqs.every((seq, index) => seq > (seqs[index - 1] ?? 0));
    if (!isRising) return "a list is not in the order of seq";
  }
  return undefined;
}

async function faultAfterWriting(store: Store, disk: SimulatedDisk): Promise<string | undefined> {
  await store.write(orders, "after", () => thing("after"));
  const written = contentText(store);
  await store.close();
  clock.now = 50_000_000;
  const again = await openStore(crashStoreOptions(disk));
  const found = contentText(again);
  await again.close();
  if (found !== written) return `opened again it holds\n${found}\ninstead of\n${written}`;
  const names = [...disk.files().keys()];
  if (names.length !== 1) return `the folder has ${names.join(", ")}`;
  return disk.openFiles > 0 ? `${disk.openFiles} files are left open` : undefined;
}

/** By durable content, which is the same object in many states. */
const digests = new WeakMap<Buffer, string>();

/** The same for the same files. */
export function hashOf(files: Files): string {
  const parts = [...files].map(([name, content]) => `${name} ${digestOf(content)}`);
  return parts.sort().join("\n");
}

function digestOf(content: Buffer): string {
  const known = digests.get(content);
  if (known !== undefined) return known;
  const digest = hash("sha1", content, "base64");
  digests.set(content, digest);
  return digest;
}
