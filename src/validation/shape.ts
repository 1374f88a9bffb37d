/** Guards of whole bodies: an object with exactly the fields of a shape. */

import { type Faults, inWords } from "./faults.ts";
import { type Field, isObject, ownMember, type Shape } from "./fields.ts";
import { nearest } from "./nearest.ts";

/**
 * Whether a value is a T; where it is not, the faults say why, each of them. `optional` fields may
 * be left out or null.
 */
export type Guard<T> = (
  value: unknown,
  faults: Faults,
  optional?: readonly string[],
) => value is T;

/** `ignored`: members that are accepted whatever they are: the server's own, sent back. */
export function guardOf<T>(shape: Shape<T>, ignored: readonly string[] = []): Guard<T> {
  const fields = Object.entries<Field<unknown>>(shape);
  const names = fields.map(([name]) => name);
  return (value, faults, optional = []): value is T => {
    if (!isObject(value)) {
      faults.add([], `expected an object with ${names.join(", ")}, got ${inWords(value)}`);
      return false;
    }
    for (const [name, field] of fields) {
      const member = ownMember(value, name);
      if ((member === undefined || member === null) && optional.includes(name)) continue;
      if (member !== undefined) field.is(member, [name], faults);
      else faults.add([name], `expected ${field.expected}, got nothing: it is required`);
    }
    for (const name of Object.keys(value)) {
      if (names.includes(name) || ignored.includes(name)) continue;
      faults.add([name], `there is no such field; did you mean "${nearest(name, names)}"?`);
    }
    return faults.isEmpty;
  };
}
