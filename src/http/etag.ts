/**
 * Strong entity tags (RFC 9110 section 8.8.3) and the two preconditions that depend on them
 * (sections 13.1.1 and 13.1.2). A list member that is not an entity tag matches nothing.
 *
 * A proxy that compresses an answer marks its tag: nginx makes it weak, Apache and Caddy put the
 * coding inside the quotes. Such a tag counts as the one it was made of, for If-Match too: the
 * client has no other, and it names the same state.
 */
import { hash } from "node:crypto";

/** A tag that changes with every octet of the content: 132 bits of its SHA-256, in quotes. */
export function strongTag(content: string | Uint8Array): string {
  return `"${hash("sha256", content, "base64url").slice(0, 22)}"`;
}

/**
 * Whether If-Match lets the request go on.
 * `header` undefined: not sent, which holds. `tag`: of what is there.
 */
export function ifMatchHolds(header: string | undefined, tag: string): boolean {
  if (header === undefined) return true;
  return header === tag || header.trim() === "*" || lists(header, tag);
}

/**
 * Whether If-None-Match lets the request go on; else it is 304 for GET and HEAD, 412 for the rest.
 * `header` undefined: not sent, which holds. `tag`: of what is there.
 */
export function ifNoneMatchHolds(header: string | undefined, tag: string): boolean {
  if (header === undefined) return true;
  return header !== tag && header.trim() !== "*" && !lists(header, tag);
}

/**
 * One member of the list and the comma after it (section 5.6.1.2). An opaque tag may hold commas,
 * so the list cannot simply be split; without its group, the member is no entity tag.
 */
const listMember =
  /[ \t]*(?:((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[ \t]*(?:,|$)|[^,]*(?:,|$))/gy;

/** What proxies put around or into a tag; what is left of it is the tag as it was given. */
const mark = /^W\/|-(?:gzip|zstd|br|deflate)(?="$)/g;

function lists(header: string, tag: string): boolean {
  for (const [, listed] of header.matchAll(listMember)) {
    if (listed === tag || listed?.replaceAll(mark, "") === tag) return true;
  }
  return false;
}
