/** Objects with exactly the fields of a shape: whole bodies, and what stands in them. */

import { didYouMean, Faults } from "../problems/faults.ts";
import { check, type Field, isObject, isPossibleId, type Shape } from "./field.ts";

/** A T as clients may send it: the optional fields left out, or null. */
export type Sent<T, Optional extends keyof T = never> = Omit<T, Optional> & {
  readonly [Name in Optional]?: T[Name] | null;
};

/** What an object may have otherwise than its shape says. */
export interface Leniency<Name extends string = never> {
  /** Fields that may be missing, or null. */
  readonly optional?: readonly Name[];
  /** Members that are accepted whatever they are: the server's own, sent back. */
  readonly ignored?: readonly string[];
}

/** A field whose value is an object with exactly these fields. */
export function objectField<T, Optional extends keyof T & string = never>(
  shape: Shape<T>,
  { optional = [], ignored = [] }: Leniency<Optional> = {},
): Field<Sent<T, Optional>> {
  const fields = Object.entries<Field<unknown>>(shape).map(([name, field]) => {
    return { name, field, isOptional: optional.some((one) => one === name) };
  });
  const names = Object.keys(shape);
  const known = [...names, ...ignored];
  const expected = `an object with ${names.join(", ")}`;
  return {
    expected,
    schema: {
      type: "object",
      required: names,
      properties: Object.fromEntries(fields.map(({ name, field }) => [name, field.schema])),
      additionalProperties: false,
    },
    accepts(value): value is Sent<T, Optional> {
      if (!isObject(value)) return false;
      for (const { name, field, isOptional } of fields) {
        // No object of a body inherits a member by the name of a field.
        const member: unknown = value[name];
        if (!field.accepts(member) && !(isOptional && (member ?? null) === null)) return false;
      }
      for (const name in value) if (!known.includes(name)) return false;
      return true;
    },
    explain(value, path, faults) {
      if (!isObject(value)) return faults.addUnexpected(path, expected, value);
      for (const { name, field, isOptional } of fields) {
        const member: unknown = value[name];
        if ((member ?? null) === null && isOptional) continue;
        const place = [...path, name];
        if (member !== undefined) check(field, member, place, faults);
        else faults.add(place, () => `expected ${field.expected}, got nothing: it is required`);
      }
      for (const name of Object.keys(value)) {
        if (known.includes(name)) continue;
        faults.add([...path, name], () => `there is no such field${didYouMean(name, known)}`);
      }
    },
  };
}

/**
 * The body as what the field accepts, with the id of the path, if there is one, or none. Throws
 * Problem 400 "invalid-body" with every fault.
 */
export function parseBody<T>(field: Field<T>, body: unknown, pathId?: string): T {
  // Nothing is made for the faults of a body that has none.
  if (pathId === undefined && field.accepts(body)) return body;
  const faults = new Faults();
  checkPathId(body, pathId, faults);
  if (!check(field, body, [], faults) || !faults.isEmpty) throw faults.toProblem();
  return body;
}

/** An id in the body of an update must be the one in the path. */
function checkPathId(body: unknown, pathId: string | undefined, faults: Faults): void {
  if (pathId === undefined) return;
  const id = isObject(body) ? body["id"] : undefined;
  if (id === pathId) return;
  // Whatever else is no id is told as such.
  if (id !== null && (typeof id !== "string" || !isPossibleId(id))) return;
  faults.addUnexpected(["id"], `"${pathId}", the id in the path, or none`, id);
}
