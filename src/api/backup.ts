/**
 * GET /api/backup (contract parts 3 and 6): the store's file as it is. A client that has its first
 * N bytes asks for the rest, with `Range: bytes=N-` and the tag of those bytes in `If-Range`.
 */

import { conditional } from "../http/etag.ts";
import type { Request } from "../http/request.ts";
import { type HeaderList, noStore, type Response } from "../http/response.ts";
import type { Route } from "../http/router.ts";
import { Problem } from "../problems/problem.ts";
import type { Store } from "../store/store.ts";
import type { StoreFile } from "../store/store-file.ts";
import type { Services } from "./services.ts";

export function backupRoute({ store }: Services): Route {
  return {
    method: "GET",
    path: "/api/backup",
    rule: "reader",
    handle: (request) => backupResponse(request, store),
  };
}

async function backupResponse(request: Request, { file }: Store): Promise<Response> {
  // Later writes do not change these bytes.
  const { length } = file;
  const tag = await file.tag(length);
  const headers = ["ETag", tag, "Accept-Ranges", "bytes", ...noStore, ...fileHeaders()];
  const whole = conditional({ status: 200, headers }, request.headers);
  if (whole.status === 304) return whole;
  const start = await startOfRange(request, file, length);
  if (start === undefined) {
    headers.push("Content-Length", `${length}`);
    return { status: 200, headers, body: file.pieces(0, length) };
  }
  if (start >= length) {
    const detail = `the range begins at byte ${start}, and there are ${length} bytes`;
    throw new Problem("range-not-satisfiable", detail, {
      headers: { "Content-Range": `bytes */${length}`, ETag: tag },
    });
  }
  headers.push("Content-Length", `${length - start}`);
  headers.push("Content-Range", `bytes ${start}-${length - 1}/${length}`);
  return { status: 206, headers, body: file.pieces(start, length) };
}

function fileHeaders(): HeaderList {
  // Some file systems do not allow a colon in a name.
  const time = new Date().toISOString().slice(0, 19).replaceAll(":", "-");
  const name = `forno-backup-${time}Z.ndjson`;
  return [
    ...["Content-Type", "application/x-ndjson"],
    ...["Content-Disposition", `attachment; filename="${name}"`],
  ];
}

/**
 * The offset from which the client needs the file; undefined if it gets the whole file. Without
 * If-Range the bytes of two files could be mixed, and a tag says nothing about bytes after its
 * length.
 */
async function startOfRange(
  { method, headers: { range = "", "if-range": ifRange } }: Request,
  file: StoreFile,
  length: number,
): Promise<number | undefined> {
  const [, digits] = /^bytes=(\d{1,15})-$/i.exec(range) ?? [];
  if (method !== "GET" || digits === undefined || typeof ifRange !== "string") return undefined;
  const known = await file.lengthIn(ifRange);
  const start = Number(digits);
  return known !== undefined && (start <= known || known >= length) ? start : undefined;
}
