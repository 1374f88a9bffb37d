/**
 * GET /, /board and /pages/{version}/{name}: the order page, the kitchen board and their files
 * (contract part 7), read once at start from dist/pages and data/words. A page comes in the
 * client's language, and names what it will load, so that nothing is found out one by one.
 */

import { ifNoneMatch, notModified } from "../http/etag.ts";
import { headLine, noCache, type Reply, uriQuery } from "../http/reply.ts";
import type { Operation, Request, Route, Tag } from "../http/route.ts";
import { Problem } from "../problems/problem.ts";
import type { Changes } from "../store/changes.ts";
import { readPageFiles, SentFile, versionOf } from "./page-files.ts";
import {
  directionOf,
  type Language,
  preferredLanguage,
  readLanguages,
  translate,
} from "./page-words.ts";

/** Nothing from elsewhere, nothing inline. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
  "manifest-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; " +
  "frame-ancestors 'none'";

const hardening =
  headLine("Content-Security-Policy", policy) + headLine("Referrer-Policy", "no-referrer");

/** Under an address that changes with the content (RFC 9111 section 5.2.2.1, RFC 8246). */
const forGood = headLine("Cache-Control", "public, max-age=31536000, immutable");

/** No rows where the pages have not been built. Throws SettingsError for a bad file of words. */
export function pagesRoutes(changes: Pick<Changes, "last">): readonly Route[] {
  const pages = new Pages(changes);
  if (pages.areMissing) return [];
  const get = { method: "GET", rule: "anyone" } as const;
  return [
    {
      ...get,
      path: "/",
      handle: (request) => pages.page("index.html", request),
      operation: orderPage,
    },
    {
      ...get,
      path: "/board",
      // A page's links are relative to its own address: from any other they would lead nowhere.
      handle: (request) =>
        request.path.endsWith("/") ? toBoard(request) : pages.page("board.html", request),
      operation: board,
    },
    {
      ...get,
      path: "/pages/:version/:name",
      handle: (request) => pages.file(request),
      operation: pageFile,
    },
  ];
}

function toBoard({ query }: Request): Reply {
  const location = query === "" ? "../board" : `../board?${uriQuery(query)}`;
  return { status: 308, head: noCache + headLine("Location", location) };
}

/** A page in one language. */
interface Rendered {
  /** All of it but the number of the last change, which stands where `upToMark` does. */
  readonly html: string;
  /** As it was last sent, and up to which change. */
  readonly upTo: number;
  readonly file: SentFile;
}

/** No text of a page has it: a brace that is not doubled begins no word. */
const upToMark = "{upTo}";

class Pages {
  readonly #changes: Pick<Changes, "last">;
  readonly #contents: ReadonlyMap<string, Buffer>;
  readonly #languages: readonly Language[];
  readonly #version: string;
  readonly #files: ReadonlyMap<string, SentFile>;
  /** By page and language. */
  readonly #rendered = new Map<string, Rendered>();

  constructor(changes: Pick<Changes, "last">) {
    this.#changes = changes;
    this.#contents = readPageFiles();
    this.#languages = readLanguages();
    const words = this.#languages.map(({ tag, words }) =>
      [`${tag}.json`, Buffer.from(`${JSON.stringify(words)}\n`)] as const);
    const all = new Map([...this.#contents, ...words]);
    this.#version = versionOf(all);
    const files = [...all].filter(([name]) => !name.endsWith(".html"));
    this.#files = new Map(files.map(([name, bytes]) => [name, new SentFile(name, bytes)]));
  }

  get areMissing(): boolean {
    return this.#contents.size === 0;
  }

  page(name: string, { fields }: Request): Promise<Reply> {
    const language = preferredLanguage(this.#languages, fields.acceptLanguage);
    const key = `${name} ${language.tag}`;
    let page = this.#rendered.get(key);
    const upTo = this.#changes.last;
    if (page?.upTo !== upTo) {
      const html = page?.html ?? this.#render(name, language);
      const file = new SentFile(name, Buffer.from(html.replace(upToMark, String(upTo))));
      page = { html, upTo, file };
      this.#rendered.set(key, page);
    }
    return page.file.reply(fields, noCache + hardening, "Accept-Encoding, Accept-Language");
  }

  /** Of another version, which a page from before a restart may ask for: what there is now. */
  file({ path, param, fields }: Request): Promise<Reply> {
    const file = this.#files.get(param);
    if (file === undefined) throw new Problem("not-found", "there is no such file of a page");
    const isThisVersion = path.split("/").at(-2) === this.#version;
    return file.reply(fields, (isThisVersion ? forGood : noCache) + hardening);
  }

  /**
   * The page says how far the changes were when it was sent: what it reads meanwhile and the live
   * changes from there on leave no gap.
   */
  #render(name: string, language: Language): string {
    const { tag } = language;
    const source = this.#contents.get(name)?.toString() ?? "";
    const [, entry = ""] = /src="pages\/([\w-]+\.js)"/.exec(source) ?? [];
    const modules = this.#modulesOf(entry).map((module) =>
      `<link rel="modulepreload" href="pages/${module}">\n`);
    const words =
      `<link rel="preload" id="words" as="fetch" crossorigin href="pages/${tag}.json">\n`;
    return translate(source, language)
      .replace('lang="en" dir="ltr"', `lang="${tag}" dir="${directionOf(language)}" data-up-to="${upToMark}"`)
      .replace("</head>", `${words}${modules.join("")}</head>`)
      .replaceAll('"pages/', `"pages/${this.#version}/`);
  }

  /** A module and all that it imports, each once, as the browser will ask for them. */
  #modulesOf(name: string, found = new Set<string>()): readonly string[] {
    if (found.has(name)) return [];
    found.add(name);
    const text = this.#contents.get(name)?.toString() ?? "";
    for (const [, imported = ""] of text.matchAll(/(?:from|import) "\.\/([\w-]+\.js)"/g)) {
      this.#modulesOf(imported, found);
    }
    return [...found];
  }
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
  description: "Styles, scripts, pictures and words; kept for good where a page names them.",
  parameters: [
    {
      name: "version",
      in: "path",
      required: true,
      description: "Of all files together, as a page names it. Any other leads to the same.",
      schema: text,
      example: "current",
    },
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
      content: {
        "text/css": text,
        "text/javascript": text,
        "image/svg+xml": text,
        "application/json": { type: "object" },
      },
    },
    304: { ...notModified, headers },
  },
  problems: ["not-found"],
};
