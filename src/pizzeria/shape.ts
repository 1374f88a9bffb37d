/** Guards of whole bodies: an object with exactly the fields of a shape. */

import { Faults } from "../problems/faults.ts";
import {
  check,
  type Field,
  isObject,
  isPossibleId,
  ownMember,
  type Path,
  type Shape,
} from "./fields.ts";
import { didYouMean } from "../problems/nearest.ts";

/** A T as clients may send it: the optional fields left out, or null. */
export type Sent<T, Optional extends keyof T = never> = Omit<T, Optional> & {
  readonly [Name in Optional]?: T[Name] | null;
};

/** Whether a value is a T; where it is not, the faults say why, each of them. */
export interface Guard<T> {
  readonly shape: Shape<T>;
  <Optional extends keyof T & string = never>(
    value: unknown,
    faults: Faults,
    optional?: readonly Optional[],
  ): value is Sent<T, Optional>;
}

/** `ignored`: members that are accepted whatever they are: the server's own, sent back. */
export function guardOf<T>(shape: Shape<T>, ignored: readonly string[] = []): Guard<T> {
  const members = new Members(Object.entries<Field<unknown>>(shape), ignored);
  const guard = <Optional extends keyof T & string = never>(
    value: unknown,
    faults: Faults,
    optional: readonly Optional[] = [],
  ): value is Sent<T, Optional> => {
    if (members.accept(value, optional)) return true;
    members.explain(value, [], faults, optional);
    return false;
  };
  return Object.assign(guard, { shape });
}

/** A field whose value is an object with exactly these fields. */
export function objectField<T>(shape: Shape<T>): Field<T> {
  const fields = Object.entries<Field<unknown>>(shape);
  const members = new Members(fields, []);
  const patched = {
    type: "object",
    properties: Object.fromEntries(fields.map(([name, { schema }]) => [name, schema])),
    additionalProperties: false,
  };
  return {
    expected: members.expected,
    schema: { ...patched, required: fields.map(([name]) => name) },
    patched,
    accepts: (value): value is T => members.accept(value, []),
    explain: (value, path, faults) => members.explain(value, path, faults, []),
  };
}

type Fields = readonly (readonly [name: string, field: Field<unknown>])[];

/** The members of an object with the fields of a shape. `optional`: may be missing, or null. */
class Members {
  readonly expected: string;
  readonly #fields: Fields;
  readonly #names: readonly string[];

  constructor(fields: Fields, ignored: readonly string[]) {
    const names = fields.map(([name]) => name);
    this.#fields = fields;
    this.#names = [...names, ...ignored];
    this.expected = `an object with ${names.join(", ")}`;
  }

  accept(value: unknown, optional: readonly string[]): boolean {
    if (!isObject(value)) return false;
    for (const [name, field] of this.#fields) {
      const member = ownMember(value, name);
      if (field.accepts(member)) continue;
      if ((member ?? null) !== null || !optional.includes(name)) return false;
    }
    for (const name in value) if (!this.#names.includes(name)) return false;
    return true;
  }

  /** Adds why the value is not accepted. */
  explain(value: unknown, path: Path, faults: Faults, optional: readonly string[]): void {
    if (!isObject(value)) return faults.addUnexpected(path, this.expected, value);
    for (const [name, field] of this.#fields) {
      const member = ownMember(value, name);
      if ((member ?? null) === null && optional.includes(name)) continue;
      const place = [...path, name];
      if (member !== undefined) check(field, member, place, faults);
      else faults.add(place, () => `expected ${field.expected}, got nothing: it is required`);
    }
    for (const name of Object.keys(value)) {
      if (this.#names.includes(name)) continue;
      faults.add([...path, name], () => `there is no such field${didYouMean(name, this.#names)}`);
    }
  }
}

/**
 * The body as what the guard lets through, with the id of the path, if there is one, or none.
 * Throws Problem 400 "invalid-body" with every fault.
 */
export function parseBody<T, Optional extends keyof T & string>(
  guard: Guard<T>,
  body: unknown,
  pathId: string | undefined,
  optional: readonly Optional[],
): Sent<T, Optional> {
  const faults = new Faults();
  checkPathId(body, pathId, faults);
  if (!guard(body, faults, optional) || !faults.isEmpty) throw faults.toProblem();
  return body;
}

/** An id in the body of an update must be the one in the path. */
function checkPathId(body: unknown, pathId: string | undefined, faults: Faults): void {
  if (pathId === undefined) return;
  const id = isObject(body) ? ownMember(body, "id") : undefined;
  if (id === pathId) return;
  // Whatever else is no id is told as such.
  if (id !== null && (typeof id !== "string" || !isPossibleId(id))) return;
  faults.addUnexpected(["id"], `"${pathId}", the id in the path, or none`, id);
}
