/** GET /api/backup (contract parts 3 and 6): the store's file as it is at this moment. */

import { isKnown } from "../http/etag.ts";
import type { Request } from "../http/request.ts";
import { noStore, type Response } from "../http/response.ts";
import type { Route } from "../http/router.ts";
import type { Store } from "../store/store.ts";
import type { Services } from "./services.ts";

export function backupRoute({ store }: Services): Route {
  return {
    method: "GET",
    path: "/api/backup",
    rule: "reader",
    handle: (request) => backupResponse(request, store),
  };
}

function backupResponse({ headers: asked }: Request, { file, history }: Store): Response {
  // Later writes do not change these bytes.
  const { length } = file;
  const headers = { ...noStore, "Content-Disposition": disposition() };
  // The file of a restored backup may be as long, and then ends with another change.
  const etag = `"${history.last}-${length}"`;
  if (isKnown(etag, asked)) return { status: 304, etag, headers };
  return {
    status: 200,
    type: "application/x-ndjson",
    etag,
    headers: { ...headers, "Content-Length": `${length}` },
    body: file.pieces(length),
  };
}

function disposition(): string {
  // Some file systems do not allow a colon in a name.
  const time = new Date().toISOString().slice(0, 19).replaceAll(":", "-");
  const name = `forno-backup-${time}Z.ndjson`;
  return `attachment; filename="${name}"`;
}
