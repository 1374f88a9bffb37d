/** What may be sent: the same members that the guard takes, without those that the server adds. */

import { Problem } from "../problems/problem.ts";
import type { Schema } from "../pizzeria/fields.ts";
import type { Body, Kind } from "../pizzeria/kind.ts";
import { mapValues } from "./components.ts";
import { examplesOf } from "./examples.ts";

export function createSchema(kind: Kind): Schema {
  return { ...sentSchema(kind, undefined), description: `A new ${kind.label}.` };
}

export function updateSchema(kind: Kind): Schema {
  const schema = sentSchema(kind, String(examplesOf(kind).create["id"]));
  return { ...schema, description: `All of what the ${kind.label} should be.` };
}

/** RFC 7396: null removes a member, so that only what is optional may be null. */
export function patchSchema(kind: Kind): Schema {
  const { id = {}, ...others } = mapValues(kind.shape, ({ schema }) => {
    const { required: _merged, ...rest } = schema;
    return schema["type"] === "object" ? rest : schema;
  });
  return {
    type: "object",
    properties: { id: { ...orNull(id), ...pathId }, ...others, ...ignoredTimes(kind) },
    // A null for what is not there is accepted too, but generated clients could not be typed then.
    additionalProperties: false,
    description: `What of the ${kind.label} should change (RFC 7396).`,
  };
}

// Not readOnly, which tools take to mean that it must not be sent.
const pathId: Schema = { description: "The one in the path, if it is there." };
const ignored: Schema = {
  description: "The server's own: accepted from a client that sends it back, and ignored.",
};

/** `id`: of an update; undefined: a create. */
function sentSchema(kind: Kind, id: string | undefined): Schema {
  const properties = Object.entries(kind.shape).map(([name, { schema }]) => {
    const sent = accepts(kind, { [name]: null }, id) ? orNull(schema) : schema;
    return [name, name === "id" && id !== undefined ? { ...sent, ...pathId } : sent];
  });
  const required = Object.keys(kind.shape).filter(
    (name) => !accepts(kind, { [name]: undefined }, id),
  );
  return {
    type: "object",
    required,
    properties: { ...Object.fromEntries(properties), ...ignoredTimes(kind) },
    additionalProperties: false,
  };
}

/** Whether the guard takes the example with this difference. */
function accepts(kind: Kind, difference: Body, id: string | undefined): boolean {
  try {
    const body = { ...examplesOf(kind).create, ...difference };
    kind.parse(body, { caller: undefined, pathId: id });
    return true;
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}

function ignoredTimes(kind: Kind): Schema {
  return kind.placed ? { placedAt: ignored, updatedAt: ignored } : {};
}

function orNull(schema: Schema): Schema {
  return { anyOf: [schema, { type: "null" }] };
}
