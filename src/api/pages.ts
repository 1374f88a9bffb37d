/**
 * GET /, /board, /apple-touch-icon.png and /pages/{version}/{name}: the order page, the kitchen
 * board and their files (contract part 7), read from dist/pages. A page comes in the client's
 * language, with the shop's color and logo, so that its first drawing has them. The address of its
 * files contains a hash of all of them, so they can be cached for good.
 */

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { conditional, strongTag } from "../http/etag.ts";
import { noCache, type Response } from "../http/response.ts";
import type { Request } from "../http/request.ts";
import type { Route } from "../http/router.ts";
import { Problem } from "../problems/problem.ts";
import { shopRow } from "../resources/shop.ts";
import type { Store } from "../store/store.ts";
import {
  directionOf,
  type Language,
  type Languages,
  preferences,
  preferredLanguage,
  readLanguages,
  translate,
} from "./page-words.ts";
import type { EventIds } from "./event-ids.ts";
import type { Services } from "./services.ts";

/** Allows nothing from other origins and nothing inline. A shop's logo is a data URL. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
  "font-src 'self'; manifest-src 'self'; connect-src 'self'; base-uri 'none'; " +
  "form-action 'none'; frame-ancestors 'none'";

const hardening = { "Content-Security-Policy": policy, "Referrer-Policy": "no-referrer" };

/** For addresses that change with the content (RFC 9111 section 5.2.2.1, RFC 8246). */
const immutable = { "Cache-Control": "public, max-age=31536000, immutable" };

/** The same from dist/api and from src/api. */
const folder = join(import.meta.dirname, "../../dist/pages");

/** Throws SettingsError for a translation that cannot be read. */
export function pagesRoutes({ store, eventIds }: Services): readonly Route[] {
  const get = { method: "GET", rule: "anyone" } as const;
  if (!existsSync(folder)) {
    return ["/", "/board"].map((path) => ({ ...get, path, handle: () => notBuilt }));
  }
  const pages = new Pages(store, eventIds, readLanguages());
  return [
    { ...get, path: "/", handle: (request) => pages.page("index.html", request) },
    {
      ...get,
      path: "/board",
      // The page's links are relative to /board; from /board/ they would lead nowhere.
      handle: (request) =>
        request.path.endsWith("/") ? toBoard(request) : pages.page("board.html", request),
    },
    { ...get, path: "/apple-touch-icon.png", handle: (request) => pages.file(homeIcon, request) },
    {
      ...get,
      path: "/pages/:version/:name",
      handle: (request) => pages.file(request.param, request),
    },
  ];
}

/** The picture of a page on a home screen. iOS asks for it at the root. */
const homeIcon = "apple-touch-icon.png";

const notBuilt: Response = {
  status: 200,
  type: "text/plain; charset=utf-8",
  headers: noCache,
  body:
    "The pages are not built. Run npm run build in Forno's folder, then start it again.\n" +
    "The API works without them: see /api.\n",
};

function toBoard({ query }: Request): Response {
  const { search } = new URL(`http://a/?${query.text}`);
  return { status: 308, headers: { ...noCache, Location: `../board${search}` } };
}

const types: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
};

/** The bytes of a file, plain or compressed, and their tag (RFC 9110 section 3.2). */
interface Representation {
  readonly body: Uint8Array;
  readonly etag: string;
}

interface PageFile {
  readonly type: string;
  readonly plain: Representation;
  /** Made when it is first requested. */
  gzipped?: Representation;
}

/** Pages, their files and the translations, by name ("order.css"). */
function* contentsOf(
  languages: Languages,
): Generator<readonly [name: string, content: Buffer], void> {
  for (const name of readdirSync(folder).sort()) {
    if (extname(name) in types) yield [name, readFileSync(join(folder, name))];
  }
  for (const page of ["order", "board"]) {
    const pieces = new Set(readFileSync(join(folder, `${page}.js`), "utf8").split(quote));
    for (const { tag, words } of languages.values()) {
      yield [`${page}-${tag}.json`, Buffer.from(`${JSON.stringify(wordsIn(pieces, words))}\n`)];
    }
  }
}

const quote = /["'`]/;

/** A page loads the words of its own script alone. `pieces`: what stands there between quotes. */
function wordsIn(pieces: ReadonlySet<string>, words: Language["words"]): Language["words"] {
  const isUsed = (text: string): boolean =>
    text.split(quote).every((piece) => pieces.has(piece));
  return Object.fromEntries(Object.entries(words).filter(([text]) => isUsed(text)));
}

class Pages {
  readonly #store: Store;
  readonly #eventIds: EventIds;
  readonly #languages: Languages;
  /** Pages as they were built. */
  readonly #sources = new Map<string, string>();
  /** All contents but the pages. */
  readonly #files = new Map<string, PageFile>();
  readonly #version: string;

  constructor(store: Store, eventIds: EventIds, languages: Languages) {
    this.#store = store;
    this.#eventIds = eventIds;
    this.#languages = languages;
    const hash = createHash("sha256");
    for (const [name, content] of contentsOf(languages)) {
      hash.update(`${name} ${content.length}\n`).update(content);
      const type = types[extname(name)] ?? "";
      if (name.endsWith(".html")) this.#sources.set(name, content.toString());
      else this.#files.set(name, { type, plain: representationOf(content) });
    }
    this.#version = hash.digest("base64url").slice(0, 12);
  }

  /**
   * A page has the id of the last change when it was sent. It follows the events from there, so it
   * misses nothing between loading its data and opening the stream.
   */
  page(name: string, { headers }: Request): Response {
    const language = preferredLanguage(this.#languages, headers["accept-language"]);
    const html = this.#render(name, language);
    const isZipped = acceptsGzip(headers);
    const body = isZipped ? gzipSync(html) : html;
    const response = {
      status: 200,
      type: types[".html"] ?? "",
      encoding: isZipped ? "gzip" : undefined,
      etag: strongTag(body),
      vary: "Accept-Language, Accept-Encoding",
      headers: { ...noCache, ...hardening },
      body,
    };
    return conditional(response, headers);
  }

  /** A page that was loaded before a restart may ask for another version: it gets this file. */
  file(name: string, { path, headers }: Request): Response {
    const file = this.#files.get(name);
    if (file === undefined) throw new Problem("not-found", "no page has a file with this name");
    const isZipped = acceptsGzip(headers);
    if (isZipped) file.gzipped ??= representationOf(gzipSync(file.plain.body));
    const { body, etag } = (isZipped ? file.gzipped : undefined) ?? file.plain;
    const isThisVersion = path.split("/").at(-2) === this.#version;
    const response = {
      status: 200,
      type: file.type,
      encoding: isZipped ? "gzip" : undefined,
      etag,
      vary: "Accept-Encoding",
      headers: {
        ...(isThisVersion ? immutable : noCache),
        // Only what a browser shows as a document of its own has a policy.
        ...(file.type === types[".svg"] && hardening),
      },
      body,
    };
    return conditional(response, headers);
  }

  #render(name: string, language: Language): string {
    const { tag } = language;
    const upTo = this.#eventIds.hidden(this.#store.history.last);
    const { color = "", logo = "pages/icon.svg" } = shopRow(this.#store).value;
    const source = this.#sources.get(name) ?? "";
    // The scripts wait for the translation, so the browser should fetch it early.
    const file = `${name === "board.html" ? "board" : "order"}-${tag}.json`;
    const words =
      `<link rel="preload" id="words" as="fetch" crossorigin href="pages/${file}">\n`;
    const attributes =
      `lang="${tag}" dir="${directionOf(language)}" data-up-to="${upTo}" data-color="${color}"`;
    return translate(source, language)
      .replace('lang="en" dir="ltr"', attributes)
      .replace("</head>", `${words}</head>`)
      .replaceAll('"pages/icon.svg"', `"${logo}"`)
      .replaceAll('"pages/', `"pages/${this.#version}/`);
  }
}

function acceptsGzip(headers: Request["headers"]): boolean {
  return preferences(headers["accept-encoding"]).includes("gzip");
}

function representationOf(body: Uint8Array): Representation {
  return { body, etag: strongTag(body) };
}
