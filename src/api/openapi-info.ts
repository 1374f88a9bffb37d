/** What the description says of the service as a whole. */

import { maxNesting, patchType } from "../http/body.ts";
import type { Parameter } from "../http/route.ts";
import { problemTypes } from "../problems/problem-types.ts";
import { version } from "../settings.ts";

const problemRows = Object.entries(problemTypes).map(
  ([type, { status, title }]) => `| ${status} | \`/problems/${type}\` | ${title} |`,
);

const description = `A pizza ordering service: a menu of toppings, pizza sizes and beverages, and
the orders that hold them. What was answered is on disk, and what was not understood is refused with
the cure in the message.

**Tokens.** Reads are open unless an operation says otherwise; writes need
\`Authorization: Bearer TOKEN\`. \`node dist/token.js staff\` prints a token. A bad one is 401 even
where none is needed.

**Bodies** are JSON in UTF-8, and end with a newline when answered. No \`Content-Type\`, any
\`+json\` and the labels that curl and fetch put on a bare string are read as JSON too. At most
${maxNesting} levels of nesting; of members with the same name the last one counts.

**Concurrency.** Every resource and every list has a strong \`ETag\`: \`If-None-Match\` on a read
gives 304, \`If-Match\` on a write 412 when somebody else was faster.

**Errors** are \`application/problem+json\` (RFC 9457). Their \`type\` is the address of a page that
says what it means and what to do:

| status | type | title |
|---|---|---|
${problemRows.join("\n")}

Any operation may be answered with what its \`default\` says. A path that is not listed here is 404,
a method that a path does not list is 405 with \`Allow\`. One trailing slash is treated as absent.

**HEAD and OPTIONS** are not listed: HEAD is wherever GET is, with the same header fields and no
body; OPTIONS is everywhere, answers 204 with the methods in \`Allow\` (and \`Accept-Patch\`), and
to a page of an allowed origin its CORS preflight.

**Header fields.** Every answer carries \`X-Request-Id\`, under which the log of the server tells
more, \`X-Content-Type-Options: nosniff\` and \`Cache-Control\`: \`no-cache\`, which is to be
asked for again before it is used again, \`no-store\` where a token or everything is in it, and
for good for a file of a page under the address that the page names. \`Vary\` names the fields of
the request that the answer depends on. To pages of an allowed origin it carries
\`Access-Control-Allow-Origin\` and \`Access-Control-Expose-Headers\` too.`;

export const info: object = {
  title: "Forno",
  version,
  summary: "Pizza orders and the menu they are made of.",
  description,
  contact: { name: "Whoever runs this server" },
  license: { name: "MIT", url: "https://opensource.org/license/mit" },
};

/** The parameter that every operation has. */
export const requestId: Parameter = {
  $component: "parameters/RequestId",
  name: "X-Request-Id",
  in: "header",
  description:
    "The client's own id for the request, given back with the answer and logged: 1 to 128 of " +
    "`A-Z a-z 0-9 _ . ~ : + / = @ -`. Any other is replaced.",
  schema: { type: "string" },
};

const token = { type: "http", scheme: "bearer", bearerFormat: "JWT" };

/** Who is let in, by the rule of a route; `anyone` may show any token too. */
export const securitySchemes: Readonly<Record<"token" | "staffToken" | "readerToken", object>> = {
  token: {
    ...token,
    description:
      "A JWT signed with HS256 (RFC 7519) with the claims `role` (`staff`, `customer` or " +
      "`reader`), `exp`, and `sub`, which customers must have; at most 4096 characters.",
  },
  staffToken: { ...token, description: "The same with the role `staff`." },
  readerToken: { ...token, description: "The same with the role `reader` or `staff`." },
};

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
