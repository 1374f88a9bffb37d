/** What the description says of the service as a whole. */

import { maxNesting } from "../http/json-body.ts";
import { problemTypes } from "../problems/problem.ts";
import { version } from "../http/version.ts";

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

**Errors** are \`application/problem+json\` (RFC 9457):

| status | type | title |
|---|---|---|
${problemRows.join("\n")}

A path that is not listed here is 404, a method that a path does not list is 405 with \`Allow\`. One
trailing slash is treated as absent. Every answer carries an \`X-Request-Id\`, under which the log
of the server tells more.`;

export const info: object = {
  title: "Forno",
  version,
  summary: "Pizza orders and the menu they are made of.",
  description,
  contact: { name: "Whoever runs this server" },
  license: { name: "MIT", url: "https://opensource.org/license/mit" },
};

/** The tags of operations; those of a kind bear its name and description. */
export const tags: readonly { readonly name: string; readonly description: string }[] = [
  { name: "events", description: "Changes as they happen." },
  { name: "pages", description: "The order page and the kitchen board." },
  { name: "service", description: "The service itself." },
  { name: "shop", description: "What the shop can do now." },
  { name: "tokens", description: "Tokens for guests." },
];

const token = { type: "http", scheme: "bearer", bearerFormat: "JWT" };

/** Who is let in, by the rule of a route; `anyone` may show any token too. */
export const securitySchemes: Readonly<Record<"token" | "staffToken" | "metricsToken", object>> = {
  token: {
    ...token,
    description:
      "A JWT signed with HS256 (RFC 7519) with the claims `role` (`staff` or `customer`), `exp`, " +
      "and `sub`, which customers must have; at most 4096 characters.",
  },
  staffToken: { ...token, description: "The same with the role `staff`." },
  metricsToken: {
    ...token,
    description: "The same with the role `metrics` or `staff`. With `metrics` it opens no more.",
  },
};
