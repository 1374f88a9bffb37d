/**
 * The service as it is set up, as an OpenAPI 3.1 document (contract part 3), made of the routes
 * that the service itself runs on: each says what it is, and what is not a route is not described.
 *
 * Added here is what follows from a route: who may ask, and what may go wrong.
 */

import type { Rule } from "../auth/access.ts";
import type { AnswerDescription, Content, Operation } from "../http/operation.ts";
import type { Route } from "../http/route.ts";
import type { ProblemType } from "../problems/problem-types.ts";
import { withComponents } from "./components.ts";
import { headersOf } from "./headers.ts";
import { info, requestId, securitySchemes } from "./info.ts";
import { anyProblem, problemAnswers } from "./problems.ts";

/** The document. */
export function describeRoutes(routes: readonly Route[]): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const { method, path, rule, operation } of routes) {
    const item = (paths[path.replaceAll(/:(\w+)/g, "{$1}")] ??= {});
    item[method.toLowerCase()] = operationObject(operation, rule);
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

function operationObject(operation: Operation, rule: Rule): object {
  const { id, tag, summary, description, parameters = [], body, answers } = operation;
  const described = Object.entries(answers).map(([status, row]) => [status, answerObject(row)]);
  return {
    operationId: id,
    tags: [tag.name],
    summary,
    description,
    security: securityOf(rule),
    parameters: [...parameters, requestId],
    ...(body && { requestBody: { required: true, content: mediaOf(body) } }),
    responses: {
      ...Object.fromEntries(described),
      ...problemAnswers(problemsOf(operation, rule)),
      default: anyProblem(),
    },
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

/** The schemes of info.ts. An empty alternative is: nobody in particular. */
function securityOf(rule: Rule): readonly object[] {
  if (rule === "anyone") return [{}, { token: [] }];
  return [{ [rule === "customer" ? "token" : `${rule}Token`]: [] }];
}

/** A bad token is refused even where none is needed. */
function problemsOf({ body, problems = [] }: Operation, rule: Rule): readonly ProblemType[] {
  return [
    ...(body === undefined ? [] : problemsOfBodies),
    ...problems,
    "not-authenticated",
    ...(rule === "anyone" ? [] : (["forbidden"] as const)),
  ];
}

const problemsOfBodies: readonly ProblemType[] = [
  "invalid-body",
  "invalid-json",
  "body-too-large",
  "unsupported-media-type",
  "storage-unavailable",
];
