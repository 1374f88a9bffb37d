/**
 * GET /, /board and /pages/{version}/{name}: the order page, the kitchen board and their files
 * (contract part 7), read from dist/pages. A page comes in the client's language. All its files
 * share one folder, named by a hash of them all, so each can be cached for good.
 */

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { conditional, strongTag } from "../http/etag.ts";
import { preferences } from "../http/negotiation.ts";
import { noCache, type Response } from "../http/response.ts";
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
import type { Services } from "./services.ts";

/** Allows nothing from other origins and nothing inline. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
  "font-src 'self'; manifest-src 'self'; connect-src 'self'; base-uri 'none'; " +
  "form-action 'none'; frame-ancestors 'none'";

const hardening = ["Content-Security-Policy", policy, "Referrer-Policy", "no-referrer"];

/** For addresses that change with the content (RFC 9111 section 5.2.2.1, RFC 8246). */
const immutable = ["Cache-Control", "public, max-age=31536000, immutable"];

/** Throws SettingsError for a bad translation, logo or theme. */
export function pagesRoutes({ store, settings }: Services): readonly Route[] {
  const pages = new Pages(store.history, readLanguages(), readBrand(settings.dataDir));
  const get = { method: "GET", rule: "anyone" } as const;
  return [
    { ...get, path: "/", handle: (request) => pages.page("index.html", request) },
    {
      ...get,
      path: "/board",
      // The page's links are relative to /board; from /board/ they would lead nowhere.
      handle: (request) =>
        request.path.endsWith("/") ? toBoard(request) : pages.page("board.html", request),
    },
    { ...get, path: "/pages/:version/:name", handle: (request) => pages.file(request) },
  ];
}

function toBoard({ query }: Request): Response {
  const location = query.text === "" ? "../board" : `../board?${new URLSearchParams(query.text)}`;
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

/** A placeholder that no page text contains, for the seq of the last change. */
const upToMark = "{upTo}";

class Pages {
  readonly #history: Pick<History, "last">;
  readonly #languages: Languages;
  readonly #brand: ReadonlyMap<string, Buffer>;
  /** Pages, their files and the translations, by name ("order.css"). */
  readonly #contents: ReadonlyMap<string, Buffer>;
  readonly #version: string;
  /** All contents but the pages. */
  readonly #files: ReadonlyMap<string, PageFile>;
  /** Pages by name and language, with `upToMark`. */
  readonly #rendered = new Map<string, string>();

  constructor(
    history: Pick<History, "last">,
    languages: Languages,
    brand: ReadonlyMap<string, Buffer>,
  ) {
    this.#history = history;
    this.#languages = languages;
    this.#brand = brand;
    // In a clone that is not built, the API is served without pages.
    const built = existsSync(folder) ? readdirSync(folder) : [];
    const names = built.filter((name) => extname(name) in types).sort();
    this.#contents = new Map([
      ...names.map((name) => [name, readFileSync(join(folder, name))] as const),
      ...[...languages.values()].map(({ tag, words }) =>
        [`${tag}.json`, Buffer.from(`${JSON.stringify(words)}\n`)] as const),
      ...brand,
    ]);
    this.#version = versionOf(this.#contents);
    const files = [...this.#contents].filter(([name]) => !name.endsWith(".html"));
    this.#files = new Map(
      files.map(([name, content]) => [
        name,
        { type: types[extname(name)] ?? "", plain: representationOf(content) },
      ]),
    );
  }

  /**
   * A page has the seq of the last change when it was sent. It follows the events from there, so it
   * misses nothing between loading its data and opening the stream.
   */
  page(name: string, { headers }: Request): Response {
    const language = preferredLanguage(this.#languages, headers["accept-language"]);
    const key = `${name} ${language.tag}`;
    const html = this.#rendered.get(key) ?? this.#render(name, language);
    this.#rendered.set(key, html);
    const body = html.replace(upToMark, `${this.#history.last}`);
    const etag = strongTag(body);
    const own = ["Content-Type", types[".html"] ?? "", "ETag", etag, ...noCache, ...hardening];
    const response = { status: 200, headers: own, vary: "Accept-Language", body };
    return conditional(response, headers);
  }

  /** A page that was loaded before a restart may ask for another version: it gets this file. */
  file({ path, param, headers }: Request): Response {
    const file = this.#files.get(param);
    if (file === undefined) throw new Problem("not-found", "no page has a file with this name");
    const isZipped = preferences(headers["accept-encoding"]).includes("gzip");
    if (isZipped) file.gzipped ??= representationOf(gzipSync(file.plain.body));
    const { body, etag } = (isZipped ? file.gzipped : undefined) ?? file.plain;
    const isThisVersion = path.split("/").at(-2) === this.#version;
    const own = [
      ...["Content-Type", file.type, "ETag", etag],
      ...(isZipped ? ["Content-Encoding", "gzip"] : []),
      ...(isThisVersion ? immutable : noCache),
      ...hardening,
    ];
    return conditional({ status: 200, headers: own, vary: "Accept-Encoding", body }, headers);
  }

  #render(name: string, language: Language): string {
    const { tag } = language;
    const source = this.#contents.get(name)?.toString();
    if (source === undefined) {
      throw new Problem("not-found", "the pages are not built: run npm run build, then restart");
    }
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

function representationOf(body: Uint8Array): Representation {
  return { body, etag: strongTag(body) };
}
