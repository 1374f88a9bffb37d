/**
 * The JSON schemas of a kind, made from its fields: the response and the bodies. Generated clients
 * take their type names from here.
 */

import { type Fields, type Input, type Schema, timeField } from "../resources/field.ts";
import type { Kind } from "../resources/kind.ts";

type Schemas = Readonly<Record<string, Schema>>;

const timeExample = "2026-01-31T18:00:00.000Z";

/** Any string. */
export const text: Schema = { type: "string" };

/** An object with these members and no others. By default all are required. */
export function closedObject(
  properties: Readonly<Record<string, unknown>>,
  required: readonly string[] = Object.keys(properties),
): Schema {
  return { type: "object", required, properties, additionalProperties: false };
}

/** "Order": the resource in responses. */
export function responseSchema(kind: Kind): Schema {
  const { schemaName, label, fields, examples } = kind;
  const times = Object.keys(fields).filter((name) => fields[name]?.isServerSet === true);
  const timeMembers = Object.fromEntries(times.map((name) => [name, timeExample]));
  return {
    $component: `schemas/${schemaName}`,
    ...closedObject(schemasOf(fields), alwaysIn(fields)),
    description: `The ${label} as it is stored.`,
    examples: [{ ...examples.create, ...timeMembers }],
  };
}

/** "OrderCreate": the body of a POST. */
export function createSchema(kind: Kind): Schema {
  return {
    $component: `schemas/${kind.schemaName}Create`,
    ...bodySchema(kind, "create"),
    description: `A new ${kind.label}.`,
    examples: [kind.examples.create],
  };
}

/** "OrderUpdate": the body of a PUT. */
export function updateSchema(kind: Kind): Schema {
  const { schemaName, label, examples } = kind;
  return {
    $component: `schemas/${schemaName}Update`,
    ...bodySchema(kind, "update"),
    description: `The whole ${label}. If it has an \`id\`, it must be the one in the path.`,
    examples: [{ ...examples.create, ...examples.patch }],
  };
}

/** "OrderPatch": the body of a PATCH. */
export function patchSchema(kind: Kind): Schema {
  const { schemaName, label, examples } = kind;
  return {
    $component: `schemas/${schemaName}Patch`,
    ...partial(bodySchema(kind, "update")),
    description: `The fields of the ${label} that should change (RFC 7396).`,
    examples: [examples.patch],
  };
}

/** The schema with every member optional, in nested objects too. */
function partial(schema: Schema): Schema {
  const { required: _, properties, ...rest } = schema;
  // A component is shared with other schemas, so it must not change.
  if (properties === undefined || schema["$component"] !== undefined) return schema;
  // Every member of `properties` is a schema.
  const members = Object.entries(properties as Schemas).map(([name, member]) => [
    name,
    partial(member),
  ]);
  return { ...rest, properties: Object.fromEntries(members) };
}

// Not readOnly, which tools read as "a client must not send it".
const ignored: Schema = {
  ...timeField.schema,
  description: "Set by the server. Accepted and ignored, so that a client can send an order back.",
};

function bodySchema({ fields }: Kind, input: Input): Schema {
  const properties = Object.entries(fields).map(([name, { schema, isServerSet }]) => {
    return [name, isServerSet === true ? ignored : schema];
  });
  const sent = Object.keys(fields).filter((name) => fields[name]?.isServerSet !== true);
  const optional = leftOutOf(fields, input);
  return {
    type: "object",
    required: sent.filter((name) => !optional.includes(name)),
    properties: Object.fromEntries(properties),
    additionalProperties: false,
  };
}

function leftOutOf(fields: Fields, input: Input): string[] {
  return Object.keys(fields).filter((name) => fields[name]?.leftOutOf?.includes(input));
}

/** The fields that are in every stored resource. */
function alwaysIn(fields: Fields): string[] {
  const optional = leftOutOf(fields, "update");
  return Object.keys(fields).filter((name) => name === "id" || !optional.includes(name));
}

function schemasOf(fields: Fields): Schemas {
  return Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema]));
}
