/**
 * The JSON schemas of a kind, made of its fields: what the API answers, what it takes, and what a
 * backup holds. Generated clients get their type names from here.
 */

import type { Schema } from "./field.ts";
import type { Kind } from "./kind.ts";

type Schemas = Readonly<Record<string, Schema>>;

const timeExample = "2026-01-31T18:00:00.000Z";

/** A time as the server writes it. */
export const timeSchema: Schema = {
  type: "string",
  format: "date-time",
  description: "RFC 3339 in UTC, with milliseconds.",
  examples: [timeExample],
};

/** An object with these members, all of them required, and no others. */
export function closedObject(properties: Readonly<Record<string, unknown>>): Schema {
  const required = Object.keys(properties);
  return { type: "object", required, properties, additionalProperties: false };
}

/** "Order": what the API answers. */
export function answerSchema(kind: Kind): Schema {
  const { schemaName, label, times, examples } = kind;
  return {
    $component: `schemas/${schemaName}`,
    ...closedObject({ ...fieldsOf(kind), ...membersOf(times, timeSchema) }),
    description: `The ${label} as it is stored.`,
    examples: [{ ...examples.create, ...membersOf(times, timeExample) }],
  };
}

/** "OrderCreate": the body of a POST. */
export function createSchema(kind: Kind): Schema {
  return {
    $component: `schemas/${kind.schemaName}Create`,
    ...bodySchema(kind, kind.optional.create),
    description: `A new ${kind.label}.`,
    examples: [kind.examples.create],
  };
}

/** "OrderUpdate": the body of a PUT. */
export function updateSchema(kind: Kind): Schema {
  const { schemaName, label, optional, examples } = kind;
  return {
    $component: `schemas/${schemaName}Update`,
    ...bodySchema(kind, optional.update),
    description: `The whole ${label}. If it has an \`id\`, it must be the one in the path.`,
    examples: [{ ...examples.create, ...examples.patch }],
  };
}

/** "OrderPatch": the body of a PATCH. */
export function patchSchema(kind: Kind): Schema {
  const { schemaName, label, optional, examples } = kind;
  return {
    $component: `schemas/${schemaName}Patch`,
    ...partial(bodySchema(kind, optional.update)),
    description: `The fields of the ${label} that should change (RFC 7396).`,
    examples: [examples.patch],
  };
}

/** A merge patch of it: every member may be left out, in nested objects too. */
export function partial(schema: Schema): Schema {
  const { required: _, properties, ...rest } = schema;
  // A component has its name and shape elsewhere too.
  if (properties === undefined || schema["$component"] !== undefined) return schema;
  // Every member of `properties` is a schema.
  const members = Object.entries(properties as Schemas).map(([name, member]) => [
    name,
    partial(member),
  ]);
  return { ...rest, properties: Object.fromEntries(members) };
}

/** What each resource of a backup has beside its own members. */
export const lineMembers: Schemas = {
  seq: { type: "integer", format: "int64", minimum: 0, description: "Its place in the list." },
  crc: {
    type: "string",
    pattern: "^[0-9a-f]{8}$",
    description: "CRC-32 of every byte of the document before it.",
  },
};

/** "OrderStored": a resource in a backup. */
export function storedSchema(kind: Kind): Schema {
  const { schemaName, label, times, kept = { required: [], properties: {} } } = kind;
  const members = { ...fieldsOf(kind), ...membersOf(times, timeSchema), ...lineMembers };
  return {
    $component: `schemas/${schemaName}Stored`,
    ...closedObject({ ...members, ...kept.properties }),
    required: [...Object.keys(members), ...kept.required],
    description: `The ${label} with what the store keeps beside it.`,
  };
}

// Not readOnly: tools take that to mean that a client must not send it.
const ignored: Schema = {
  ...timeSchema,
  description: "Set by the server. Accepted and ignored, so that a client can send an order back.",
};

function bodySchema(kind: Kind, optional: readonly string[]): Schema {
  const fields = fieldsOf(kind);
  return {
    type: "object",
    required: Object.keys(fields).filter((name) => !optional.includes(name)),
    properties: { ...fields, ...membersOf(kind.times, ignored) },
    additionalProperties: false,
  };
}

function fieldsOf({ shape }: Kind): Schemas {
  return Object.fromEntries(Object.entries(shape).map(([name, { schema }]) => [name, schema]));
}

function membersOf<T>(names: readonly string[], value: T): Readonly<Record<string, T>> {
  return Object.fromEntries(names.map((name) => [name, value]));
}
