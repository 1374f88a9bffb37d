/**
 * Strong entity tags (RFC 9110 section 8.8.3) and the preconditions If-Match and If-None-Match
 * (sections 13.1.1 and 13.1.2).
 *
 * A proxy that compresses a response changes its tag: nginx makes it weak, Apache and Caddy add the
 * coding inside the quotes. A changed tag matches like the original, in If-Match too, because it
 * is the only tag that the client has, and it names the same state.
 */

import { hash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { Problem } from "../problems/problem.ts";
import type { Response } from "./response.ts";

/** A strong tag of the content: 132 bits of its SHA-256, in quotes. */
export function strongTag(content: string | Uint8Array): string {
  return `"${hash("sha256", content, "base64url").slice(0, 22)}"`;
}

/**
 * A member of the list and the comma after it (section 5.6.1.2). A tag may have commas inside, so
 * splitting at commas would be wrong. The group is empty if the member is not an entity tag; such a
 * member matches nothing.
 */
const listMember =
  /[ \t]*(?:((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[ \t]*(?:,|$)|[^,]*(?:,|$))/gy;

/** The changes that proxies make to a tag. Removing them restores the original tag. */
const mark = /^W\/|-(?:gzip|zstd|br|deflate)(?="$)/g;

/** True if the value of If-Match or If-None-Match lists this tag, or is "*". */
export function matches(header: string, tag: string): boolean {
  if (header === tag || header.trim() === "*") return true;
  for (const [, listed] of header.matchAll(listMember)) {
    if (listed === tag || listed?.replaceAll(mark, "") === tag) return true;
  }
  return false;
}

/** True if the client already has the representation with this tag. */
export function isKnown(
  etag: string | undefined,
  { "if-none-match": ifNoneMatch }: IncomingHttpHeaders,
): boolean {
  return ifNoneMatch !== undefined && etag !== undefined && matches(ifNoneMatch, etag);
}

/**
 * The response, which has an etag, or a 304 if the client already has it (RFC 9110 section 13.1.2).
 * A 304 has no body, nor the fields that describe it.
 */
export function conditional(response: Response, request: IncomingHttpHeaders): Response {
  const { headers, etag, vary } = response;
  return isKnown(etag, request) ? { status: 304, headers, etag, vary } : response;
}

/** Throws Problem 412. `tagOf`: computes the stored resource's tag; called only if needed. */
export function requireMatch(
  tagOf: () => string,
  { "if-match": ifMatch, "if-none-match": ifNoneMatch }: IncomingHttpHeaders,
): void {
  if (ifMatch === undefined && ifNoneMatch === undefined) return;
  const tag = tagOf();
  if (ifMatch !== undefined && !matches(ifMatch, tag)) throw failed(tag, whyUnmatched(ifMatch));
  if (ifNoneMatch !== undefined && matches(ifNoneMatch, tag)) {
    throw failed(tag, "If-None-Match excludes this tag");
  }
}

function whyUnmatched(ifMatch: string): string {
  if (!ifMatch.includes('"')) return "If-Match has no tag in double quotes: add the quotes";
  return "If-Match has another tag: the resource has changed since you read it; read it again";
}

function failed(tag: string, why: string): Problem {
  const headers = { ETag: tag };
  return new Problem("precondition-failed", `its ETag is ${tag}, but ${why}`, { headers });
}
