/** Guards of whole bodies: an object with exactly the fields of a shape. */

import { Faults } from "../problems/faults.ts";
import { type Field, isObject, isPossibleId, ownMember, type Path, type Shape } from "./fields.ts";
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
  const check = memberCheck(shape, ignored);
  const guard = <Optional extends keyof T & string = never>(
    value: unknown,
    faults: Faults,
    optional: readonly Optional[] = [],
  ): value is Sent<T, Optional> => {
    check(value, [], faults, optional);
    return faults.isEmpty;
  };
  return Object.assign(guard, { shape });
}

/** A field whose value is an object with exactly these fields. */
export function objectField<T>(shape: Shape<T>): Field<T> {
  const fields = Object.entries<Field<unknown>>(shape);
  const check = memberCheck(shape, []);
  const patched = {
    type: "object",
    properties: Object.fromEntries(fields.map(([name, { schema }]) => [name, schema])),
    additionalProperties: false,
  };
  return {
    expected: expectedOf(shape),
    schema: { ...patched, required: fields.map(([name]) => name) },
    patched,
    is: (value, path, faults): value is T => check(value, path, faults, []),
  };
}

type MemberCheck = (
  value: unknown,
  path: Path,
  faults: Faults,
  optional: readonly string[],
) => boolean;

/** Whether a value is an object with the fields of a shape; the faults say what is wrong. */
function memberCheck<T>(shape: Shape<T>, ignored: readonly string[]): MemberCheck {
  const fields = Object.entries<Field<unknown>>(shape);
  const accepted = [...fields.map(([name]) => name), ...ignored];
  return (value, path, faults, optional) => {
    if (!isObject(value)) {
      faults.addUnexpected(path, expectedOf(shape), value);
      return false;
    }
    let isGood = true;
    for (const [name, field] of fields) {
      const member = ownMember(value, name);
      if ((member ?? null) === null && optional.includes(name)) continue;
      const place = [...path, name];
      if (member !== undefined) isGood = field.is(member, place, faults) && isGood;
      else faults.add(place, () => `expected ${field.expected}, got nothing: it is required`);
      isGood &&= member !== undefined;
    }
    for (const name of Object.keys(value)) {
      if (accepted.includes(name)) continue;
      faults.add([...path, name], () => `there is no such field${didYouMean(name, accepted)}`);
      isGood = false;
    }
    return isGood;
  };
}

function expectedOf(shape: object): string {
  return `an object with ${Object.keys(shape).join(", ")}`;
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
  if (!guard(body, faults, optional)) throw faults.toProblem();
  return body;
}

/** An id in the body of an update must be the one in the path. */
function checkPathId(body: unknown, pathId: string | undefined, faults: Faults): void {
  const id = isObject(body) ? ownMember(body, "id") : undefined;
  if (pathId === undefined || id === pathId) return;
  // Whatever else is no id is told as such.
  if (id !== null && (typeof id !== "string" || !isPossibleId(id))) return;
  faults.addUnexpected(["id"], `"${pathId}", the id in the path, or none`, id);
}
