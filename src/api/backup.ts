/**
 * GET /api/backup (contract parts 3 and 6): a document of the whole store (store/document.ts). With
 * `?follow=true` every later journal record follows as it becomes durable. With `&after=SEQ` only
 * the records after SEQ are sent, as long as the server still has them in memory.
 */

import { Buffer } from "node:buffer";
import { jsonType, noStore, type Response } from "../http/response.ts";
import { oneOf, type QueryParameter } from "../http/query.ts";
import type { Request } from "../http/request.ts";
import type { Operation, Route } from "../http/route.ts";
import { Problem } from "../problems/problem.ts";
import { timeField } from "../resources/field.ts";
import { allKinds } from "../resources/kinds.ts";
import { documentFormat, documentPieces } from "../store/document.ts";
import { firstIndex } from "../store/rows.ts";
import type { Store } from "../store/store.ts";
import type { Moment } from "../store/tables.ts";
import type { Feed, Piece, Source, Subscription } from "./feed.ts";
import { serviceTag } from "./openapi-info.ts";
import { closedObject, lineMemberSchemas, storedSchema } from "./schemas.ts";

interface BackupOptions {
  readonly store: Store;
  readonly feed: Feed;
  readonly records: RecentRecords;
}

export function backupRoute({ store, feed, records }: BackupOptions): Route {
  return {
    method: "GET",
    path: "/api/backup",
    rule: "reader",
    query: [follow, after],
    handle({ query, caller }: Request): Response {
      const resumeAfter = query.get(after);
      if (query.get(follow) !== true) {
        if (resumeAfter !== undefined) throw withoutFollow();
        return backupResponse(store.moment());
      }
      return {
        status: 200,
        headers: ["Content-Type", ndjsonType, ...noStore, "X-Accel-Buffering", "no"],
        body: feed.subscribe(() => ({
          ...copyOf(store, records, resumeAfter),
          source: records,
          heartbeat: "\n",
          caller,
        })),
      };
    },
    operation: backupOperation(),
  };
}

function withoutFollow(): Problem {
  const detail = "expected follow=true too: after is the last record that a followed copy has";
  const errors = [{ parameter: "after", detail }];
  return new Problem("invalid-query", `after: ${detail}`, { errors });
}

function backupResponse(moment: Moment): Response {
  // Some file systems do not allow a colon in a name.
  const name = `forno-backup-${moment.takenAt.slice(0, 19).replaceAll(":", "-")}Z.json`;
  return {
    status: 200,
    headers: [
      ...["Content-Type", jsonType],
      ...["Content-Disposition", `attachment; filename="${name}"`],
      ...noStore,
    ],
    body: documentPieces(moment),
  };
}

/** Ends the last line of an interrupted copy, to which the client appends the response. */
const lineEnd = Buffer.from("\n");

/** Begins a followed copy after the client's last record if possible, else with a document. */
function copyOf(
  store: Store,
  records: RecentRecords,
  resumeAfter: number | undefined,
): Pick<Subscription, "opening" | "needsOpening" | "position"> {
  const moment = store.moment();
  records.start(moment.seq);
  if (resumeAfter !== undefined && records.after(resumeAfter) !== "unknown") {
    return { opening: [lineEnd], needsOpening: false, position: resumeAfter };
  }
  const opening = function* (): Generator<Uint8Array> {
    if (resumeAfter !== undefined) yield lineEnd;
    yield* documentPieces(moment);
  };
  // A part of a document cannot be restored.
  return { opening: opening(), needsOpening: true, position: moment.seq };
}

/** The records of some twenty thousand writes. */
const keptBytesLimit = 16_777_216;

interface Batch {
  /** The seq of the last record. */
  readonly last: number;
  readonly lines: Buffer;
}

/** The newest journal lines, byte for byte, for clients that follow. */
export class RecentRecords implements Source {
  /** Every record with a higher seq is in memory; undefined until the first client follows. */
  #floor: number | undefined;
  readonly #batches: Batch[] = [];
  #bytes = 0;

  /** Starts to collect records, if it has not. `last`: the seq of the last record so far. */
  start(last: number): void {
    this.#floor ??= last;
  }

  /** Adds a durable batch. Copies the bytes, which are valid only during the call. */
  add(lines: Buffer): void {
    if (this.#floor === undefined) return;
    this.#batches.push({ last: lastSeq(lines), lines: Buffer.from(lines) });
    this.#bytes += lines.length;
    while (this.#bytes > keptBytesLimit) {
      const oldest = this.#batches.shift();
      if (oldest === undefined) return;
      this.#bytes -= oldest.lines.length;
      this.#floor = oldest.last;
    }
  }

  after(position: number): Piece | "unknown" | undefined {
    const last = this.#batches.at(-1)?.last ?? this.#floor;
    if (this.#floor === undefined || last === undefined) return "unknown";
    if (position < this.#floor || position > last) return "unknown";
    const index = firstIndex(this.#batches, (batch) => batch.last > position);
    const batch = this.#batches[index];
    if (batch === undefined) return undefined;
    const first = this.#batches[index - 1]?.last ?? this.#floor;
    return { bytes: withoutLines(batch.lines, position - first), last: batch.last };
  }
}

const beforeSeq = '{"seq":'.length;

function lastSeq(lines: Buffer): number {
  const start = lines.lastIndexOf("\n", lines.length - 2) + 1 + beforeSeq;
  return Number(lines.toString("latin1", start, lines.indexOf(",", start)));
}

/** Skips the first `count` lines. The seq rises by one from line to line. */
function withoutLines(lines: Buffer, count: number): Buffer {
  let start = 0;
  for (let line = 0; line < count; line += 1) start = lines.indexOf("\n", start) + 1;
  return lines.subarray(start);
}

const ndjsonType = "application/x-ndjson";

const follow: QueryParameter<boolean> = {
  name: "follow",
  description: "Whether every later write follows the document.",
  schema: { type: "boolean", default: false },
  ...oneOf({ true: true, false: false }),
};

const after: QueryParameter<number> = {
  name: "after",
  description: "With `follow=true`: the `seq` of the last record that the client has.",
  schema: { type: "integer", format: "int64", minimum: 0 },
  parse: (text) => (/^\d{1,15}$/.test(text) ? Number(text) : undefined),
  expected: "the seq of a record, a whole number",
};

const number = { type: "integer", format: "int64", minimum: 0 };
const text = { type: "string" };

/** A line of a followed copy. */
const recordSchema = {
  $component: "schemas/Record",
  ...closedObject({
    seq: { ...number, description: "Rises by one from record to record." },
    after: { ...number, description: "Every record up to this one was on disk before." },
    event: { ...text, description: "`orders.created` and so on, or `store.mark`." },
    data: {
      type: "object",
      description:
        "The resource as in a backup, without `crc`. If it was deleted, only its `id`. In a " +
        "mark, `at` is the time when everything up to `after` was on disk.",
    },
    crc: lineMemberSchemas["crc"],
  }),
  description: "A write, as the journal has it.",
};

function backupOperation(): Operation {
  const lists = allKinds.map((kind) => {
    const items = storedSchema(kind);
    return [kind.name, kind.singleton === undefined ? { type: "array", items } : items];
  });
  const schema = closedObject({
    forno: { type: "integer", description: `The version of the format: ${documentFormat}.` },
    seq: { ...number, description: "The number of the journal's last record in it." },
    lastChange: { ...number, description: "The number of the last event in it." },
    takenAt: timeField.schema,
    ...Object.fromEntries(lists),
    crc: lineMemberSchemas["crc"],
  });
  return {
    id: "getBackup",
    tag: serviceTag,
    summary: "The whole store",
    description:
      "One JSON document, of one moment. `restore.js` reads it back.\n\nWith `follow=true` the " +
      "response does not end: after the document comes every write as it becomes durable, one " +
      "record per line, and an empty line every 15 s.\n\nWith `after` too, the first line is " +
      "empty. If the server still has the records after that one in memory, it sends them; " +
      "otherwise it sends the whole document again. The next line says which: a document begins " +
      "with a line that is only `{`, a record with `{\"seq\":`.",
    success: {
      description: "Everything that is stored.",
      content: {
        "application/json": { $component: "schemas/Backup", ...schema },
        [ndjsonType]: {
          ...text,
          contentMediaType: "application/json",
          contentSchema: recordSchema,
        },
      },
    },
  };
}
