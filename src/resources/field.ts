/**
 * The guards that all kinds share, a field each: what it accepts, in code, in words, and as the
 * JSON schema that the description gives. The bounds stand in model.ts. And the ids that the server
 * chooses where a client does not.
 */

import { randomFillSync } from "node:crypto";
import { type Faults, inWords } from "../problems/faults.ts";
import { bounds, type Reference } from "./model.ts";

/** The members and positions down to a value. */
export type Path = readonly (string | number)[];

/**
 * A JSON Schema (2020-12), as OpenAPI 3.1 uses it. One with a `$component` has a name of its own in
 * the description: see http/route.ts.
 */
export type Schema = Readonly<Record<string, unknown>>;

/** One field of a shape. */
export interface Field<T> {
  readonly accepts: (value: unknown) => value is T;
  /** Adds why the value is not accepted. Apart from `accepts`, as good values need no path. */
  readonly explain: (value: unknown, path: Path, faults: Faults) => void;
  readonly schema: Schema;
  /** How a query spells the value; undefined when it spells none. Scalar fields only. */
  readonly fromQuery?: (text: string) => T | undefined;
  readonly expected: string;
}

/** Whether the field accepts the value; where it does not, the faults say why. */
export function check<T>(
  field: Field<T>,
  value: unknown,
  path: Path,
  faults: Faults,
): value is T {
  if (field.accepts(value)) return true;
  field.explain(value, path, faults);
  return false;
}

/** The fields of T, in the order of its JSON. */
export type Shape<T> = { readonly [Name in keyof T]-?: Field<T[Name]> };

const idPattern = new RegExp(bounds.idPattern);

/** Whether a resource can have this id at all. */
export function isPossibleId(text: string): boolean {
  return idPattern.test(text);
}

/** What identifies a resource within its kind. */
export const idField: Field<string> = scalar<string>({
  expected: `1 to ${bounds.idLength} of A-Z a-z 0-9 - . _ ~ : @ + , (not "." or "..")`,
  accepts: (value): value is string => typeof value === "string" && isPossibleId(value),
  schema: {
    $component: "schemas/Id",
    type: "string",
    minLength: 1,
    maxLength: bounds.idLength,
    pattern: bounds.idPattern,
    description: "Unique within its kind. Chosen by the client, or by the server when left out.",
  },
  fromQuery: (text) => text,
});

/** Crockford's base32: no I, L, O, U, which are misheard or misread. */
const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const lettersOfId = 6;
/** Drawn for many ids at once: to draw for each costs 2.7 µs, a twentieth of a create. */
const random = Buffer.alloc(lettersOfId * 512);
let used = random.length;

/**
 * The id that the server chooses: six characters that people can say, a billion of them. Random:
 * the caller must check that it is free.
 */
export function randomId(): string {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  let id = "";
  for (const end = used + lettersOfId; used < end; used += 1) {
    id += letters[(random[used] ?? 0) % 32];
  }
  return id;
}

// C0, DEL and C1; and a text of white space alone.
const control = /[\u0000-\u001f\u007f-\u009f]/;
const visible = /\S/;

function isName(value: unknown): value is string {
  return isText(value, bounds.nameLength);
}

/** `most`: code points. */
function isText(value: unknown, most: number): value is string {
  return (
    typeof value === "string" &&
    // UTF-16 units first: twice the bound in units is beyond it in code points too.
    value.length <= 2 * most &&
    (value.length <= most || [...value].length <= most) &&
    visible.test(value) &&
    !control.test(value) &&
    value.isWellFormed()
  );
}

const textRule = "not only white space, without control characters or lone surrogates";
const nameExpected: string = `a text of 1 to ${bounds.nameLength} characters, ${textRule}`;

// Spelled out, because engines other than JavaScript's disagree about \s.
const controls = "\\u0000-\\u001f\\u007f-\\u009f";
const spaces = " \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff";

const textPattern = `[${spaces}]*[^${controls}${spaces}][^${controls}]*`;

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

/** A text for people. */
export const nameField: Field<string> = scalar<string>({
  expected: nameExpected,
  accepts: isName,
  schema: nameSchema,
  fromQuery: (text) => text,
});

/** A longer text for people, or none. */
export const noticeField: Field<string> = scalar<string>({
  expected: `an empty text, or one of up to ${bounds.noticeLength} characters, ${textRule}`,
  accepts: (value): value is string => value === "" || isText(value, bounds.noticeLength),
  schema: {
    type: "string",
    maxLength: bounds.noticeLength,
    pattern: `^(${textPattern})?$`,
    description: "A text that people read, under the rule of names, or an empty one.",
    examples: ["Back at 18:00"],
  },
  fromQuery: (text) => text,
});

/** True or false. */
export const flagField: Field<boolean> = scalar<boolean>({
  expected: "true or false",
  accepts: (value): value is boolean => typeof value === "boolean",
  schema: { type: "boolean" },
  fromQuery: (text) => (text === "true" ? true : text === "false" ? false : undefined),
});

/** Inches. */
export const diameterField: Field<number> = scalar<number>({
  expected: `a number above 0, at most ${bounds.diameterInInches}`,
  accepts: (value): value is number =>
    typeof value === "number" && value > 0 && value <= bounds.diameterInInches,
  schema: {
    type: "number",
    exclusiveMinimum: 0,
    maximum: bounds.diameterInInches,
    description: "Inches.",
  },
  fromQuery: (text) => (/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined),
});

/** The sizes a drink comes in. */
export const sizeOptionsField: Field<readonly string[]> = differentField({
  item: nameField,
  many: "texts",
  most: bounds.sizeOptions,
});

/** Different ids of one kind. That its items are there is checked where it is written. */
export function idsField(label: string): Field<readonly string[]> {
  return differentField({ item: idField, many: `ids of ${label}s`, most: Infinity });
}

interface Different {
  readonly item: Field<string>;
  /** In messages: "texts". */
  readonly many: string;
  readonly most: number;
}

/** A list in which nothing stands twice. */
function differentField({ item, many, most }: Different): Field<readonly string[]> {
  const bound = most === Infinity ? "" : ` 0 to ${most}`;
  const expected = `an array of${bound} different ${many}`;
  const maxItems = most === Infinity ? {} : { maxItems: most };
  return {
    expected,
    schema: { type: "array", ...maxItems, uniqueItems: true, items: item.schema },
    accepts: (value): value is readonly string[] =>
      isArrayUpTo(value, most) && value.every(item.accepts) && new Set(value).size === value.length,
    explain(value, path, faults) {
      if (!isArrayUpTo(value, most)) return faults.addUnexpected(path, expected, value);
      const seen = new Set<unknown>();
      for (const [index, one] of value.entries()) {
        const place = [...path, index];
        if (check(item, one, place, faults) && seen.has(one)) {
          faults.add(place, () => `expected different ${many}, got ${inWords(one)} twice`);
        }
        seen.add(one);
      }
    },
  };
}

const referenceSchema: Schema = {
  $component: "schemas/Reference",
  type: "object",
  required: ["id"],
  properties: { id: idField.schema, name: nameSchema },
  description:
    "A menu item, by its id. Answers have the item's name at the time of the order too, with " +
    "`embed=names` and only then. In bodies, every member but `id` is accepted and dropped.",
};

/** An object with the `id` of another resource; its other members are accepted and dropped. */
export function referenceField(label: string): Field<Reference> {
  const expected = `an object with the id of a ${label}`;
  return {
    expected,
    schema: referenceSchema,
    accepts: isReference,
    explain(value, path, faults) {
      if (!isObject(value)) return faults.addUnexpected(path, expected, value);
      idField.explain(value["id"], [...path, "id"], faults);
    },
  };
}

function isReference(value: unknown): value is Reference {
  return isObject(value) && idField.accepts(value["id"]);
}

/** A list of references, the same one perhaps twice. */
export function referencesField(label: string): Field<readonly Reference[]> {
  const most = bounds.references;
  const expected = `an array of 0 to ${most} objects, each with the id of a ${label}`;
  return listField(referenceField(label), expected, most);
}

/** A list of such items, the same one perhaps twice. */
export function listField<T>(
  item: Field<T>,
  expected: string,
  most: number = Infinity,
): Field<readonly T[]> {
  const maxItems = most === Infinity ? {} : { maxItems: most };
  return {
    expected,
    schema: { type: "array", ...maxItems, items: item.schema },
    accepts: (value): value is readonly T[] =>
      isArrayUpTo(value, most) && value.every(item.accepts),
    explain(value, path, faults) {
      if (!isArrayUpTo(value, most)) return faults.addUnexpected(path, expected, value);
      for (const [index, one] of value.entries()) check(item, one, [...path, index], faults);
    },
  };
}

/** One of these texts. `component`: their name in the description; `whose`: said after them. */
export function choiceField<T extends string>(
  choices: readonly T[],
  component?: string,
  whose = "",
): Field<T> {
  const known: readonly unknown[] = choices;
  const accepts = (value: unknown): value is T => known.includes(value);
  return scalar<T>({
    expected: `one of ${choices.map((choice) => `"${choice}"`).join(", ")}${whose}`,
    accepts,
    schema: { ...(component && { $component: component }), type: "string", enum: choices },
    fromQuery: (text) => (accepts(text) ? text : undefined),
  });
}

/** Neither an array nor null. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

type Scalar<T> = Required<Pick<Field<T>, "expected" | "accepts" | "schema" | "fromQuery">>;

function scalar<T>(row: Scalar<T>): Field<T> {
  const explain: Field<T>["explain"] = (value, path, faults) =>
    faults.addUnexpected(path, row.expected, value);
  return { ...row, explain };
}

function isArrayUpTo(value: unknown, most: number): value is readonly unknown[] {
  return Array.isArray(value) && value.length <= most;
}
