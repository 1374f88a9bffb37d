/**
 * Fields, the parts of resources. A field checks a value, has a JSON schema, and parses its values
 * in queries. This file has the shared fields, and lists and objects of them.
 *
 * One function says what a field accepts and what is wrong with the rest, so the two cannot differ.
 */

import { isDeepStrictEqual } from "node:util";
import { isPossibleSub, subRule } from "../auth/token.ts";
import {
  didYouMean,
  Faults,
  Invalid,
  inWords,
  isObject,
  type JsonObject,
} from "../problems/faults.ts";
import type { StoredKind } from "../store/stored-kind.ts";

/** The path from the body to a value: member names and array positions. */
export type Path = readonly (string | number)[];

/** The path of a running check. A check that adds to it removes the same again. */
type CheckedPath = (string | number)[];

/**
 * A JSON Schema (2020-12), as in OpenAPI 3.1. A schema with a `$component` gets that name in the
 * description: see http/route.ts.
 */
export type Schema = Readonly<Record<string, unknown>>;

/** Where an object comes from: the body of a create or an update, or store.ndjson or MENU_FILE. */
type Input = "create" | "update" | "file";

/** Given to each check: where faults go, and which references are valid. */
interface CheckContext {
  readonly faults: Faults;
  readonly isThere: IsThere;
}

/** True if a reference to this resource is valid. */
export type IsThere = (kind: StoredKind, id: string) => boolean;

/** A field of a resource, or the whole resource. */
export interface Field<T> {
  readonly expected: string;
  readonly schema: Schema;
  /** The inputs in which the field may be missing. */
  readonly leftOutOf?: readonly Input[];
  /** True if the server sets the field. It is ignored in bodies. */
  readonly isServerSet?: boolean;
  /**
   * Adds every fault of the value. True if there are none, except for references to resources that
   * do not exist: such a value is a T, and a taken id is reported before its references.
   */
  check(value: unknown, path: CheckedPath, context: CheckContext): value is T;
  /** Removes the parts of an accepted value that are not stored. Default: stores all of it. */
  clean?(value: T): T;
  /** Parses a value in a query; undefined if it is not valid. Only for scalar fields. */
  fromQuery?(text: string): T | undefined;
}

/** The fields of T, in the order of its JSON. */
export type Shape<T> = { readonly [Name in keyof T]-?: Field<Exclude<T[Name], undefined>> };

/** The fields of any resource. */
export type Fields = Readonly<Record<string, Field<unknown>>>;

/** T as clients may send it: the optional fields may be missing. */
export type Sent<T, Optional extends keyof T = never> = Omit<T, Optional> & {
  readonly [Name in Optional]?: T[Name];
};

/** The same field, but it may be missing in these inputs only. */
export function optional<T>(field: Field<T>, ...leftOutOf: readonly Input[]): Field<T> {
  return { ...field, leftOutOf };
}

/** Bounds of the fields, for the checks and for the description. */
export const bounds = {
  /** The 128 must be the same as `idLength`. */
  idPattern: "^(?!\\.{1,2}$)[A-Za-z0-9\\-._~:@+,]{1,128}$",
  idLength: 128,
  /** Code points, not UTF-16 units. */
  nameLength: 200,
  noticeLength: 500,
  diameterInInches: 1000,
  sizeOptions: 50,
  /** The most toppings, and the most beverages, in one order. */
  references: 50,
} as const;

const idPattern = new RegExp(bounds.idPattern);

/** True if a resource can have this id. */
export function isPossibleId(text: string): boolean {
  return idPattern.test(text);
}

const idExpected =
  `a string of 1 to ${bounds.idLength} characters from A-Z a-z 0-9 , - . _ ~ : @ +`;

/** The id of a resource, unique within its kind. A body may leave it out. */
export const idField: Field<string> = {
  leftOutOf: ["create", "update"],
  expected: idExpected,
  schema: {
    $component: "schemas/Id",
    type: "string",
    minLength: 1,
    maxLength: bounds.idLength,
    pattern: bounds.idPattern,
    description: "Unique within its kind. Chosen by the client, or by the server when left out.",
  },
  check(value, path, { faults }): value is string {
    if (typeof value === "string" && isPossibleId(value)) return true;
    const isDots = value === "." || value === "..";
    const expected = isDots ? 'a string other than "." and ".."' : idExpected;
    return faults.addUnexpected(path, expected, value);
  },
  fromQuery: (text) => text,
};

/** C0, C1 and DEL. */
const controls = "\\u0000-\\u001f\\u007f-\\u009f";
const spaces = " \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff";
const textPattern = `[${spaces}]*[^${controls}${spaces}][^${controls}]*`;
const readable = new RegExp(`^${textPattern}$`);

/** `max`: code points. */
function isText(value: unknown, max: number): value is string {
  return (
    typeof value === "string" &&
    // UTF-16 units first, because code points are slow to count and have at most two units.
    value.length <= 2 * max &&
    (value.length <= max || [...value].length <= max) &&
    readable.test(value) &&
    value.isWellFormed()
  );
}

const textRule = "not only white space, without control characters or lone surrogates";

const nameSchema: Schema = {
  $component: "schemas/Name",
  type: "string",
  minLength: 1,
  maxLength: bounds.nameLength,
  pattern: `^${textPattern}$`,
  description:
    "A text that people read, kept exactly as sent. Not only white space, no control characters, " +
    "no lone surrogates (which are no characters at all).",
  examples: ["Quattro stagioni"],
};

/** A text that people read. */
export const nameField: Field<string> = scalar<string>({
  expected: `a string of 1 to ${bounds.nameLength} characters, ${textRule}`,
  accepts: (value) => isText(value, bounds.nameLength),
  schema: nameSchema,
  fromQuery: (text) => text,
});

/** The `sub` of a token. */
export const subjectField: Field<string> = scalar<string>({
  expected: subRule,
  accepts: isPossibleSub,
  schema: {
    type: "string",
    minLength: 1,
    maxLength: 200,
    description: "The `sub` of a token.",
  },
});

/** True or false. */
export const flagField: Field<boolean> = scalar<boolean>({
  expected: "a boolean, true or false",
  accepts: (value): value is boolean => typeof value === "boolean",
  schema: { type: "boolean" },
  fromQuery: (text) => (text === "true" ? true : text === "false" ? false : undefined),
});

/** A longer text that people read; may be empty. */
export function textField(max: number, examples: readonly string[]): Field<string> {
  return scalar<string>({
    expected: `an empty string, or a string of up to ${max} characters, ${textRule}`,
    accepts: (value): value is string => value === "" || isText(value, max),
    schema: {
      type: "string",
      maxLength: max,
      pattern: `^(${textPattern})?$`,
      description: "A text that people read, under the rule of names, or an empty one.",
      examples,
    },
    fromQuery: (text) => text,
  });
}

/** A number above 0. `unit` is for the description. */
export function amountField(max: number, unit: string): Field<number> {
  return scalar<number>({
    expected: `a number above 0, at most ${max}`,
    accepts: (value): value is number => typeof value === "number" && value > 0 && value <= max,
    schema: { type: "number", exclusiveMinimum: 0, maximum: max, description: unit },
    fromQuery: (text) => (/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined),
  });
}

/** One of these strings. `component`: the name in the description. `suffix`: added to messages. */
export function choiceField<T extends string>(
  choices: readonly T[],
  component?: string,
  suffix = "",
): Field<T> {
  const known: readonly unknown[] = choices;
  const accepts = (value: unknown): value is T => known.includes(value);
  return scalar<T>({
    expected: `one of the strings ${choices.map((choice) => `"${choice}"`).join(", ")}${suffix}`,
    accepts,
    schema: { ...(component && { $component: component }), type: "string", enum: choices },
    fromQuery: (text) => (accepts(text) ? text : undefined),
  });
}

/** The last time, in milliseconds, whose year has four digits. */
export const lastTime: number = Date.parse("9999-12-31T23:59:59.999Z");

const time =
  /^\d{4}-(?:0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

/** A time that the server sets. All times have this one format, so they compare as texts. */
export const timeField: Field<string> = {
  ...scalar<string>({
    expected: 'a string with a time such as "2026-01-31T18:00:00.000Z"',
    accepts: (value): value is string => typeof value === "string" && isTime(value),
    schema: {
      type: "string",
      format: "date-time",
      description: "RFC 3339, in UTC, with milliseconds.",
      examples: ["2026-01-31T18:00:00.000Z"],
    },
  }),
  leftOutOf: ["file"],
  isServerSet: true,
};

function isTime(text: string): boolean {
  const [, day] = time.exec(text) ?? [];
  // JavaScript parses February 30 as March 1 or 2.
  return day !== undefined && (Number(day) <= 28 || new Date(text).toISOString() === text);
}

export interface Reference {
  readonly id: string;
}

/** A kind that others refer to. */
export type ReferredKind = StoredKind & {
  readonly label: string;
  readonly schemaName: string;
  readonly fields: Fields;
};

/**
 * An object with the `id` of another resource. A client may send the whole item that it fetched:
 * the item's other fields are accepted and dropped. `hint`: for a quantity, which is no field.
 */
export function referenceField(kind: ReferredKind, hint = ""): Field<Reference> {
  const { label, schemaName, fields } = kind;
  const expected = `an object with the id of a ${label}`;
  const properties = Object.entries(fields).map(([name, { schema }]) => [name, schema]);
  return {
    expected,
    schema: {
      $component: `schemas/${schemaName}Reference`,
      ...closedObject(Object.fromEntries(properties), ["id"]),
      description:
        `A ${label}, by its id. ` +
        "With `embed=names`, responses also have the name that it had when it was ordered. In " +
        "bodies, its other fields are accepted and dropped.",
    },
    check(value, path, context): value is Reference {
      const { faults } = context;
      if (!isObject(value)) return faults.addUnexpected(path, expected, value);
      path.push("id");
      let isGood = checkId(kind, value["id"], path, context);
      path.pop();
      for (const name in value) {
        if (name === "id" || Object.hasOwn(fields, name)) continue;
        isGood = addUnknown(faults, path, name, Object.keys(fields), value[name], hint);
      }
      return isGood;
    },
    clean: ({ id }) => sharedReference(id),
  };
}

function checkId(
  kind: ReferredKind,
  id: unknown,
  path: CheckedPath,
  context: CheckContext,
): id is string {
  if (!idField.check(id, path, context)) return false;
  const { faults, isThere } = context;
  if (!isThere(kind, id)) faults.addUnexpected(path, `the id of an existing ${kind.label}`, id);
  return true;
}

/** Adds the fault of a member that no field has. */
function addUnknown(
  faults: Faults,
  path: Path,
  name: string,
  known: readonly string[],
  value?: unknown,
  hint = "",
): false {
  const end = typeof value === "number" && /quant|qty|count|number|times/i.test(name) ? hint : "";
  faults.add([...path, name], () => `there is no such field${end || didYouMean(name, known)}`);
  return false;
}

const maxShared = 10_000;

/** Returns one value for equal texts: a million orders have few different references and names. */
function shared<T extends {}>(make: (text: string) => T): (text: string) => T {
  const made = new Map<string, T>();
  return (text) => {
    let value = made.get(text);
    if (value === undefined) {
      if (made.size >= maxShared) made.clear();
      made.set(text, (value = make(text)));
    }
    return value;
  };
}

const sharedReference = shared<Reference>((id) => ({ id }));

/** The name of a menu item that an order keeps. */
export const keptNameField: Field<string> = { ...nameField, clean: shared((name) => name) };

/** Different ids of one kind. */
export function idsField(kind: ReferredKind): Field<readonly string[]> {
  const id: Field<string> = {
    ...idField,
    check: (value, path, context): value is string => checkId(kind, value, path, context),
  };
  return listField(id, { items: `different ids of a ${kind.label}`, isSet: true });
}

interface ListRule {
  /** The items' name in messages: "strings". */
  readonly items: string;
  readonly max?: number;
  /** True if duplicates are refused. Only for strings. */
  readonly isSet?: boolean;
}

/** An array of items. */
export function listField<T>(
  item: Field<T>,
  { items, max = Infinity, isSet = false }: ListRule,
): Field<readonly T[]> {
  const { schema, clean } = item;
  const bound = max === Infinity ? "" : ` 0 to ${max}`;
  const expected = `an array of${bound} ${items}`;
  const list = {
    type: "array",
    ...(max < Infinity && { maxItems: max }),
    ...(isSet && { uniqueItems: true }),
  };
  return {
    expected,
    schema: { ...list, items: schema },
    check(value, path, context): value is readonly T[] {
      const { faults } = context;
      if (!Array.isArray(value) || value.length > max) {
        return faults.addUnexpected(path, expected, value);
      }
      let isGood = true;
      const seen = isSet ? new Set<unknown>() : undefined;
      for (const [index, one] of value.entries()) {
        path.push(index);
        if (!item.check(one, path, context)) isGood = false;
        else if (seen?.has(one) === true) {
          faults.add(path, () => `expected ${items}, got ${inWords(one)} twice`);
          isGood = false;
        }
        path.pop();
        seen?.add(one);
      }
      return isGood;
    },
    ...(clean && { clean: (value: readonly T[]) => value.map((one) => clean(one)) }),
  };
}

/** The schema of an object with these members and no others. By default all are required. */
export function closedObject(
  properties: Readonly<Record<string, unknown>>,
  required: readonly string[] = Object.keys(properties),
): Schema {
  return { type: "object", required, properties, additionalProperties: false };
}

// Not readOnly, which tools read as "a client must not send it".
const ignoredDescription =
  "Set by the server. Accepted and ignored, so that a client can send an order back.";

/** Members that Forno 1 and 2 wrote into every resource. */
const lineMembers = ["id", "seq", "crc"];

/** An object with exactly these fields. S: the accepted type, T with optional fields. */
export function objectField<T, S = T>(shape: Shape<T>, input: Input): Field<S> {
  const all = Object.entries<Field<unknown>>(shape);
  const isIgnored = ({ isServerSet }: Field<unknown>): boolean =>
    isServerSet === true && input !== "file";
  const fields = all.filter(([, field]) => !isIgnored(field));
  const names = fields.map(([name]) => name);
  const known = [...all.map(([name]) => name), ...(input === "file" ? lineMembers : [])];
  const expected = `an object with ${names.join(", ")}`;
  const required = fields.filter(([, { leftOutOf = [] }]) => !leftOutOf.includes(input));
  const properties = all.map(([name, field]) => {
    const { schema } = field;
    return [name, isIgnored(field) ? { ...schema, description: ignoredDescription } : schema];
  });
  return {
    expected,
    schema: closedObject(Object.fromEntries(properties), required.map(([name]) => name)),
    check(value, path, context): value is S {
      const { faults } = context;
      if (!isObject(value)) return faults.addUnexpected(path, expected, value);
      let isGood = true;
      for (const [name, field] of fields) {
        // No object of a body inherits a member by the name of a field.
        const member: unknown = value[name];
        if (member === undefined && field.leftOutOf?.includes(input) === true) continue;
        path.push(name);
        if (member === undefined) isGood = faults.addUnexpected(path, field.expected, member);
        else if (!field.check(member, path, context)) isGood = false;
        path.pop();
      }
      for (const name in value) {
        if (!known.includes(name)) isGood = addUnknown(faults, path, name, known);
      }
      return isGood;
    },
  };
}

/**
 * Returns a function that copies the stored parts of an accepted object, in the fields' order.
 * `set`: members to take instead of the object's.
 */
export function picker<T>(shape: Shape<T>): (from: object, set?: JsonObject) => T {
  const fields = Object.entries<Field<unknown>>(shape);
  return (from, set = {}) => {
    const members = from as JsonObject;
    const picked: Record<string, unknown> = {};
    for (const [name, field] of fields) {
      const member = set[name] ?? members[name];
      if (member !== undefined) picked[name] = field.clean ? field.clean(member) : member;
    }
    // The fields have accepted all members.
    return picked as T;
  };
}

/** True if all fields that clients may set are equal, apart from `apartFrom`. */
export function areSame<T extends object>(
  shape: Shape<T>,
  one: T,
  other: T,
  apartFrom?: keyof T,
): boolean {
  const fields = Object.keys(shape) as (keyof T)[];
  return fields.every((name) => {
    if (name === apartFrom || shape[name].isServerSet === true) return true;
    return isDeepStrictEqual(one[name], other[name]);
  });
}

/** The value, accepted. References are valid by default. Throws Invalid with every fault. */
export function parse<T>(field: Field<T>, value: unknown, isThere: IsThere = () => true): T {
  const faults = new Faults();
  if (field.check(value, [], { faults, isThere }) && faults.isEmpty) return value;
  throw new Invalid(faults);
}

type Scalar<T> = Pick<Field<T>, "expected" | "schema" | "fromQuery"> & {
  readonly accepts: (value: unknown) => value is T;
};

/** A field with one possible fault: its value is not accepted. */
export function scalar<T>({ accepts, ...row }: Scalar<T>): Field<T> {
  return {
    ...row,
    check: (value, path, { faults }): value is T =>
      accepts(value) || faults.addUnexpected(path, row.expected, value),
  };
}
