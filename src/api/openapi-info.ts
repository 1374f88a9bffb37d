/** The parts of the OpenAPI document that are about the whole service, or in many operations. */

import type { MediaTypes, Tag } from "../http/route.ts";
import { problemTypes } from "../problems/problem-types.ts";
import { version } from "../settings.ts";

const problemRows = Object.entries(problemTypes).map(
  ([type, { status, title }]) => `| ${status} | \`/problems/${type}\` | ${title} |`,
);

const description = `A pizza ordering service: a menu of toppings, pizza sizes and beverages, and
orders for them. An answered write is on disk. A request that was not understood is refused, and the
message says how to fix it.

**Tokens.** Writes need \`Authorization: Bearer TOKEN\`; reads need it where an operation says so.
\`node dist/token.js staff\` prints a token. A bad token is 401 everywhere.

**Bodies** are JSON in UTF-8. Responses end with a newline.

**Queries.** Under \`/api\`, an unknown parameter is 400, except that names starting with \`_\` are
ignored.

**Concurrency.** Every resource and list has a strong \`ETag\`. With \`If-None-Match\` a read
answers 304 while nothing has changed. With \`If-Match\` a write answers 412 if somebody else was
faster.

**Errors** are \`application/problem+json\` (RFC 9457). Each operation lists its own by status; any
operation may also answer one of the others. \`type\` is the address of a page that explains it:

| status | type | title |
|---|---|---|
${problemRows.join("\n")}

**HEAD and OPTIONS** are not listed. HEAD works wherever GET does. OPTIONS answers 204 with the
methods in \`Allow\`, and CORS preflights.

**Header fields.** Every response has \`X-Request-Id\`: the client's own, or a new one. The server's
log has it too. \`Cache-Control\` is \`no-cache\`, or \`no-store\` if a response holds a token or a
backup.`;

/** The schema of any string. */
export const text = { type: "string" } as const;

/** The content of a JSON body. */
export function json(schema: object): MediaTypes {
  return { "application/json": schema };
}

/** The tag of every operation that is not about a resource. */
export const serviceTag: Tag = { name: "service", description: "The service itself." };

export const info: object = {
  title: "Forno",
  version,
  summary: "Pizza orders and the menu they refer to.",
  description,
  contact: { name: "Whoever runs this server" },
  license: { name: "MIT", url: "https://opensource.org/license/mit" },
};
