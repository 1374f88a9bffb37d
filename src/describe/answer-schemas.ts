/** What is answered: exactly these members, all of them there. */

import { subjectLength } from "../auth/claims.ts";
import { idField, isObject, nameField, type Schema } from "../pizzeria/fields.ts";
import type { Kind } from "../pizzeria/kind.ts";
import { mapValues } from "./components.ts";

export const timeSchema: Schema = {
  type: "string",
  format: "date-time",
  pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$",
  description: "RFC 3339, in UTC, with milliseconds.",
  examples: ["2026-01-31T18:00:00.000Z"],
};

export function answerSchema(kind: Kind): Schema {
  return {
    ...closedObject(members(kind, closed)),
    description: `The ${kind.label} as it is stored.`,
  };
}

export function namedSchema(kind: Kind): Schema {
  return {
    ...closedObject(members(kind, withName)),
    description: `The ${kind.label} with the names of what it holds, as they were then.`,
  };
}

export function storedSchema(kind: Kind): Schema {
  const properties = members(kind, closed);
  if (kind.placed === undefined) return closedObject(properties);
  const names = mapValues(kind.shape, ({ schema }) => namesSchema(schema));
  const { pizzaSize, toppings, beverages } = names;
  const required = { ...properties, names: closedObject({ pizzaSize, toppings, beverages }) };
  const placedBy = {
    type: "string",
    minLength: 1,
    maxLength: subjectLength,
    description: "The `sub` of the token that it was placed with, if that had one.",
  };
  return {
    ...closedObject(required),
    properties: { ...required, placedBy },
    description: `The ${kind.label} with all that the store keeps beside it.`,
  };
}

export function closedObject(properties: Readonly<Record<string, unknown>>): Schema {
  return {
    type: "object",
    required: Object.keys(properties),
    properties,
    additionalProperties: false,
  };
}

function members(
  kind: Kind,
  ofField: (schema: Schema) => Schema,
): Readonly<Record<string, Schema>> {
  const fields = mapValues(kind.shape, ({ schema }) => ofField(schema));
  return kind.placed ? { ...fields, placedAt: timeSchema, updatedAt: timeSchema } : fields;
}

/** A reference is answered as its id alone. */
function closed(schema: Schema): Schema {
  return overReferences(schema, () => closedObject({ id: idField.schema }));
}

function withName(schema: Schema): Schema {
  return overReferences(schema, () => closedObject({ id: idField.schema, name: nameField.schema }));
}

function namesSchema(schema: Schema): Schema {
  return overReferences(schema, () => nameField.schema);
}

/** The schema of a field, with something else where it holds a reference. */
function overReferences(schema: Schema, replace: () => Schema): Schema {
  const { type, items } = schema;
  if (type === "object") return replace();
  return isObject(items) ? { ...schema, items: overReferences(items, replace) } : schema;
}
