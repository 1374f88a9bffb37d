/**
 * GET /api/backup (contract parts 3 and 6): the store's file as it is. With `?follow=true` every
 * later line follows as it becomes durable. With `&after=SEQ` it begins after that change, if the
 * file still has it, and otherwise with the header again.
 */

import { noStore, type Response } from "../http/response.ts";
import { invalidQuery, oneOf, type QueryParameter } from "../http/query.ts";
import type { Request } from "../http/request.ts";
import type { Route } from "../http/route.ts";
import type { Store } from "../store/store.ts";
import type { StoreFile } from "../store/store-file.ts";
import type { Piece } from "./feed.ts";
import type { Services } from "./services.ts";

export function backupRoute({ store, feed }: Services): Route {
  return {
    method: "GET",
    path: "/api/backup",
    rule: "reader",
    query: [follow, after],
    handle({ query, caller }: Request): Response {
      const resumeAfter = query.get(after);
      if (query.get(follow) !== true) {
        if (resumeAfter !== undefined) {
          const detail = "expected follow=true too: after is the last change of a followed copy";
          throw invalidQuery([{ parameter: "after", detail }]);
        }
        return backupResponse(store);
      }
      return {
        status: 200,
        headers: ["Content-Type", ndjsonType, ...noStore, "X-Accel-Buffering", "no"],
        body: feed.subscribe(() => {
          return { pieces: copy(store, resumeAfter), heartbeat: "\n", caller };
        }),
      };
    },
  };
}

/** The file up to now. */
function backupResponse({ file }: Store): Response {
  const { length } = file;
  // Some file systems do not allow a colon in a name.
  const time = new Date().toISOString().slice(0, 19).replaceAll(":", "-");
  const name = `forno-backup-${time}Z.ndjson`;
  return {
    status: 200,
    headers: [
      ...["Content-Type", ndjsonType, "Content-Length", `${length}`],
      ...["Content-Disposition", `attachment; filename="${name}"`],
      ...noStore,
    ],
    body: piecesOf(file, length),
  };
}

/** The first `length` bytes. */
async function* piecesOf(file: StoreFile, length: number): AsyncGenerator<Buffer, void> {
  const reader = file.reader();
  try {
    for (let left = length; left > 0; ) {
      const piece = await reader.read(left);
      if (piece === undefined) throw new Error("the file is shorter than it was");
      left -= piece.length;
      yield piece;
    }
  } finally {
    await reader.close();
  }
}

/** Ends the last line of an interrupted copy, to which the client appends the response. */
const lineEnd = Buffer.from("\n");

/** Begins after the client's last change if the file has it, else with the header. */
async function* copy(store: Store, resumeAfter?: number): AsyncGenerator<Piece, void> {
  if (resumeAfter !== undefined) yield lineEnd;
  const resumed =
    resumeAfter === undefined ? undefined : await store.file.readerAfter(resumeAfter);
  // Not of the file that was searched, which a rewrite may have replaced meanwhile.
  const reader = resumed ?? store.file.reader();
  try {
    for (;;) yield await reader.read();
  } finally {
    await reader.close();
  }
}

const ndjsonType = "application/x-ndjson";

const follow: QueryParameter<boolean> = {
  name: "follow",
  ...oneOf({ true: true, false: false }),
};

const after: QueryParameter<number> = {
  name: "after",
  parse: (text) => (/^\d{1,15}$/.test(text) ? Number(text) : undefined),
  expected: "the seq of a change, a whole number",
};
