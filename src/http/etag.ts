/**
 * Strong entity tags (RFC 9110 section 8.8.3) and the two preconditions that depend on them
 * (sections 13.1.1 and 13.1.2), of a resource and of an answer. A list member that is not an entity
 * tag matches nothing.
 *
 * A proxy that compresses an answer marks its tag: nginx makes it weak, Apache and Caddy put the
 * coding inside the quotes. Such a tag counts as the one it was made of, for If-Match too: the
 * client has no other, and it names the same state.
 */

import { hash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { Problem } from "../problems/problem.ts";
import { type Answer, type HeaderList, jsonType } from "./answer.ts";

/** A tag that changes with every octet of the content: 132 bits of its SHA-256, in quotes. */
export function strongTag(content: string | Uint8Array): string {
  return `"${hash("sha256", content, "base64url").slice(0, 22)}"`;
}

/**
 * Whether If-Match lets the request go on.
 * `header` undefined: not sent, which holds. `tag`: of what is there.
 */
export function ifMatchHolds(header: string | undefined, tag: string): boolean {
  return header === undefined || matches(header, tag);
}

/**
 * Whether If-None-Match lets the request go on; else it is 304 for GET and HEAD, 412 for the rest.
 * `header` undefined: not sent, which holds. `tag`: of what is there.
 */
export function ifNoneMatchHolds(header: string | undefined, tag: string): boolean {
  return header === undefined || !matches(header, tag);
}

/**
 * One member of the list and the comma after it (section 5.6.1.2). An opaque tag may hold commas,
 * so the list cannot simply be split; without its group, the member is no entity tag.
 */
const listMember =
  /[ \t]*(?:((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[ \t]*(?:,|$)|[^,]*(?:,|$))/gy;

/** What proxies put around or into a tag; what is left of it is the tag as it was given. */
const mark = /^W\/|-(?:gzip|zstd|br|deflate)(?="$)/g;

function matches(header: string, tag: string): boolean {
  if (header === tag || header.trim() === "*") return true;
  for (const [, listed] of header.matchAll(listMember)) {
    if (listed === tag || listed?.replaceAll(mark, "") === tag) return true;
  }
  return false;
}

/** An answer that a client may have already. `etag` is among its headers too. */
export type Tagged = Answer & { readonly etag: string };

/** JSON text, without its final newline, with its tag. */
export function taggedJson(
  status: number,
  json: string,
  etag: string,
  headers: HeaderList,
): Tagged {
  const all = ["Content-Type", jsonType, "ETag", etag, ...headers];
  return { status, headers: all, etag, body: `${json}\n` };
}

/**
 * 304 when the client has it already (RFC 9110 section 13.1.2): the header without what describes
 * the body.
 */
export function conditional(
  answer: Tagged,
  { "if-none-match": ifNoneMatch }: IncomingHttpHeaders,
): Answer {
  if (ifNoneMatchHolds(ifNoneMatch, answer.etag)) return answer;
  const { headers, vary } = answer;
  const kept = headers.filter((_, index) => !describesBody.has(headers[index - (index % 2)] ?? ""));
  return { status: 304, headers: kept, ...(vary !== undefined && { vary }) };
}

const describesBody: ReadonlySet<string> = new Set(["Content-Type", "Content-Encoding"]);

/** Throws Problem 412. `tagOf` makes the tag of what is stored, if it is asked for. */
export function requireMatch(
  tagOf: () => string,
  { "if-match": ifMatch, "if-none-match": ifNoneMatch }: IncomingHttpHeaders,
): void {
  if (ifMatch === undefined && ifNoneMatch === undefined) return;
  const tag = tagOf();
  if (!ifMatchHolds(ifMatch, tag)) throw failed(tag, whyUnmatched(ifMatch ?? ""));
  if (!ifNoneMatchHolds(ifNoneMatch, tag)) throw failed(tag, "If-None-Match excludes that one");
}

/** Why If-Match failed, and what to do about it. */
function whyUnmatched(ifMatch: string): string {
  if (!ifMatch.includes('"')) return "If-Match holds no entity tag: one stands in double quotes";
  return "If-Match names another: it has changed since that was read; read it again";
}

function failed(tag: string, why: string): Problem {
  const headers = { ETag: tag };
  return new Problem("precondition-failed", `its ETag is ${tag}, but ${why}`, { headers });
}
