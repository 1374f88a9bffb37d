/**
 * Strong entity tags (RFC 9110 section 8.8.3) and the two preconditions that depend on them
 * (sections 13.1.1 and 13.1.2). A list member that is not an entity tag matches nothing.
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
  return header === tag || header.trim() === "*" || entityTags(header).includes(tag);
}

/**
 * Whether If-None-Match lets the request go on; else it is 304 for GET and HEAD, 412 for the rest.
 * `header` undefined: not sent, which holds. `tag`: of what is there.
 */
export function ifNoneMatchHolds(header: string | undefined, tag: string): boolean {
  if (header === undefined) return true;
  if (header === tag || header.trim() === "*") return false;
  // Weak comparison, section 8.8.3.2: a proxy that compresses answers weakens our tags.
  return !entityTags(header).some((listed) => listed === tag || listed === `W/${tag}`);
}

/**
 * One member of the list and the comma after it (section 5.6.1.2). An opaque tag may hold commas,
 * so the list cannot simply be split; without its group, the member is no entity tag.
 */
const listMember =
  /[ \t]*(?:((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[ \t]*(?:,|$)|[^,]*(?:,|$))/gy;

function entityTags(header: string): string[] {
  const tags: string[] = [];
  for (const [, tag] of header.matchAll(listMember)) if (tag !== undefined) tags.push(tag);
  return tags;
}
