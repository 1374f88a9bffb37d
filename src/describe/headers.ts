/** The header fields of answers, a row each, but for those that every answer has: see info.ts. */

import { patchType } from "../http/json-body.ts";

interface HeaderRow {
  readonly description: string;
  readonly schema: object;
  /** Whether every answer that lists it has it. */
  readonly required?: true;
}

const text = { type: "string" };
const tag = { type: "string", pattern: '^"[!#-~]+"$' };
const path = { type: "string", format: "uri-reference" };

const rows: Readonly<Record<string, HeaderRow>> = {
  ETag: {
    required: true,
    description: "Changes with the content; a resource's is the same over restarts (RFC 9110).",
    schema: tag,
  },
  "X-Total-Count": {
    required: true,
    description: "How many match the query, on all pages together.",
    schema: { type: "integer", minimum: 0 },
  },
  Link: {
    description: 'The next page, `rel="next"`, while there is one (RFC 8288).',
    schema: text,
  },
  Location: { required: true, description: "Where it is.", schema: path },
  "Accept-Patch": {
    required: true,
    description: "What PATCH takes here (RFC 5789).",
    schema: { type: "string", const: patchType },
  },
  "Content-Disposition": {
    required: true,
    description: "The name of the file to keep it in.",
    schema: { type: "string", pattern: "^attachment; filename=" },
  },
  "X-Accel-Buffering": {
    required: true,
    description: "A proxy passes events on at once.",
    schema: { type: "string", const: "no" },
  },
  "Content-Security-Policy": {
    required: true,
    description: "Nothing from elsewhere, nothing inline.",
    schema: text,
  },
  "Referrer-Policy": {
    required: true,
    description: "Links from a page do not tell where it was.",
    schema: { type: "string", const: "no-referrer" },
  },
};

/** A `headers` object. Throws where a name is that of no row. */
export function headersOf(names: readonly string[]): object {
  const headers = names.map((name) => {
    const row = rows[name];
    if (row === undefined) throw new Error(`the description has no row for the header ${name}`);
    return [name, { $component: `headers/${name}`, ...row }];
  });
  return Object.fromEntries(headers);
}
