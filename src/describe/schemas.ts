/**
 * The JSON schemas of a kind by name, made of those that stand beside the guards of its fields.
 * What may be left out is asked of the guard.
 */

import { idField, isObject, nameField, type Schema } from "../pizzeria/fields.ts";
import type { Kind } from "../pizzeria/kind.ts";
import { answerSchema, namedSchema, storedSchema } from "./answer-schemas.ts";
import { type Components, mapValues, type Ref } from "./components.ts";
import { createSchema, patchSchema, updateSchema } from "./sent-schemas.ts";

const forms = {
  /** As it is answered. */
  answer: { suffix: "", schemaOf: answerSchema },
  /** As it is answered with `embed=names`. */
  named: { suffix: "WithNames", schemaOf: namedSchema },
  /** As a backup holds it. */
  stored: { suffix: "Stored", schemaOf: storedSchema },
  create: { suffix: "Create", schemaOf: createSchema },
  update: { suffix: "Update", schemaOf: updateSchema },
  patch: { suffix: "Patch", schemaOf: patchSchema },
} as const;

export type Form = "answer" | "named" | "stored" | "create" | "update" | "patch";

export function referSchema(kind: Kind, form: Form, components: Components): Ref {
  const { suffix, schemaOf } = forms[form];
  return components.refer("schemas", kind.schemaName + suffix, () =>
    published(schemaOf(kind), kind, components),
  );
}

/** With references to the schemas that have names of their own. */
function published(schema: Schema, kind: Kind, components: Components): Schema {
  const names = new Map<unknown, string>([
    [idField.schema, "Id"],
    [nameField.schema, "Name"],
    [kind.shape["status"]?.schema, `${kind.schemaName}Status`],
  ]);
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    if (!isObject(value)) return value;
    const name = names.get(value);
    return name === undefined
      ? mapValues(value, visit)
      : components.refer("schemas", name, () => value);
  };
  return mapValues(schema, visit);
}
