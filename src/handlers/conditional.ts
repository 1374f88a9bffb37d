/** Entity tags of resources, and the preconditions that reads and writes are asked for. */

import { ifMatchHolds, ifNoneMatchHolds, strongTag } from "../http/etag.ts";
import type { AnswerDescription, Parameter } from "../http/operation.ts";
import type { Reply } from "../http/reply.ts";
import type { RequestFields } from "../http/request-fields.ts";
import { Problem } from "../problems/problem.ts";
import type { Entry } from "../store/table.ts";

/** A reply that a client may have already. */
export type Tagged = Reply & { readonly etag: string };

/**
 * 304 when the client has it already (RFC 9110 section 13.1.2): the header of the reply without its
 * body and what describes that.
 */
export function conditional(reply: Tagged, { ifNoneMatch }: RequestFields): Reply {
  const { head, etag } = reply;
  return ifNoneMatchHolds(ifNoneMatch, etag) ? reply : { status: 304, head, etag };
}

/** The strong tag of the resource as the API answers it, its body: the same over restarts. */
export function tagOf(entry: Entry, body?: string): string {
  entry.tag ??= strongTag(body ?? entry.body);
  return entry.tag;
}

/** Throws Problem 412. */
export function requireMatch(
  entry: Entry,
  { ifMatch, ifNoneMatch }: Pick<RequestFields, "ifMatch" | "ifNoneMatch">,
): void {
  if (ifMatch === undefined && ifNoneMatch === undefined) return;
  const tag = tagOf(entry);
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

/** The parameter of reads, described. */
export const ifNoneMatch: Parameter = conditionalField(
  "IfNoneMatch",
  "If-None-Match",
  "Entity tags that the client has: 304 when one is the answer's (RFC 9110).",
);

/** The parameters of writes, described. */
export const ifMatch: Parameter = conditionalField(
  "IfMatch",
  "If-Match",
  "412 unless the stored resource has one of these entity tags (RFC 9110).",
);
export const unlessMatch: Parameter = conditionalField(
  "UnlessMatch",
  "If-None-Match",
  "412 when the stored resource has one of these entity tags (RFC 9110).",
);

/** The answer to If-None-Match, described. */
export const notModified: AnswerDescription = {
  description: "The client has it already: see `If-None-Match`.",
  headers: ["ETag"],
};

function conditionalField(component: string, name: string, description: string): Parameter {
  const schema = { type: "string" };
  return { $component: `parameters/${component}`, name, in: "header", description, schema };
}
