/** An operation of the description: what its row says, and what its route adds to that. */

import type { Components, Ref } from "./components.ts";
import { badToken } from "./problem-examples.ts";
import { describeHeaders } from "./headers.ts";
import { describeParameters } from "./parameters.ts";
import { commonRefusal, describeRefusals, type Refusal } from "./problems.ts";
import type { Route } from "../http/route.ts";

/** What is particular to an operation. */
export interface OperationRow {
  /** operationId. */
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** Those in the path, which every operation there has. */
  readonly pathParameters?: readonly Ref[];
  readonly parameters?: readonly Ref[];
  /** Request bodies by media type. */
  readonly body?: { readonly description: string; readonly content: object };
  /** By status: what is answered when nothing is wrong. */
  readonly answers: Readonly<Record<number, AnswerRow>>;
  /** What may go wrong here, beyond what may go wrong anywhere. */
  readonly refusals?: readonly Refusal[];
}

/** By method and path as in the route table. Made for routes that there are. */
export type OperationRows = Readonly<Record<string, () => OperationRow>>;

export interface AnswerRow {
  readonly description: string;
  /** Keys of the header rows, beside those of every answer. */
  readonly headers: readonly string[];
  readonly content?: Readonly<Record<string, object>>;
  readonly links?: object;
}

export interface OperationContext {
  readonly components: Components;
  /** Header rows of every answer. */
  readonly standing: readonly string[];
  /** Whether a preflight is described, and the fields of the request that asks for one. */
  readonly cors: boolean;
}

/** Answers that give the client what it has not got yet: 304 stands beside each. */
export function readAnswers(
  description: string,
  answer: Omit<AnswerRow, "description">,
): {
  readonly 200: AnswerRow;
  readonly 304: AnswerRow;
} {
  const { headers } = answer;
  return {
    200: { description, ...answer },
    304: { description: "The client has it already: see `If-None-Match`.", headers },
  };
}

/** HEAD, which every GET answers too. */
export function describeHead(
  row: OperationRow,
  route: Route,
  context: OperationContext,
): Readonly<Record<string, unknown>> {
  const head = {
    ...row,
    id: `${row.id}Head`,
    summary: `${row.summary} (header only)`,
    description: "As GET, with the same header fields, without the body.",
  };
  return describeOperation(head, route, context, true);
}

/** `row`: of any operation at the path. `routes`: all of them. */
export function describeOptions(
  row: OperationRow,
  routes: readonly Route[],
  { components, standing, cors }: OperationContext,
): Readonly<Record<string, unknown>> {
  const patch = routes.some(({ method }) => method === "PATCH") ? ["Accept-Patch"] : [];
  const preflight = cors ? preflightHeaders : [];
  const own = ["Cache-Control", "Allow", ...patch, ...preflight];
  const headers = describeHeaders(components, [...standing, ...own]);
  const parameters = ["RequestId", ...(cors ? ["Origin", "RequestedMethod"] : [])];
  const types = [
    "malformed-request",
    "request-timeout",
    ...(routes.some(({ isUnlimited }) => isUnlimited === true) ? [] : (["rate-limited"] as const)),
    "headers-too-large",
    "internal",
  ] as const;
  const refusals = types.map(commonRefusal);
  return {
    operationId: `${row.id}Options`,
    tags: [row.tag],
    summary: "What this path takes",
    description: "The methods of the path; answers CORS preflights.",
    security: [],
    parameters: [...anyParameters(routes), ...describeParameters(components, parameters)],
    responses: {
      204: { description: "The methods are in `Allow`.", headers },
      ...describeRefusals(components, refusals, { standing, isByCaller: false, isHead: false }),
    },
  };
}

/** OPTIONS answers for any id: none is looked up. */
function anyParameters([first]: readonly Route[]): readonly object[] {
  const name = /:(\w+)/.exec(first?.path ?? "")?.[1];
  if (name === undefined) return [];
  const description = "Whatever it is: nothing is looked for.";
  return [{ name, in: "path", required: true, description, schema: { type: "string" } }];
}

const preflightHeaders = [
  "Access-Control-Allow-Methods",
  "Access-Control-Allow-Headers",
  "Access-Control-Max-Age",
];

export function describeOperation(
  row: OperationRow,
  route: Route,
  context: OperationContext,
  isHead = false,
): Readonly<Record<string, unknown>> {
  const { components } = context;
  const isByCaller = route.vary !== undefined && !context.standing.includes("Vary");
  const standing = isByCaller ? [...context.standing, "Vary"] : context.standing;
  const answers = Object.entries(row.answers).map(([status, { headers, ...answer }]) => {
    const { content: _body, ...header } = answer;
    const names = [...standing, ...headers];
    return [status, { ...(isHead ? header : answer), headers: describeHeaders(components, names) }];
  });
  const refusals = [...(row.refusals ?? []), ...routeRefusals(route)];
  return {
    operationId: row.id,
    tags: [row.tag],
    summary: row.summary,
    description: row.description,
    security: securityOf(route),
    parameters: [...(row.parameters ?? []), ...describeParameters(components, ["RequestId"])],
    ...(row.body && { requestBody: { ...row.body, required: true } }),
    responses: {
      ...Object.fromEntries(answers),
      ...describeRefusals(components, refusals, { standing, isByCaller, isHead }),
    },
  };
}

/** The schemes of info.ts. An empty alternative is: nobody in particular. */
function securityOf({ rule }: Route): readonly object[] {
  if (rule === "anyone") return [{}, { token: [] }];
  return [{ [rule === "customer" ? "token" : `${rule}Token`]: [] }];
}

/** Whatever is asked for, a token that is bad is refused, and so is what is no HTTP. */
function routeRefusals({ rule, isUnlimited }: Route): readonly Refusal[] {
  const types = [
    "malformed-request",
    ...(rule === "anyone" ? [] : (["not-authenticated", "forbidden"] as const)),
    "request-timeout",
    ...(isUnlimited === true ? [] : (["rate-limited"] as const)),
    "headers-too-large",
    "internal",
  ] as const;
  const openly = rule === "anyone" ? [{ scope: "BadToken", problem: badToken() }] : [];
  return [...openly, ...types.map(commonRefusal)];
}
