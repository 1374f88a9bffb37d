import { Problem } from "../problem.ts";
import type { RequestFields } from "./request-fields.ts";

/** Throws Problem 400 for what node's parser lets pass (RFC 9112 sections 2.3, 3.2, 5.1, 6.1). */
export function requireWellFormed(httpVersion: string, fields: RequestFields): void {
  const { host, transferEncoding, hasBadName } = fields;
  if (hasBadName) throw malformed("expected a field name and a colon, without a space");
  if (httpVersion !== "1.1" && httpVersion !== "1.0") {
    throw malformed(`expected HTTP/1.1, got HTTP/${httpVersion}`);
  }
  if (host === undefined ? httpVersion === "1.1" : !/^[\w.:[\]~%!$&'()*+;=-]*$/.test(host)) {
    throw malformed("expected one valid Host field");
  }
  if (transferEncoding === undefined) return;
  if (httpVersion === "1.0" || !/^chunked$/i.test(transferEncoding)) {
    throw malformed("expected no transfer coding but chunked, and that in HTTP/1.1");
  }
}

function malformed(detail: string): Problem {
  return new Problem("malformed-request", detail);
}
