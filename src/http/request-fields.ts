/**
 * The header fields of a request that Forno acts on, in one pass over node's raw list; and what
 * node's parser lets pass of a header, and a server must not. A field that came on several lines is
 * joined with ", " (RFC 9110 section 5.3): one that must be single then fails where it is read.
 */

import type { IncomingMessage } from "node:http";
import { Problem } from "../problems/problem.ts";

/** Undefined: not sent. */
export class RequestFields {
  accept: string | undefined = undefined;
  acceptEncoding: string | undefined = undefined;
  acceptLanguage: string | undefined = undefined;
  authorization: string | undefined = undefined;
  contentEncoding: string | undefined = undefined;
  contentLength: string | undefined = undefined;
  contentType: string | undefined = undefined;
  forwardedFor: string | undefined = undefined;
  host: string | undefined = undefined;
  ifMatch: string | undefined = undefined;
  ifNoneMatch: string | undefined = undefined;
  lastEventId: string | undefined = undefined;
  origin: string | undefined = undefined;
  requestedMethod: string | undefined = undefined;
  requestId: string | undefined = undefined;
  transferEncoding: string | undefined = undefined;
  upgrade: string | undefined = undefined;
  /** A name that is no token (RFC 9112 section 5.1), which some parsers let through. */
  hasBadName = false;
}

/** The fields that hold a value. */
type ValueField = Exclude<keyof RequestFields, "hasBadName">;

/** What clients send with every request, and Forno has no use for. */
const ignored = ["Connection", "User-Agent"];

const names: readonly (readonly [name: string, field: ValueField])[] = [
  ["Accept", "accept"],
  ["Accept-Encoding", "acceptEncoding"],
  ["Accept-Language", "acceptLanguage"],
  ["Authorization", "authorization"],
  ["Content-Encoding", "contentEncoding"],
  ["Content-Length", "contentLength"],
  ["Content-Type", "contentType"],
  ["X-Forwarded-For", "forwardedFor"],
  ["Host", "host"],
  ["If-Match", "ifMatch"],
  ["If-None-Match", "ifNoneMatch"],
  ["Last-Event-ID", "lastEventId"],
  ["Origin", "origin"],
  ["Access-Control-Request-Method", "requestedMethod"],
  ["X-Request-ID", "requestId"],
  ["Transfer-Encoding", "transferEncoding"],
  ["Upgrade", "upgrade"],
];

/** By the two spellings that clients use: only another one has to be put into lower case. */
const known = new Map<string, ValueField | "">([
  ...names.flatMap(([name, field]) => [[name, field], [name.toLowerCase(), field]] as const),
  ...ignored.flatMap((name) => [[name, ""], [name.toLowerCase(), ""]] as const),
]);

/** `raw`: name, value, name, value … as node's `rawHeaders`. */
export function readFields(raw: readonly string[]): RequestFields {
  const fields = new RequestFields();
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] ?? "";
    const field = known.get(name) ?? known.get(name.toLowerCase());
    if (field === "") continue;
    if (field === undefined) {
      if (name === "" || name.endsWith(" ")) fields.hasBadName = true;
      continue;
    }
    const value = raw[index + 1] ?? "";
    const before = fields[field];
    fields[field] = before === undefined ? value : `${before}, ${value}`;
  }
  return fields;
}

/** Whether a body follows the header (RFC 9112 section 6.3). */
export function announcesBody(fields: RequestFields): boolean {
  const { transferEncoding, contentLength } = fields;
  return transferEncoding !== undefined || (contentLength !== undefined && contentLength !== "0");
}

/** RFC 9112 section 3.2: a host (RFC 3986 section 3.2.2, without a comma) and maybe a port. */
const hostAndPort =
  /^(?:\[[\w.:~%!$&'()*+;=-]+\]|(?:[\w.~!$&'()*+;=-]|%[\da-f]{2})*)(?::\d*)?$/i;

/** The last that was well formed: nearly all requests name it again. */
let goodHost: string | undefined;

/** Throws Problem 400 (RFC 9112 sections 2.3, 3.2, 5.1, 6.1). */
export function requireWellFormed(
  { httpVersion, url = "" }: Pick<IncomingMessage, "httpVersion" | "url">,
  fields: RequestFields,
): void {
  const { host, transferEncoding, hasBadName } = fields;
  if (hasBadName) throw malformed("expected a field name and a colon, without a space");
  if (httpVersion !== "1.1" && httpVersion !== "1.0") {
    throw malformed(`expected HTTP/1.1, got HTTP/${httpVersion}`);
  }
  if (host === undefined ? httpVersion === "1.1" : host !== goodHost && !hostAndPort.test(host)) {
    throw malformed("expected one valid Host field");
  }
  goodHost = host;
  // RFC 9110 sections 4.2.1 and 4.2.4: there must be a host, and nobody's name in front of it.
  const authority = url.startsWith("/") ? undefined : /^https?:\/\/([^/?#]*)/i.exec(url)?.[1];
  if (authority !== undefined && !(/^[^:]/.test(authority) && hostAndPort.test(authority))) {
    throw malformed("expected a target such as /api, or http:// and a host before that");
  }
  if (transferEncoding === undefined) return;
  if (httpVersion === "1.0" || !/^chunked$/i.test(transferEncoding)) {
    throw malformed("expected no transfer coding but chunked, and that in HTTP/1.1");
  }
}

function malformed(detail: string): Problem {
  return new Problem("malformed-request", detail);
}
