/** The header fields of answers, a row each. */

import { patchType } from "../http/json-body.ts";
import type { Components, Ref } from "./components.ts";

interface HeaderRow {
  /** Where the key is not its name. */
  readonly name?: string;
  readonly description: string;
  readonly schema: object;
  readonly example: string | number;
  /** Not in every answer that lists it. */
  readonly isOptional?: boolean;
}

const text = { type: "string" };
const tag = {
  schema: { type: "string", pattern: '^"[!#-~]+"$' },
  example: '"mcl3_Jn1oJmGSYyUGbRFfw"',
};

const acceptPatch = { schema: { type: "string", enum: [patchType] }, example: patchType };

const rows: Readonly<Record<string, HeaderRow>> = {
  "X-Request-Id": {
    description: "The request's own id where it was sane, else a new one. The server's log has it.",
    schema: { type: "string", pattern: "^[A-Za-z0-9_.~:+/=@-]{1,128}$" },
    example: "12fb19e0-4",
  },
  "X-Content-Type-Options": {
    description: "The label of the body is right.",
    schema: { type: "string", enum: ["nosniff"] },
    example: "nosniff",
  },
  "Cache-Control": {
    description: "May be kept, but not used without asking again.",
    schema: { type: "string", enum: ["no-cache"] },
    example: "no-cache",
  },
  NoStore: {
    name: "Cache-Control",
    description: "Not to be kept by anybody.",
    schema: { type: "string", enum: ["no-store"] },
    example: "no-store",
  },
  Vary: {
    description: "The header fields of the request that the answer depends on.",
    schema: text,
    example: "Authorization",
  },
  ETag: {
    description: "Changes with the content; a resource's is the same over restarts (RFC 9110).",
    ...tag,
  },
  StoredETag: {
    name: "ETag",
    description: "Of the resource as it is stored.",
    isOptional: true,
    ...tag,
  },
  "X-Total-Count": {
    description: "How many match the query, on all pages together.",
    schema: { type: "integer", minimum: 0 },
    example: 16,
  },
  Link: {
    description: "The next page, while there is one (RFC 8288).",
    schema: text,
    example: '</api/toppings?limit=5&after=s5>; rel="next"',
    isOptional: true,
  },
  Location: {
    description: "The path of what was created.",
    schema: { type: "string", format: "uri-reference" },
    example: "/api/toppings/tartufo",
  },
  OtherLocation: {
    name: "Location",
    description: "The path of the resource that has the id, where the caller may read it.",
    schema: { type: "string", format: "uri-reference" },
    example: "/api/toppings/tartufo",
    isOptional: true,
  },
  "Accept-Patch": {
    description: "What PATCH takes here (RFC 5789).",
    ...acceptPatch,
  },
  AcceptedPatch: {
    name: "Accept-Patch",
    description: "Of a PATCH: the media types that are read.",
    ...acceptPatch,
    isOptional: true,
  },
  Allow: {
    description: "The methods of this path.",
    schema: text,
    example: "GET, HEAD, OPTIONS, POST",
  },
  "WWW-Authenticate": {
    description: "What is wrong with the credentials (RFC 6750).",
    schema: { type: "string", pattern: "^Bearer " },
    example: 'Bearer realm="forno"',
  },
  "Retry-After": {
    description: "Seconds to wait.",
    schema: { type: "integer", minimum: 1 },
    example: 6,
    isOptional: true,
  },
  Accept: {
    description: "The media types that are read.",
    schema: { type: "string", enum: ["application/json"] },
    example: "application/json",
    isOptional: true,
  },
  "Accept-Encoding": {
    description: "The content codings that are read: none.",
    schema: { type: "string", enum: ["identity"] },
    example: "identity",
    isOptional: true,
  },
  "Content-Disposition": {
    description: "The name of the file to keep it in.",
    schema: { type: "string", pattern: "^attachment; filename=" },
    example: 'attachment; filename="forno-backup-2026-01-31T18-00-00Z.json"',
  },
  "X-Accel-Buffering": {
    description: "A proxy passes events on at once.",
    schema: { type: "string", enum: ["no"] },
    example: "no",
  },
  "Content-Security-Policy": {
    description: "Nothing from elsewhere, nothing inline.",
    schema: text,
    example: "default-src 'none'; script-src 'self'",
  },
  "Referrer-Policy": {
    description: "Links from a page do not tell where it was.",
    schema: { type: "string", enum: ["no-referrer"] },
    example: "no-referrer",
  },
  "Access-Control-Allow-Origin": {
    description: "The origin whose pages may read the answer (CORS), where it is one of those.",
    schema: text,
    example: "https://pizza.example",
    isOptional: true,
  },
  "Access-Control-Expose-Headers": {
    description: "The header fields that those pages may read.",
    schema: text,
    example: "ETag, Location, Link, X-Total-Count, X-Request-Id, Retry-After",
    isOptional: true,
  },
  "Access-Control-Allow-Methods": {
    description: "The methods that those pages may use.",
    schema: text,
    example: "GET, HEAD, OPTIONS, POST",
    isOptional: true,
  },
  "Access-Control-Allow-Headers": {
    description: "The header fields that those pages may send.",
    schema: text,
    example: "Authorization, Content-Type, If-Match, If-None-Match",
    isOptional: true,
  },
  "Access-Control-Max-Age": {
    description: "Seconds for which the answer to the preflight holds.",
    schema: { type: "integer", minimum: 0 },
    example: 600,
    isOptional: true,
  },
};

/** A `headers` object: references by the name of the field. `keys`: of the rows above. */
export function describeHeaders(
  components: Components,
  keys: readonly string[],
): Readonly<Record<string, Ref>> {
  const described = keys.map((key) => {
    const row = rows[key];
    if (row === undefined) throw new Error(`the description has no row for the header ${key}`);
    const { name = key, isOptional = false, ...header } = row;
    const make = (): object => ({ ...header, ...(isOptional ? {} : { required: true }) });
    return [name, components.refer("headers", key, make)];
  });
  return Object.fromEntries(described);
}
