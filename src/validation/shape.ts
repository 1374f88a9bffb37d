/** Whether a value is an object with exactly the fields of a shape. */

import { nearest } from "./nearest.ts";
import { type Faults, inWords } from "./faults.ts";
import { type Field, isObject, ownMember } from "./fields.ts";

export interface ShapeOptions {
  /** Fields that may be left out or null. */
  readonly optional?: readonly string[];
  /** Members that are accepted whatever they are: the server's own, sent back. */
  readonly ignored?: readonly string[];
}

/** Every fault is added; a member that the shape does not have is one. */
export function hasShape(
  value: unknown,
  shape: Readonly<Record<string, Field<unknown>>>,
  faults: Faults,
  { optional = [], ignored = [] }: ShapeOptions = {},
): boolean {
  const names = Object.keys(shape);
  if (!isObject(value)) {
    faults.add([], `expected an object with ${names.join(", ")}, got ${inWords(value)}`);
    return false;
  }
  for (const [name, field] of Object.entries(shape)) {
    const member = ownMember(value, name);
    if ((member === undefined || member === null) && optional.includes(name)) continue;
    if (member === undefined) faults.add([name], `expected ${field.expected}, got nothing: it is required`);
    else field.is(member, [name], faults);
  }
  for (const name of Object.keys(value)) {
    if (Object.hasOwn(shape, name) || ignored.includes(name)) continue;
    faults.add([name], `there is no such field; did you mean "${nearest(name, names)}"?`);
  }
  return faults.isEmpty;
}
