/**
 * Guards: functions that return true if a value fits, and otherwise add every fault. The shared
 * guards are here; each resource has its own beside its type.
 */

import { isPossibleSub, subRule } from "../auth/token.ts";
import { didYouMean, Faults, Invalid, inWords, isObject } from "../problems/faults.ts";
import { idRule, isPossibleId } from "./id.ts";
import { longestName } from "./limits.ts";
import { isReadable } from "./text.ts";
import { isStoredTime, parseTime } from "./time.ts";

/** The path from the body, or from the stored object, to a value. */
export type Path = readonly (string | number)[];

/** True if the value fits. Otherwise it has added every fault. `undefined`: a missing value. */
export type Guard<T> = (value: unknown, at: Path, faults: Faults) => value is T;

/** A guard for each member of T, in the order of its JSON. */
export type Members<T> = { readonly [Name in keyof T]-?: Guard<T[Name]> };

/** The value, if it fits. Throws Invalid with every fault. `faults`: those that it has already. */
export function parse<T>(fits: Guard<T>, value: unknown, faults: Faults = new Faults()): T {
  if (fits(value, [], faults) && faults.count === 0) return value;
  throw new Invalid(faults);
}

/** A value with one possible fault. `expected`: in words, with its type. */
export function scalar<T>(
  expected: string,
  accepts: (value: unknown) => value is T,
): Guard<T> {
  return (value, at, faults): value is T =>
    accepts(value) || faults.addUnexpected(at, expected, value);
}

/** The same guard for a member that may be missing. */
export function optional<T>(fits: Guard<T>): Guard<T | undefined> {
  return (value, at, faults): value is T | undefined =>
    value === undefined || fits(value, at, faults);
}

/** For a member that the server sets: any sent value is ignored. */
export function isIgnored(_value: unknown): _value is unknown {
  return true;
}

/** An object with exactly these members. */
export function objectOf<T>(members: Members<T>): Guard<T> {
  const guards = Object.entries<Guard<unknown>>(members);
  const names = Object.keys(members);
  const expected = `an object with ${names.join(", ")}`;
  return (value, at, faults): value is T => {
    if (!isObject(value)) return faults.addUnexpected(at, expected, value);
    const before = faults.count;
    // No object that comes from JSON inherits a member by the name of a field.
    for (const [name, fits] of guards) fits(value[name], [...at, name], faults);
    for (const name in value) {
      if (names.includes(name)) continue;
      addUnknown(faults, [...at, name], () => didYouMean(name, names));
    }
    return faults.count === before;
  };
}

/** Adds the fault of a member that no field has. `hint`: makes the end of the message. */
export function addUnknown(faults: Faults, at: Path, hint: () => string): void {
  faults.add(at, () => `there is no such field${hint()}`);
}

/** `items`: in messages, "objects, each with the id of a topping". `max`: the longest array. */
export function arrayOf<T>(
  fits: Guard<T>,
  items: string,
  max: number = Infinity,
): Guard<readonly T[]> {
  const expected = `an array of${max === Infinity ? "" : ` 0 to ${max}`} ${items}`;
  return (value, at, faults): value is readonly T[] => {
    if (!Array.isArray(value) || value.length > max) {
      return faults.addUnexpected(at, expected, value);
    }
    const before = faults.count;
    for (const [index, item] of value.entries()) fits(item, [...at, index], faults);
    return faults.count === before;
  };
}

/** An array of different strings. `items`: as in arrayOf. */
export function setOf(
  fits: Guard<string>,
  items: string,
  max?: number,
): Guard<readonly string[]> {
  const isArray = arrayOf(fits, items, max);
  return (value, at, faults): value is readonly string[] => {
    if (!isArray(value, at, faults)) return false;
    const seen = new Set<string>();
    for (const [index, item] of value.entries()) {
      if (!seen.has(item)) seen.add(item);
      else faults.add([...at, index], () => `expected ${items}, got ${inWords(item)} twice`);
    }
    return seen.size === value.length;
  };
}

/** The id of a resource, unique within its kind. */
export const isId: Guard<string> = (value, at, faults): value is string => {
  if (isPossibleId(value)) return true;
  const isDots = value === "." || value === "..";
  return faults.addUnexpected(at, isDots ? 'a string other than "." and ".."' : idRule, value);
};

const textRule = "with one that is visible, without control characters or lone surrogates";

/** A short text that people read. */
export const isName: Guard<string> = scalar(
  `a string of 1 to ${longestName} characters, ${textRule}`,
  (value): value is string => isReadable(value, longestName),
);

/** As a name, or empty. `max`: code points. */
export function isTextOf(max: number): Guard<string> {
  return scalar(
    `an empty string, or a string of up to ${max} characters, ${textRule}`,
    (value): value is string => value === "" || isReadable(value, max),
  );
}

/** A name, or empty. */
export const isNameOrEmpty: Guard<string> = isTextOf(longestName);

/** An id, or empty. */
export const isIdOrEmpty: Guard<string> = (value, at, faults): value is string =>
  value === "" || isId(value, at, faults);

/** The `sub` of a token. */
export const isSub: Guard<string> = scalar(subRule, isPossibleSub);

/** True or false. */
export const isFlag: Guard<boolean> = scalar(
  "a boolean, true or false",
  (value): value is boolean => typeof value === "boolean",
);

/** A number above 0. */
export function isAmountUpTo(max: number): Guard<number> {
  return scalar(
    `a number above 0, at most ${max}`,
    (value): value is number => typeof value === "number" && value > 0 && value <= max,
  );
}

/** One of these strings. `suffix`: added to the message. */
export function isOneOf<T extends string>(words: readonly T[], suffix = ""): Guard<T> {
  const known: readonly unknown[] = words;
  return scalar(
    `one of the strings ${words.map((word) => `"${word}"`).join(", ")}${suffix}`,
    (value): value is T => known.includes(value),
  );
}

const timeExample = 'a time such as "2026-01-31T18:00:00.000Z"';

/** A stored time. */
export const isTime: Guard<string> = scalar(`a string with ${timeExample}`, isStoredTime);

/** A time that a client chooses, from 2000 to 2200 in UTC and in any spelling, or empty. */
export const isChosenTimeOrEmpty: Guard<string> = scalar(
  `an empty string, or a string with ${timeExample} (RFC 3339), from 2000 to 2200`,
  (value): value is string => typeof value === "string" && (value === "" || isChosenTime(value)),
);

function isChosenTime(text: string): boolean {
  const time = parseTime(text);
  return time !== undefined && time >= "2000" && time < "2201";
}
