/**
 * GET /openapi.json (contract part 3): the OpenAPI 3.1 document. It is made of the server's own
 * routes, so it lists exactly the operations of this server.
 */

import { isDeepStrictEqual } from "node:util";
import type { Rule } from "../auth/access.ts";
import { jsonResponse, noCache, type Response } from "../http/response.ts";
import { conditional, strongTag } from "../http/etag.ts";
import { type QueryParameter, refusesUnknown } from "../http/query.ts";
import type { MediaTypes, Operation, Parameter, Route, Tag } from "../http/route.ts";
import { type ProblemType, problemTypes } from "../problems/problem-types.ts";
import { info, json, serviceTag, text } from "./openapi-info.ts";

/** `routes`: read at the first request. */
export function descriptionRoute(routes: readonly Route[]): Route {
  let response: Response | undefined;
  const describe = (): Response => {
    const document = JSON.stringify(describeRoutes(routes));
    return jsonResponse(200, document, ["ETag", strongTag(document), ...noCache]);
  };
  return {
    method: "GET",
    path: "/openapi.json",
    rule: "anyone",
    handle: ({ headers }) => conditional((response ??= describe()), headers),
    operation: {
      id: "getDescription",
      tag: serviceTag,
      summary: "This description",
      description: "OpenAPI 3.1, of the service with its settings.",
      success: {
        description: "An OpenAPI document.",
        headers: ["ETag"],
        content: json({ type: "object", additionalProperties: true }),
      },
    },
  };
}

/** The document. JSON leaves out its members that are undefined. */
function describeRoutes(routes: readonly Route[]): object {
  const paths: Record<string, Record<string, object>> = {};
  const tags = new Map<string, Tag>();
  for (const route of routes) {
    const { method, path, operation } = route;
    // Pages and their files are for browsers, not for generated clients.
    if (operation === undefined) continue;
    const item = (paths[path.replaceAll(/:(\w+)/g, "{$1}")] ??= {});
    item[method.toLowerCase()] = operationObject(route, operation);
    tags.set(operation.tag.name, operation.tag);
  }
  const document = {
    openapi: "3.1.0",
    info,
    servers: [{ url: ".", description: "The server that this description comes from." }],
    tags: [...tags.values()].sort((one, other) => (one.name < other.name ? -1 : 1)),
    paths,
  };
  return withComponents(document, { securitySchemes: { token } });
}

const token = {
  type: "http",
  scheme: "bearer",
  bearerFormat: "JWT",
  description:
    "A JWT signed with HS256 (RFC 7519). Claims: `role` (`staff`, `customer` or `reader`), " +
    "`exp`, `sub`, which customers must have, `iat`, and `by`, the names that invited it.",
};

/** A sentence for each rule of a route. */
const whoMay: Readonly<Record<Rule, string>> = {
  anyone: "",
  // The operation's own description says who may read.
  "any role": "",
  customer: " For staff and customers.",
  reader: " For staff and readers.",
  staff: " For staff.",
};

function operationObject(route: Route, operation: Operation): object {
  const { method, rule, query = [] } = route;
  const { id, tag, summary, description, parameters = [], body, success } = operation;
  const hasEtag = method === "GET" && success.headers?.includes("ETag") === true;
  return {
    operationId: id,
    tags: [tag.name],
    summary,
    description: description + whoMay[rule],
    security: rule === "anyone" ? [{}, { token: [] }] : [{ token: [] }],
    parameters: [
      ...parameters,
      ...query.map(queryObject),
      ...conditions(operation, hasEtag),
    ],
    requestBody: body && { required: operation.isBodyOptional !== true, content: mediaOf(body) },
    responses: {
      [success.status ?? 200]: {
        description: success.description,
        headers: success.headers && headersOf(success.headers),
        content: success.content && mediaOf(success.content),
      },
      304: hasEtag ? notModified : undefined,
      ...problemResponses(problemsOf(route, operation)),
      default: anyProblem,
    },
  };
}

/** A query parameter without what only the server needs. */
function queryObject({ $component, name, description, schema, example }: QueryParameter): object {
  return { $component, name, in: "query", description, schema, example };
}

function mediaOf(content: MediaTypes): object {
  return Object.fromEntries(Object.entries(content).map(([type, schema]) => [type, { schema }]));
}

function conditions({ problems = [] }: Operation, hasEtag: boolean): readonly Parameter[] {
  if (hasEtag) return [ifNoneMatch];
  return problems.includes("precondition-failed") ? [ifMatch] : [];
}

const headerRows: Readonly<Record<string, object>> = {
  ETag: { description: "Changes with the content (RFC 9110).", schema: { type: "string" } },
  "X-Total-Count": {
    description: "How many resources match, on all pages together.",
    schema: { type: "integer", minimum: 0 },
  },
  Link: {
    description: 'The next page, `rel="next"`, while there is one (RFC 8288).',
    schema: { type: "string" },
  },
  Location: {
    description: "The path of the resource.",
    schema: { type: "string", format: "uri-reference" },
  },
  "Retry-After": {
    description: "Seconds to wait before the next try.",
    schema: { type: "integer", minimum: 1 },
  },
  "WWW-Authenticate": {
    description: "What is wrong with the token (RFC 6750).",
    schema: { type: "string" },
  },
};

/** A `headers` object. Throws for a name without a row. */
function headersOf(names: readonly string[]): object {
  const headers = names.map((name) => {
    const row = headerRows[name];
    if (row === undefined) throw new Error(`the description has no row for the header ${name}`);
    return [name, { $component: `headers/${name}`, ...row }];
  });
  return Object.fromEntries(headers);
}

const ifNoneMatch: Parameter = {
  $component: "parameters/IfNoneMatch",
  name: "If-None-Match",
  in: "header",
  description: "The `ETag` of the response that the client has: 304 while it is still the same.",
  schema: { type: "string" },
};

const ifMatch: Parameter = {
  $component: "parameters/IfMatch",
  name: "If-Match",
  in: "header",
  description: "The `ETag` of the resource that the client has read: 412 if it has changed since.",
  schema: { type: "string" },
};

const notModified = {
  $component: "responses/NotModified",
  description: "The client has it already: see `If-None-Match`.",
  headers: headersOf(["ETag"]),
};

/** The operation's own problems, and the problems that follow from its path, body and rule. */
function problemsOf(
  { path, rule }: Route,
  { body, problems = [] }: Operation,
): readonly ProblemType[] {
  const types: ProblemType[] = [];
  if (refusesUnknown(path)) types.push("invalid-query");
  if (body !== undefined) types.push(...bodyProblems);
  // A bad token is refused even where none is needed.
  types.push("not-authenticated");
  if (rule !== "anyone" && rule !== "any role") types.push("forbidden");
  if (path.includes(":")) types.push("not-found");
  return [...types, ...problems];
}

const bodyProblems: readonly ProblemType[] = [
  "invalid-body",
  "invalid-json",
  "body-too-large",
  "unsupported-media-type",
  "storage-unavailable",
];

/** Responses by status. */
function problemResponses(types: readonly ProblemType[]): object {
  const byStatus = new Map<number, readonly ProblemType[]>();
  for (const type of types) {
    const { status } = problemTypes[type];
    byStatus.set(status, [...(byStatus.get(status) ?? []), type]);
  }
  const responses = [...byStatus].map(([status, group]) => {
    const names = group.map((type) => `\`${type}\`: ${problemTypes[type].title}.`);
    const headers = problemHeaders[status];
    const response = {
      description: names.join(" "),
      headers: headers && headersOf(headers),
      content: problemContent,
    };
    return [status, response];
  });
  return Object.fromEntries(responses);
}

const problemSchema = {
  $component: "schemas/Problem",
  type: "object",
  description: "An error (RFC 9457). `detail` is enough for a person.",
  required: ["type", "title", "status", "detail"],
  properties: {
    type: {
      type: "string",
      format: "uri-reference",
      description: "`/problems/` and the type. The page there says what to do.",
      examples: ["/problems/not-found"],
    },
    title: { type: "string", description: "The same for every problem of this type." },
    status: { type: "integer", description: "The HTTP status." },
    detail: { type: "string", description: "What was expected, what came, and how to fix it." },
    errors: {
      type: "array",
      description: "Every fault of the request, at most a hundred.",
      items: {
        $component: "schemas/Fault",
        type: "object",
        description: "One fault, either in the body or in the query.",
        required: ["detail"],
        properties: {
          pointer: {
            type: "string",
            description: "Where in the body: a JSON pointer as a URI fragment (RFC 6901).",
            examples: ["#/toppings/0/id"],
          },
          parameter: { type: "string", description: "The query parameter.", examples: ["limit"] },
          detail: text,
        },
      },
    },
    allowed: {
      type: "array",
      items: text,
      description: "`status-not-allowed`: the statuses that may follow.",
    },
    identical: {
      type: "boolean",
      description: "`id-taken`: true if the stored resource is what was sent.",
    },
  },
  additionalProperties: true,
};

const problemContent = mediaOf({ "application/problem+json": problemSchema });

const anyProblem = {
  $component: "responses/AnyProblem",
  description:
    "Any other problem, such as `rate-limited`, `headers-too-large` or `internal`.",
  headers: headersOf(["Retry-After"]),
  content: problemContent,
};

const problemHeaders: Readonly<Record<number, readonly string[]>> = {
  401: ["WWW-Authenticate"],
  403: ["WWW-Authenticate"],
  409: ["Location"],
  412: ["ETag"],
  503: ["Retry-After"],
};

type Components = Record<string, Record<string, object>>;

/**
 * Moves each part that has a `$component`, such as "schemas/Order", to the components beside the
 * `others`, and leaves a reference where it was. Throws if two different parts have the same name.
 */
function withComponents(document: object, others: Components): object {
  const components: Components = {};
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== "object" || value === null) return value;
    const members = Object.entries(value).map(([name, member]) => [name, visit(member)]);
    const { $component: place, ...part } = Object.fromEntries(members);
    if (place === undefined) return part;
    const [section = "", name = ""] = String(place).split("/");
    const parts = (components[section] ??= {});
    if (!isDeepStrictEqual((parts[name] ??= part), part)) {
      throw new Error(`the description has two different parts by the name of ${place}`);
    }
    return { $ref: `#/components/${place}` };
  };
  return { ...(visit(document) as object), components: { ...components, ...others } };
}
