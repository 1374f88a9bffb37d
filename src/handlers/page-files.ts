/**
 * The files of the pages as they are sent: compressed where the client takes that, each coding made
 * once, when it is first asked for, in node's thread pool. Scripts, styles, pictures and words
 * share one folder, named by a hash of all of them: so they lead to one another by plain relative
 * names, and each can be kept for good.
 */

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { conditional, strongTag } from "../http/etag.ts";
import { preferences } from "../http/negotiation.ts";
import { headLine, type HeadLines, type Reply } from "../http/reply.ts";
import type { RequestFields } from "../http/request-fields.ts";

/** The same from dist/handlers and from src/handlers. */
const folder = fileURLToPath(new URL("../../dist/pages/", import.meta.url));

const types: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".webmanifest": "application/manifest+json",
};

type Bytes = Uint8Array;
type Coding = "br" | "gzip" | "identity";

const compress: Readonly<Record<Coding, (content: Bytes) => Promise<Bytes>>> = {
  br: (content) => promisify(brotliCompress)(content, brotliOptions),
  gzip: promisify<Bytes, Bytes>(gzip),
  identity: async (content) => content,
};

/** A tenth of the time of the highest quality, for a hundredth of the size. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

/** Empty where the pages have not been built. By name: "order.css". */
export function readPageFiles(): ReadonlyMap<string, Buffer> {
  const names = existsSync(folder) ? readdirSync(folder).sort() : [];
  const known = names.filter((name) => types[extname(name)] !== undefined);
  return new Map(known.map((name) => [name, readFileSync(folder + name)]));
}

/** Changes with every octet and every name of them. */
export function versionOf(files: ReadonlyMap<string, Buffer>): string {
  const hash = createHash("sha256");
  for (const [name, content] of files) hash.update(`${name} ${content.length}\n`).update(content);
  return hash.digest("base64url").slice(0, 12);
}

/** One file, ready to be sent. */
export class SentFile {
  readonly #type: string;
  readonly #content: Bytes;
  readonly #coded = new Map<Coding, Promise<{ body: Bytes; etag: string }>>();

  /** `name`: for its media type. */
  constructor(name: string, content: Bytes) {
    this.#type = types[extname(name)] ?? "";
    this.#content = content;
  }

  /** Resolves to 200, or 304 where the client has it in this coding. */
  async reply(fields: RequestFields, head: HeadLines, vary = "Accept-Encoding"): Promise<Reply> {
    const coding = codingFor(fields.acceptEncoding);
    const { body, etag } = await this.#as(coding);
    const reply = conditional({ status: 200, type: this.#type, head, etag, body }, fields);
    if (reply.status === 304 || coding === "identity") return { ...reply, vary };
    return { ...reply, vary, head: head + headLine("Content-Encoding", coding) };
  }

  #as(coding: Coding): Promise<{ body: Bytes; etag: string }> {
    const known = this.#coded.get(coding);
    if (known !== undefined) return known;
    const made = compress[coding](this.#content).then((body) => ({ body, etag: strongTag(body) }));
    this.#coded.set(coding, made);
    return made;
  }
}

function codingFor(acceptEncoding: string | undefined): Coding {
  const wanted = preferences(acceptEncoding);
  return wanted.includes("br") ? "br" : wanted.includes("gzip") ? "gzip" : "identity";
}
