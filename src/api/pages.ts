/**
 * GET /, /board and /pages/{version}/{name}: the order page, the kitchen board and their files
 * (contract part 7), read from dist/pages at the first request. A page comes in the client's
 * language. All its files share one folder, named by a hash of them all, so each can be cached for
 * good.
 */

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { conditional, strongTag } from "../http/etag.ts";
import { preferences } from "../http/negotiation.ts";
import { type HeaderList, noCache, type Response } from "../http/response.ts";
import { uriQuery } from "../http/query.ts";
import type { Request } from "../http/request.ts";
import type { Route } from "../http/route.ts";
import { Problem } from "../problems/problem.ts";
import type { History } from "../store/history.ts";
import { readBrand } from "./brand.ts";
import {
  directionOf,
  type Language,
  type Languages,
  preferredLanguage,
  readLanguages,
  translate,
} from "./page-words.ts";

/** Allows nothing from other origins and nothing inline. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
  "font-src 'self'; manifest-src 'self'; connect-src 'self'; base-uri 'none'; " +
  "form-action 'none'; frame-ancestors 'none'";

const hardening = ["Content-Security-Policy", policy, "Referrer-Policy", "no-referrer"];

/** For addresses that change with the content (RFC 9111 section 5.2.2.1, RFC 8246). */
const forGood = ["Cache-Control", "public, max-age=31536000, immutable"];

/**
 * `dataDir`: the folder with the shop's logo and theme. Throws SettingsError for a bad translation,
 * logo or theme.
 */
export function pagesRoutes(history: Pick<History, "last">, dataDir: string): readonly Route[] {
  const languages = readLanguages();
  const brand = readBrand(dataDir);
  let read: Pages | undefined;
  const pages = (): Pages => (read ??= new Pages(history, languages, brand));
  const get = { method: "GET", rule: "anyone" } as const;
  return [
    {
      ...get,
      path: "/",
      handle: (request) => pages().page("index.html", request),
    },
    {
      ...get,
      path: "/board",
      // The page's links are relative to /board; from /board/ they would lead nowhere.
      handle: (request) =>
        request.path.endsWith("/") ? toBoard(request) : pages().page("board.html", request),
    },
    {
      ...get,
      path: "/pages/:version/:name",
      handle: (request) => pages().file(request),
    },
  ];
}

function toBoard({ query }: Request): Response {
  const location = query.text === "" ? "../board" : `../board?${uriQuery(query.text)}`;
  return { status: 308, headers: [...noCache, "Location", location] };
}

/** The same from dist/api and from src/api. */
const folder = join(import.meta.dirname, "../../dist/pages");

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

/** A page in one language. */
interface Rendered {
  /** The page, with `upToMark` in place of the last change's seq. */
  readonly html: string;
  /** The last change's seq when `file` was made. */
  readonly upTo: number;
  readonly file: SentFile;
}

/** A placeholder that no page text contains. */
const upToMark = "{upTo}";

class Pages {
  readonly #history: Pick<History, "last">;
  readonly #languages: Languages;
  readonly #brand: ReadonlyMap<string, Buffer>;
  /** Pages, their files and the translations, by name ("order.css"). */
  readonly #contents: ReadonlyMap<string, Buffer>;
  readonly #version: string;
  /** All contents but the pages. */
  readonly #files: ReadonlyMap<string, SentFile>;
  /** Pages by name and language. */
  readonly #rendered = new Map<string, Rendered>();

  constructor(
    history: Pick<History, "last">,
    languages: Languages,
    brand: ReadonlyMap<string, Buffer>,
  ) {
    this.#history = history;
    this.#languages = languages;
    this.#brand = brand;
    const names = readdirSync(folder).filter((name) => extname(name) in types).sort();
    this.#contents = new Map([
      ...names.map((name) => [name, readFileSync(join(folder, name))] as const),
      ...[...languages.values()].map(({ tag, words }) =>
        [`${tag}.json`, Buffer.from(`${JSON.stringify(words)}\n`)] as const),
      ...brand,
    ]);
    this.#version = versionOf(this.#contents);
    const files = [...this.#contents].filter(([name]) => !name.endsWith(".html"));
    this.#files = new Map(files.map(([name, content]) => [name, new SentFile(name, content)]));
  }

  page(name: string, { headers }: Request): Promise<Response> {
    const language = preferredLanguage(this.#languages, headers["accept-language"]);
    const key = `${name} ${language.tag}`;
    let page = this.#rendered.get(key);
    const upTo = this.#history.last;
    if (page?.upTo !== upTo) {
      const html = page?.html ?? this.#render(name, language);
      const file = new SentFile(name, Buffer.from(html.replace(upToMark, String(upTo))));
      page = { html, upTo, file };
      this.#rendered.set(key, page);
    }
    const vary = "Accept-Encoding, Accept-Language";
    return page.file.response(headers, [...noCache, ...hardening], vary);
  }

  /** A page that was loaded before a restart may ask for another version: it gets this file. */
  file({ path, param, headers }: Request): Promise<Response> {
    const file = this.#files.get(param);
    if (file === undefined) throw new Problem("not-found", "no page has a file with this name");
    const isThisVersion = path.split("/").at(-2) === this.#version;
    return file.response(headers, [...(isThisVersion ? forGood : noCache), ...hardening]);
  }

  /**
   * Each page has the seq of the last change when it was sent. It follows the events from there, so
   * it misses nothing between loading its data and opening the stream.
   */
  #render(name: string, language: Language): string {
    const { tag } = language;
    const source = this.#contents.get(name)?.toString() ?? "";
    // The scripts wait for the translation, so the browser should fetch it early.
    const words =
      `<link rel="preload" id="words" as="fetch" crossorigin href="pages/${tag}.json">\n`;
    const logo = [...this.#brand.keys()].find((name) => name.startsWith("logo.")) ?? "icon.svg";
    const theme = this.#brand.has("theme.css")
      ? '<link rel="stylesheet" href="pages/theme.css">\n' : "";
    const attributes = `lang="${tag}" dir="${directionOf(language)}" data-up-to="${upToMark}"`;
    return translate(source, language)
      .replace('lang="en" dir="ltr"', attributes)
      .replace("</head>", `${words}${theme}</head>`)
      .replaceAll('"pages/icon.svg"', `"pages/${logo}"`)
      .replaceAll('"pages/', `"pages/${this.#version}/`);
  }
}

function versionOf(files: ReadonlyMap<string, Buffer>): string {
  const hash = createHash("sha256");
  for (const [name, content] of files) hash.update(`${name} ${content.length}\n`).update(content);
  return hash.digest("base64url").slice(0, 12);
}

type Bytes = Uint8Array;
type Coding = "br" | "gzip" | "identity";

const compress: Readonly<Record<Coding, (content: Bytes) => Promise<Bytes>>> = {
  br: (content) => promisify(brotliCompress)(content, brotliOptions),
  gzip: promisify<Bytes, Bytes>(gzip),
  identity: async (content) => content,
};

/** Far faster than the highest quality, with a result hardly larger. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

/** A file, compressed in Node's thread pool when a coding is first requested. */
class SentFile {
  readonly #type: string;
  readonly #content: Bytes;
  readonly #coded = new Map<Coding, Promise<{ body: Bytes; etag: string }>>();

  /** `name`: decides the media type. */
  constructor(name: string, content: Bytes) {
    this.#type = types[extname(name)] ?? "";
    this.#content = content;
  }

  /** Resolves to 200, or 304 if the client has the file in this coding. */
  async response(
    asked: IncomingHttpHeaders,
    more: HeaderList,
    vary = "Accept-Encoding",
  ): Promise<Response> {
    const coding = codingFor(asked["accept-encoding"]);
    const { body, etag } = await this.#as(coding);
    const encoded = coding === "identity" ? [] : ["Content-Encoding", coding];
    const headers = ["Content-Type", this.#type, ...encoded, "ETag", etag, ...more];
    return conditional({ status: 200, headers, vary, etag, body }, asked);
  }

  #as(coding: Coding): Promise<{ body: Bytes; etag: string }> {
    const known = this.#coded.get(coding);
    if (known !== undefined) return known;
    const made = compress[coding](this.#content).then((body) => ({ body, etag: strongTag(body) }));
    this.#coded.set(coding, made);
    // After a failure (too little memory, for example) the next request tries again.
    made.catch(() => this.#coded.delete(coding));
    return made;
  }
}

function codingFor(acceptEncoding: string | undefined): Coding {
  const wanted = preferences(acceptEncoding);
  return wanted.includes("br") ? "br" : wanted.includes("gzip") ? "gzip" : "identity";
}
