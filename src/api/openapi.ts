/**
 * The service as it is set up, as an OpenAPI 3.1 document (contract part 3), made of the routes
 * that the service itself runs on: each says what it is, and what is not a route is not described.
 *
 * Added here is what follows from a route: who may ask, and what may go wrong.
 */

import { isDeepStrictEqual } from "node:util";
import type { Rule } from "../auth/access.ts";
import { type QueryParameter, refusesUnknown } from "../http/query.ts";
import type {
  AnswerDescription,
  Content,
  Operation,
  Parameter,
  Route,
} from "../http/route.ts";
import type { ProblemType } from "../problems/problem-types.ts";
import { headersOf, info, requestId, securitySchemes } from "./openapi-info.ts";
import { anyProblem, problemAnswers } from "./openapi-problems.ts";

/** The document. */
export function describeRoutes(routes: readonly Route[]): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const { method, path } = route;
    const item = (paths[path.replaceAll(/:(\w+)/g, "{$1}")] ??= {});
    item[method.toLowerCase()] = operationObject(route);
  }
  const tags = new Map(routes.map(({ operation: { tag } }) => [tag.name, tag]));
  const document = {
    openapi: "3.1.0",
    info,
    servers: [{ url: ".", description: "The server that this description comes from." }],
    tags: [...tags.values()].sort((one, other) => (one.name < other.name ? -1 : 1)),
    paths,
  };
  return withComponents(document, { securitySchemes });
}

function operationObject({ path, rule, query = [], operation }: Route): object {
  const { id, tag, summary, description, parameters = [], body, answers } = operation;
  const described = Object.entries(answers).map(([status, row]) => [status, answerObject(row)]);
  return {
    operationId: id,
    tags: [tag.name],
    summary,
    description,
    security: securityOf(rule),
    parameters: [...query.map(queryObject), ...parameters, requestId],
    ...(body && { requestBody: { required: true, content: mediaOf(body) } }),
    responses: {
      ...Object.fromEntries(described),
      ...problemAnswers(problemsOf(operation, rule, refusesUnknown(path))),
      default: anyProblem(),
    },
  };
}

/** A query parameter as the description has it: without how it is parsed. */
function queryObject(parameter: QueryParameter): Parameter {
  const { $component, name, description, schema, example } = parameter;
  return {
    ...($component !== undefined && { $component }),
    name,
    in: "query",
    description,
    schema,
    ...(example !== undefined && { example }),
  };
}

function answerObject({ description, headers, content, links }: AnswerDescription): object {
  return {
    description,
    ...(headers && { headers: headersOf(headers) }),
    ...(content && { content: mediaOf(content) }),
    ...(links && { links }),
  };
}

function mediaOf(content: Content): object {
  return Object.fromEntries(Object.entries(content).map(([type, schema]) => [type, { schema }]));
}

/** The schemes of openapi-info.ts. An empty alternative is: nobody in particular. */
function securityOf(rule: Rule): readonly object[] {
  if (rule === "anyone") return [{}, { token: [] }];
  return [{ [rule === "staff" || rule === "reader" ? `${rule}Token` : "token"]: [] }];
}

/** A bad token is refused even where none is needed. */
function problemsOf(
  { body, problems = [] }: Operation,
  rule: Rule,
  isStrict: boolean,
): readonly ProblemType[] {
  return [
    ...(body === undefined ? [] : problemsOfBodies),
    ...(isStrict ? (["invalid-query"] as const) : []),
    ...problems,
    "not-authenticated",
    ...(rule === "anyone" || rule === "any role" ? [] : (["forbidden"] as const)),
  ];
}

const problemsOfBodies: readonly ProblemType[] = [
  "invalid-body",
  "invalid-json",
  "body-too-large",
  "unsupported-media-type",
  "storage-unavailable",
];

type Components = Record<string, Record<string, object>>;

/**
 * The document with each part that has a `$component`, "schemas/Order", under its components, and a
 * reference to it wherever it was, beside the `others`. Throws where two different parts have the
 * same name.
 */
function withComponents(document: object, others: object): object {
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
