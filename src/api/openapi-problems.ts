/** What an operation answers where something is wrong: one a status, of the types it can be. */

import { type ProblemType, problemTypes } from "../problems/problem-types.ts";

const mediaType = "application/problem+json";

/** What a request may be answered wherever it goes. */
const anywhere: readonly ProblemType[] = [
  "malformed-request",
  "request-timeout",
  "rate-limited",
  "headers-too-large",
  "internal",
];

/** The `default` of every operation. */
export function anyProblem(): object {
  return {
    $component: "responses/AnyProblem",
    description: "What any request may be answered.",
    headers: retryAfter,
    content: { [mediaType]: { schema: oneOf("AnyProblem", anywhere) } },
  };
}

/** A `responses` object. */
export function problemAnswers(types: readonly ProblemType[]): object {
  const answers = [...new Set(types.map(statusOf))].map((status) => {
    const group = types.filter((type) => statusOf(type) === status);
    // A status that is listed is no more one of the default's.
    const others = anywhere.filter((type) => statusOf(type) === status);
    return [status, problemAnswer([...group, ...others])];
  });
  return Object.fromEntries(answers);
}

function statusOf(type: ProblemType): number {
  return problemTypes[type].status;
}

function problemAnswer(types: readonly ProblemType[]): object {
  const name = types.map(pascalCase).join("Or");
  const titles = types.map((type) => problemTypes[type].title);
  return {
    $component: `responses/${name}`,
    description: `${titles.join("; or: ")}.`,
    headers: Object.assign({}, ...types.map((type) => headersOf[type])),
    content: { [mediaType]: { schema: oneOf(`${name}Problem`, types) } },
  };
}

/** A union has a name too: generated clients would make one up. */
function oneOf(name: string, types: readonly ProblemType[]): object {
  const [first, ...others] = types.map(problemSchema);
  if (first !== undefined && others.length === 0) return first;
  const mapping = types.map((type) => [
    `/problems/${type}`,
    `#/components/schemas/${pascalCase(type)}Problem`,
  ]);
  return {
    $component: `schemas/${name}`,
    oneOf: [first, ...others],
    discriminator: { propertyName: "type", mapping: Object.fromEntries(mapping) },
  };
}

function problemSchema(type: ProblemType): object {
  const { status, meaning } = problemTypes[type];
  const members = membersOf[type] ?? {};
  return {
    $component: `schemas/${pascalCase(type)}Problem`,
    type: "object",
    description: meaning,
    required: ["type", "title", "status", "detail", ...Object.keys(members)],
    properties: {
      type: { type: "string", const: `/problems/${type}` },
      title: { type: "string" },
      status: { type: "integer", const: status },
      detail: { type: "string", description: "Enough on its own for a person." },
      ...members,
    },
    additionalProperties: false,
  };
}

const bodyFaults = faults("BodyFault", {
  pointer: {
    type: "string",
    pattern: "^#(/.*)?$",
    description: "Where in the body: a JSON pointer as a URI fragment (RFC 6901 section 6).",
    examples: ["#/toppings/0/id"],
  },
});

const queryFaults = faults("QueryFault", {
  parameter: { type: "string", description: "Its name.", examples: ["isVegan"] },
});

function faults(name: string, place: Readonly<Record<string, object>>): object {
  const properties = {
    ...place,
    detail: { type: "string", description: "What was expected, and what came." },
  };
  const items = {
    $component: `schemas/${name}`,
    type: "object",
    description: "One thing that is wrong.",
    required: Object.keys(properties),
    properties,
    additionalProperties: false,
  };
  return { type: "array", minItems: 1, items, description: "Everything that is wrong, at once." };
}

/** The members that RFC 9457 leaves to the type. */
const membersOf: Readonly<Partial<Record<ProblemType, Readonly<Record<string, object>>>>> = {
  "invalid-body": { errors: bodyFaults },
  "invalid-json": { errors: bodyFaults },
  "invalid-query": { errors: queryFaults },
  "sold-out": { errors: bodyFaults },
  "id-taken": {
    identical: { type: "boolean", description: "Whether what is stored is what was sent." },
  },
  "status-not-allowed": {
    allowed: {
      type: "array",
      items: { $ref: "#/components/schemas/OrderStatus" },
      description: "The statuses that may follow.",
    },
  },
};

const text = { type: "string" };
const retryAfter = {
  "Retry-After": { description: "Seconds to wait.", schema: { type: "integer", minimum: 1 } },
};
const challenge = {
  "WWW-Authenticate": {
    description: "What is wrong with the credentials (RFC 6750).",
    schema: { type: "string", pattern: "^Bearer " },
  },
};

/** Optional, as other problems of the same status do not have them. */
const headersOf: Readonly<Partial<Record<ProblemType, object>>> = {
  "not-authenticated": challenge,
  forbidden: challenge,
  "id-taken": {
    Location: {
      description: "The path of the resource that has the id, where the caller may read it.",
      schema: { type: "string", format: "uri-reference" },
    },
  },
  "precondition-failed": {
    ETag: { description: "Of the resource as it is stored.", schema: text },
  },
  "unsupported-media-type": {
    Accept: { description: "The media types that are read.", schema: text },
    "Accept-Patch": { description: "Of a PATCH: the media types that are read.", schema: text },
    "Accept-Encoding": { description: "The content codings that are read.", schema: text },
  },
  "rate-limited": retryAfter,
  "storage-unavailable": retryAfter,
};

/** "not-found" → "NotFound". */
function pascalCase(words: string): string {
  return words
    .split("-")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}
