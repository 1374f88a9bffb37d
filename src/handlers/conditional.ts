import { ifNoneMatchHolds } from "../http/etag.ts";
import type { Reply } from "../http/reply.ts";
import type { RequestFields } from "../http/request-fields.ts";

export type Tagged = Reply & { readonly etag: string };

/**
 * 304 when the client has it already (RFC 9110 section 13.1.2): the header of the reply without its
 * body and what describes that.
 */
export function conditional(reply: Tagged, { ifNoneMatch }: RequestFields): Reply {
  const { head, etag } = reply;
  return ifNoneMatchHolds(ifNoneMatch, etag) ? reply : { status: 304, head, etag };
}
