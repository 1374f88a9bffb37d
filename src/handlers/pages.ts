/**
 * GET /, /board and /pages/{file}: the order page and the kitchen board, read once at start from
 * what `npm run build` has put into dist/pages.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { strongTag } from "../http/etag.ts";
import type { Reply } from "../http/reply.ts";
import { Problem } from "../problem.ts";
import { conditional } from "./conditional.ts";
import type { Request, Route } from "./request.ts";

/** The same from dist/handlers and from src/handlers. */
const folder = fileURLToPath(new URL("../../dist/pages/", import.meta.url));

const types: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Nothing from elsewhere, nothing inline. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** No rows where the pages have not been built. */
export function pagesRoutes(): readonly Route[] {
  const files = readFiles();
  const row = (path: string, handle: Route["handle"]): Route => ({
    method: "GET",
    path,
    rule: "anyone",
    handle,
  });
  if (files.size === 0) return [];
  return [
    row("/", (request) => pageReply(files, "index.html", request)),
    // Its links are relative to its folder: with a slash behind it they would lead nowhere.
    row("/board", (request) =>
      request.path.endsWith("/")
        ? { status: 308, headers: ["Location", "../board"] }
        : pageReply(files, "board.html", request),
    ),
    row("/pages/:name", (request) => pageReply(files, request.param, request)),
  ];
}

function readFiles(): ReadonlyMap<string, Reply> {
  if (!existsSync(folder)) return new Map();
  const names = readdirSync(folder).filter((name) => types[extname(name)] !== undefined);
  return new Map(names.map((name) => [name, readFile(name)]));
}

function readFile(name: string): Reply {
  const body = readFileSync(folder + name);
  const headers = [
    ...["Content-Type", types[extname(name)] ?? ""],
    ...["Cache-Control", "no-cache", "ETag", strongTag(body.toString("latin1"))],
    ...["Content-Security-Policy", policy, "Referrer-Policy", "no-referrer"],
  ];
  return { status: 200, headers, body };
}

/** Throws Problem 404. */
function pageReply(files: ReadonlyMap<string, Reply>, name: string, { fields }: Request): Reply {
  const file = files.get(name);
  if (file === undefined) throw new Problem("not-found", "there is no such file of a page");
  return conditional(file, fields);
}
