/**
 * The refusals of an operation as OpenAPI responses: one a status, its schema the problem types
 * that are possible there, each with an example.
 */

import { STATUS_CODES } from "../http/node-http.ts";
import { type Problem, type ProblemType, problemTypes } from "../problems/problem.ts";
import type { Schema } from "../pizzeria/fields.ts";
import { isOrder } from "../pizzeria/orders.ts";
import { type Components, pascalCase, type Ref } from "./components.ts";
import { common, type CommonType } from "./problem-examples.ts";
import { describeHeaders } from "./headers.ts";

/** Something that an operation may answer instead, by an example. */
export interface Refusal {
  readonly problem: Problem;
  /** Begins the name of the response where the example is not everybody's: "Topping". */
  readonly scope: string;
}

export function commonRefusal(type: CommonType): Refusal {
  return { scope: "", problem: common[type]() };
}

const headersOf: Readonly<Partial<Record<ProblemType, readonly string[]>>> = {
  "not-authenticated": ["WWW-Authenticate"],
  forbidden: ["WWW-Authenticate"],
  "id-taken": ["OtherLocation"],
  "precondition-failed": ["StoredETag"],
  "unsupported-media-type": ["Accept", "AcceptedPatch", "Accept-Encoding"],
  "rate-limited": ["Retry-After"],
  "storage-unavailable": ["Retry-After"],
};

/** What an operation's answers have in common. */
export interface AnswersForm {
  /** The header fields of every answer. */
  readonly standing: readonly string[];
  /** Whether answers differ by caller, on a path where others do not. */
  readonly isByCaller: boolean;
  readonly isHead: boolean;
}

/** A `responses` object. */
export function describeRefusals(
  components: Components,
  refusals: readonly Refusal[],
  { standing, isByCaller, isHead }: AnswersForm,
): Readonly<Record<string, Ref>> {
  const statuses = new Set(refusals.map(({ problem }) => problem.status));
  const responses = [...statuses].sort().map((status) => {
    const group = refusals.filter(({ problem }) => problem.status === status);
    const form = (isByCaller ? "ByCaller" : "") + (isHead ? "Head" : "");
    const name = responseName(status, group) + form;
    const make = (): object => ({
      description: `${titlesOf(group).join("; or: ")}.`,
      headers: describeHeaders(components, headerNames(group, standing)),
      ...(!isHead && {
        content: { "application/problem+json": problemContent(components, group) },
      }),
    });
    return [status, components.refer("responses", name, make)];
  });
  return Object.fromEntries(responses);
}

/** "NotFound" with the narrowest scope in front. */
function responseName(status: number, group: readonly Refusal[]): string {
  const scopes = group.map(({ scope }) => scope);
  const [narrowest = ""] = scopes.sort((one, other) => other.length - one.length);
  return narrowest + pascalCase(STATUS_CODES[status] ?? "");
}

function typesOf(group: readonly Refusal[]): readonly ProblemType[] {
  return [...new Set(group.map(({ problem }) => problem.type))];
}

function titlesOf(group: readonly Refusal[]): readonly string[] {
  return typesOf(group).map((type) => problemTypes[type].title);
}

function headerNames(group: readonly Refusal[], standing: readonly string[]): readonly string[] {
  const own = typesOf(group).flatMap((type) => headersOf[type] ?? []);
  return [...standing, "Cache-Control", ...own];
}

function problemContent(components: Components, group: readonly Refusal[]): object {
  const schemas = typesOf(group).map((type) => describeProblem(components, type));
  const examples = new Map<string, object>();
  for (const { problem } of group) {
    const { type } = problem;
    const name = examples.has(type) ? `${type}-${examples.size}` : type;
    examples.set(name, { summary: problemTypes[type].title, value: problem.toJSON() });
  }
  return {
    schema: schemas.length === 1 ? schemas[0] : { oneOf: schemas },
    examples: Object.fromEntries(examples),
  };
}

function describeProblem(components: Components, type: ProblemType): Ref {
  return components.refer("schemas", `${pascalCase(type)}Problem`, () => {
    const { status, title } = problemTypes[type];
    const extension = extensionOf(components, type);
    const detail = { type: "string", description: "Enough on its own for a person." };
    return {
      type: "object",
      description: `${title} (RFC 9457).`,
      required: ["type", "title", "status", "detail", ...Object.keys(extension)],
      properties: {
        type: { type: "string", enum: [`/problems/${type}`] },
        title: { type: "string", enum: [title] },
        status: { type: "integer", enum: [status] },
        detail,
        ...extension,
      },
      additionalProperties: false,
    };
  });
}

/** The members that RFC 9457 leaves to the type. */
function extensionOf(components: Components, type: ProblemType): Readonly<Record<string, Schema>> {
  switch (type) {
    case "invalid-body":
    case "invalid-json":
    case "sold-out":
      return { errors: faultsSchema(components, "BodyFault", pointer) };
    case "invalid-query":
      return { errors: faultsSchema(components, "QueryFault", parameter) };
    case "id-taken":
      return {
        identical: { type: "boolean", description: "Whether what is stored is what was sent." },
      };
    case "status-not-allowed":
      return { allowed: { ...statusesSchema, items: statusSchema(components) } };
    default:
      return {};
  }
}

const statusesSchema: Schema = { type: "array", description: "The statuses that may follow." };

function statusSchema(components: Components): Ref {
  return components.refer("schemas", "OrderStatus", () => isOrder.shape.status.schema);
}

const pointer: Readonly<Record<string, Schema>> = {
  pointer: {
    type: "string",
    pattern: "^#(/.*)?$",
    description: "Where in the body: a JSON pointer as a URI fragment (RFC 6901 section 6).",
    examples: ["#/toppings/0/id"],
  },
};

const parameter: Readonly<Record<string, Schema>> = {
  parameter: { type: "string", description: "Its name.", examples: ["isVegan"] },
};

function faultsSchema(
  components: Components,
  name: string,
  place: Readonly<Record<string, Schema>>,
): Schema {
  const properties = {
    ...place,
    detail: { type: "string", description: "What was expected, and what came." },
  };
  const items = components.refer("schemas", name, () => ({
    type: "object",
    description: "One thing that is wrong.",
    required: Object.keys(properties),
    properties,
    additionalProperties: false,
  }));
  return { type: "array", minItems: 1, items, description: "Everything that is wrong, at once." };
}
