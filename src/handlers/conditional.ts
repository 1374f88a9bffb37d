import { ifNoneMatchHolds } from "../http/etag.ts";
import type { Reply } from "../http/reply.ts";
import type { RequestFields } from "../http/request-fields.ts";

/**
 * 304 when the client has it already (RFC 9110 section 13.1.2): the header of the reply, whose
 * Content-Type stands first, without its body.
 */
export function conditional(reply: Reply, { ifNoneMatch }: RequestFields): Reply {
  if (ifNoneMatch === undefined) return reply;
  const tag = reply.headers[reply.headers.lastIndexOf("ETag") + 1] ?? null;
  if (ifNoneMatchHolds(ifNoneMatch, tag)) return reply;
  // Without Content-Type, which stands first.
  return { status: 304, headers: reply.headers.slice(2) };
}
