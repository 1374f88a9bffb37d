/**
 * GET /api/backup (contract part 3): everything, of one moment, as one JSON document: the very one
 * that store.json is (store/document.ts); with `?follow=true` all that comes after it too
 * (followers.ts). `resources/document-reader.ts` reads both back.
 */

import { Buffer } from "node:buffer";
import { documentFormat, documentPieces, type Moment } from "../store/document.ts";
import { type Answer, jsonType, noStore, type Stream } from "../http/answer.ts";
import { oneOf, type QueryParameter } from "../http/query.ts";
import type { Request } from "../http/request.ts";
import type { Operation, Route } from "../http/route.ts";
import type { Kind } from "../resources/kind.ts";
import { closedObject, lineMembers, storedSchema, timeSchema } from "../resources/schemas.ts";
import type { Store } from "../store/store.ts";
import type { Followers } from "./followers.ts";
import { storedShopSchema } from "./shop.ts";

const ndjsonType = "application/x-ndjson";

export interface BackupOptions {
  readonly store: Store;
  readonly kinds: readonly Kind[];
  readonly followers: Followers;
}

/** GET /api/backup. */
export function backupRoutes({ store, kinds, followers }: BackupOptions): readonly Route[] {
  const handle = ({ query, caller }: Request): Answer =>
    query.get(follow) === true
      ? followAnswer(followers.follow(caller))
      : backupAnswer(store.moment());
  const operation = backupOperation(kinds);
  return [
    { method: "GET", path: "/api/backup", rule: "reader", query: [follow], handle, operation },
  ];
}

function backupAnswer(moment: Moment): Answer {
  // A colon is no character for a file's name everywhere.
  const name = `forno-backup-${moment.takenAt.slice(0, 19).replaceAll(":", "-")}Z.json`;
  return {
    status: 200,
    headers: [
      ...["Content-Type", jsonType],
      ...["Content-Disposition", `attachment; filename="${name}"`],
      ...noStore,
    ],
    body: copies(documentPieces(moment)),
  };
}

function followAnswer(body: Stream): Answer {
  const headers = ["Content-Type", ndjsonType, ...noStore, "X-Accel-Buffering", "no"];
  // At its end there is nothing that the connection could be kept for.
  return { status: 200, headers, closes: true, body };
}

/** Pieces to keep: a socket may hold several. */
function* copies(pieces: Iterable<Buffer>): Generator<Uint8Array> {
  for (const piece of pieces) yield Buffer.from(piece);
}

const follow: QueryParameter<boolean> = {
  name: "follow",
  description: "Whether what is written from now on follows.",
  schema: { type: "boolean", default: false },
  ...oneOf({ true: true, false: false }),
};

const number = { type: "integer", minimum: 0 };

function backupOperation(kinds: readonly Kind[]): Operation {
  const lists = kinds.map((kind) => [kind.name, { type: "array", items: storedSchema(kind) }]);
  const schema = closedObject({
    forno: { type: "integer", description: `The version of the format: ${documentFormat}.` },
    seq: { ...number, description: "The number of the last record of the journal in it." },
    lastChange: { ...number, description: "The number of the last event in it." },
    takenAt: timeSchema,
    shop: storedShopSchema,
    ...Object.fromEntries(lists),
    crc: lineMembers["crc"],
  });
  return {
    id: "getBackup",
    tag: { name: "service", description: "The service itself." },
    summary: "The whole store",
    description:
      "One JSON document, of one moment, that `restore.js` and `MENU_FILE` read back. With " +
      "`follow=true` it does not end: after the document comes every write as it becomes " +
      "durable, a record of the journal a line, and an empty line every 15 s.",
    success: {
      description: "Everything that is stored.",
      content: {
        "application/json": { $component: "schemas/Backup", ...schema },
        [ndjsonType]: { type: "string" },
      },
    },
  };
}
