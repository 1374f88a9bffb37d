/** GET /api/backup (contract parts 3 and 6): the store's file as it is at this moment. */

import { conditional } from "../http/etag.ts";
import type { Request } from "../http/request.ts";
import { type HeaderList, noStore, type Response } from "../http/response.ts";
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
  // The file of a restored backup may be as long, and then ends with another change.
  const headers = ["ETag", `"${history.last}-${length}"`, ...noStore, ...fileHeaders()];
  const response = conditional({ status: 200, headers }, asked);
  if (response.status === 304) return response;
  headers.push("Content-Length", `${length}`);
  return { ...response, body: file.pieces(length) };
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
