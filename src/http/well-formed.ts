/** What node's parser lets pass, and a server must not (RFC 9112 sections 2.3, 3.2, 5.1, 6.1). */

import type { IncomingMessage } from "node:http";
import { Problem } from "../problems/problem.ts";
import type { RequestFields } from "./request-fields.ts";

/** RFC 9112 section 3.2: a host (RFC 3986 section 3.2.2, without a comma) and maybe a port. */
const hostAndPort =
  /^(?:\[[\w.:~%!$&'()*+;=-]+\]|(?:[\w.~!$&'()*+;=-]|%[\da-f]{2})*)(?::\d*)?$/i;

/** Throws Problem 400. */
export function requireWellFormed(
  { httpVersion, url = "" }: Pick<IncomingMessage, "httpVersion" | "url">,
  fields: RequestFields,
): void {
  const { host, transferEncoding, hasBadName } = fields;
  if (hasBadName) throw malformed("expected a field name and a colon, without a space");
  if (httpVersion !== "1.1" && httpVersion !== "1.0") {
    throw malformed(`expected HTTP/1.1, got HTTP/${httpVersion}`);
  }
  if (host === undefined ? httpVersion === "1.1" : !hostAndPort.test(host)) {
    throw malformed("expected one valid Host field");
  }
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
