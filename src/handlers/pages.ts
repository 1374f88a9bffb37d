/**
 * GET /, /board and /pages/{file}: the order page and the kitchen board, read once at start from
 * what `npm run build` has put into dist/pages.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { strongTag } from "../http/etag.ts";
import { headLine, uriQuery } from "../http/head.ts";
import { noCache, type Reply } from "../http/reply.ts";
import { Problem } from "../problems/problem.ts";
import type { Operation, Tag } from "../http/operation.ts";
import { conditional, ifNoneMatch, notModified, type Tagged } from "./conditional.ts";
import type { Request, Route } from "../http/route.ts";

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

const head =
  noCache +
  headLine("Content-Security-Policy", policy) +
  headLine("Referrer-Policy", "no-referrer");

/** No rows where the pages have not been built. */
export function pagesRoutes(): readonly Route[] {
  const files = readFiles();
  if (files.size === 0) return [];
  const get = { method: "GET", rule: "anyone" } as const;
  return [
    {
      ...get,
      path: "/",
      handle: (request) => pageReply(files, "index.html", request),
      operation: orderPage,
    },
    {
      ...get,
      path: "/board",
      // A page's links are relative to its own address: from any other they would lead nowhere.
      handle: (request) =>
        request.path.endsWith("/") ? toBoard(request) : pageReply(files, "board.html", request),
      operation: board,
    },
    {
      ...get,
      path: "/pages/:name",
      handle: (request) =>
        pageReply(files, request.param.endsWith(".html") ? "" : request.param, request),
      operation: pageFile,
    },
  ];
}

function toBoard({ query }: Request): Reply {
  const location = query === "" ? "../board" : `../board?${uriQuery(query)}`;
  return { status: 308, head: noCache + headLine("Location", location) };
}

function readFiles(): ReadonlyMap<string, Tagged> {
  if (!existsSync(folder)) return new Map();
  const names = readdirSync(folder).filter((name) => types[extname(name)] !== undefined);
  return new Map(names.map((name) => [name, readFile(name)]));
}

function readFile(name: string): Tagged {
  const body = readFileSync(folder + name);
  const etag = strongTag(body);
  return { status: 200, type: types[extname(name)] ?? "", head, etag, body };
}

/** Throws Problem 404. */
function pageReply(
  files: ReadonlyMap<string, Tagged>,
  name: string,
  { fields }: Request,
): Reply {
  const file = files.get(name);
  if (file === undefined) throw new Problem("not-found", "there is no such file of a page");
  return conditional(file, fields);
}

const tag: Tag = { name: "pages", description: "The order page and the kitchen board." };
const headers = ["ETag", "Content-Security-Policy", "Referrer-Policy"];
const text = { type: "string" };
const pageAnswers = {
  200: { description: "The page.", headers, content: { "text/html": text } },
  304: { ...notModified, headers },
};

const orderPage: Operation = {
  id: "getOrderPage",
  tag,
  summary: "The order page",
  description: "Where customers order.",
  parameters: [ifNoneMatch],
  answers: pageAnswers,
};

const board: Operation = {
  id: "getBoard",
  tag,
  summary: "The kitchen board",
  description: "Where staff see what is to be made. With a trailing slash: 308.",
  parameters: [ifNoneMatch],
  answers: {
    ...pageAnswers,
    308: { description: "The path without the slash.", headers: ["Location"] },
  },
};

const pageFile: Operation = {
  id: "getPageFile",
  tag,
  summary: "A file of a page",
  description: "Styles, scripts and pictures.",
  parameters: [
    {
      name: "name",
      in: "path",
      required: true,
      description: "The name of the file.",
      schema: text,
      example: "order.css",
    },
    ifNoneMatch,
  ],
  answers: {
    200: {
      description: "The file.",
      headers,
      content: { "text/css": text, "text/javascript": text, "image/svg+xml": text },
    },
    304: { ...notModified, headers },
  },
  problems: ["not-found"],
};
