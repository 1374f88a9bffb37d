/**
 * The JSON schemas of a kind, made of those that stand beside the guards of its fields: what is
 * answered, what may be sent, what is stored. Each has the name that generated clients call it by.
 */

import type { Field, Schema } from "./field.ts";
import type { Kind } from "./kind.ts";

const timeExample = "2026-01-31T18:00:00.000Z";

/** As the server writes times. */
export const timeSchema: Schema = {
  type: "string",
  format: "date-time",
  pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$",
  description: "RFC 3339, in UTC, with milliseconds.",
  examples: [timeExample],
};

/** What is answered: exactly these members. */
export function answerSchema(kind: Kind): Schema {
  const { schemaName, label, times, examples } = kind;
  return {
    $component: `schemas/${schemaName}`,
    ...closedObject(answered(kind)),
    description: `The ${label} as it is stored.`,
    examples: [{ ...examples.create, ...members(times, timeExample) }],
  };
}

/** What a line of a backup has beside the resource (store/document.ts). */
export const lineMembers: Fields = {
  seq: { type: "integer", minimum: 0, description: "Its place in the list." },
  crc: {
    type: "string",
    pattern: "^[0-9a-f]{8}$",
    description: "CRC-32 of every byte of the document before it.",
  },
};

/** What backups hold: the same, and what the store keeps beside it. */
export function storedSchema(kind: Kind): Schema {
  const { schemaName, label, kept = { required: [], properties: {} } } = kind;
  const properties = { ...answered(kind), ...lineMembers };
  return {
    $component: `schemas/${schemaName}Stored`,
    ...closedObject({ ...properties, ...kept.properties }),
    required: [...Object.keys(properties), ...kept.required],
    description: `The ${label} with all that the store keeps beside it.`,
  };
}

/** What a POST takes. */
export function createSchema(kind: Kind): Schema {
  const { label, optional, examples } = kind;
  return {
    ...sentSchema(kind, "Create", mapFields(kind, ({ schema }) => schema), optional.create),
    required: allBut(kind, optional.create),
    description: `A new ${label}.`,
    examples: [examples.create],
  };
}

/** What a PUT takes. */
export function updateSchema(kind: Kind): Schema {
  const { label, optional, examples } = kind;
  return {
    ...sentSchema(kind, "Update", mapFields(kind, ({ schema }) => schema), []),
    required: allBut(kind, optional.update),
    description: `All of what the ${label} should be. An \`id\` must be the one in the path.`,
    examples: [{ ...examples.create, ...examples.patch }],
  };
}

/**
 * What a PATCH takes. RFC 7396: null removes a member, so that only what an update may leave out
 * may be null. A null for what is not there is accepted too, but clients could not be typed then.
 */
export function patchSchema(kind: Kind): Schema {
  const { label, optional, examples } = kind;
  const fields = mapFields(kind, ({ schema, patched = schema }) => patched);
  return {
    ...sentSchema(kind, "Patch", fields, optional.update),
    description:
      `What of the ${label} should change (RFC 7396). An \`id\` must be the one in the path.`,
    examples: [examples.patch],
  };
}

/** An object with these members, all of them, and no others. */
export function closedObject(properties: Readonly<Record<string, unknown>>): Schema {
  const required = Object.keys(properties);
  return { type: "object", required, properties, additionalProperties: false };
}

function answered(kind: Kind): Fields {
  return {
    ...mapFields(kind, ({ schema, answered = schema }) => answered),
    ...members(kind.times, timeSchema),
  };
}

// Not readOnly, which tools take to mean that it must not be sent.
const ignored: Schema = {
  description: "The server's own: accepted from a client that sends it back, and ignored.",
};

function sentSchema(
  { schemaName, times }: Kind,
  suffix: string,
  fields: Fields,
  nullable: readonly string[],
): Schema {
  const sent = Object.entries(fields).map(([name, schema]) => [
    name,
    nullable.includes(name) ? { anyOf: [schema, { type: "null" }] } : schema,
  ]);
  return {
    $component: `schemas/${schemaName}${suffix}`,
    type: "object",
    properties: { ...Object.fromEntries(sent), ...members(times, ignored) },
    additionalProperties: false,
  };
}

function allBut({ shape }: Kind, optional: readonly string[]): readonly string[] {
  return Object.keys(shape).filter((name) => !optional.includes(name));
}

type Fields = Readonly<Record<string, Schema>>;

function mapFields({ shape }: Kind, map: (field: Field<unknown>) => Schema): Fields {
  return Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, map(field)]));
}

function members<T>(names: readonly string[], value: T): Readonly<Record<string, T>> {
  return Object.fromEntries(names.map((name) => [name, value]));
}
