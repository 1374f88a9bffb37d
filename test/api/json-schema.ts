/**
 * A JSON Schema evaluator (2020-12) for the keywords that the description uses, and only those: an
 * unknown one throws, so that no bound goes unnoticed.
 */

import assert from "node:assert/strict";

export type Schema = Readonly<Record<string, any>>;

/** The faults, each with its JSON pointer; empty if the value fits. `root`: for `$ref`s. */
export function faultsOf(value: unknown, schema: Schema, root: Schema): readonly string[] {
  return evaluate(value, schema, { root, at: "#" });
}

/** The schema itself, or what it refers to. */
export function resolve(schema: Schema, root: Schema): Schema {
  const { $ref } = schema;
  if ($ref === undefined) return schema;
  const tokens = String($ref).slice("#/".length).split("/");
  const found = tokens.reduce<any>((part, token) => part?.[token], root);
  assert.ok(found, `${$ref} leads nowhere`);
  return found as Schema;
}

interface Place {
  readonly root: Schema;
  readonly at: string;
}

type Check = (value: any, bound: any, place: Place, schema: Schema) => readonly string[];

function evaluate(value: unknown, schema: Schema, place: Place): readonly string[] {
  return Object.entries(schema).flatMap(([keyword, bound]) => {
    if (annotations.includes(keyword)) return [];
    const check = keywords[keyword];
    assert.ok(check, `the evaluator does not know ${keyword}, at ${place.at}`);
    return check(value, bound, place, schema);
  });
}

const annotations = ["description", "examples", "default", "contentMediaType", "contentSchema"];

const types: Readonly<Record<string, (value: unknown) => boolean>> = {
  null: (value) => value === null,
  boolean: (value) => typeof value === "boolean",
  // A lone surrogate is no character, and a text is made of characters (RFC 8259 section 8.2).
  string: (value) => typeof value === "string" && value.isWellFormed(),
  number: (value) => typeof value === "number",
  integer: Number.isInteger,
  array: Array.isArray,
  object: isObject,
};

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A keyword binds values of one type and lets all others pass (JSON Schema section 7.6.1). */
function binds(
  applies: (value: unknown) => boolean,
  holds: (value: any, bound: any) => boolean,
): Check {
  return (value, bound, { at }) =>
    !applies(value) || holds(value, bound) ? [] : [`${at} breaks ${JSON.stringify(bound)}`];
}

const { string = isObject, number = isObject, array = isObject } = types;
const anything = (): boolean => true;

const keywords: Readonly<Record<string, Check>> = {
  $ref: (value, $ref, place) => evaluate(value, resolve({ $ref }, place.root), place),
  type: (value, type, { at }) =>
    types[type]?.(value) === true ? [] : [`${at} is no ${type}: ${JSON.stringify(value)}`],
  const: binds(anything, (value, only) => value === only),
  enum: binds(anything, (value, choices: unknown[]) => choices.includes(value)),
  minLength: binds(string, (value, least) => [...value].length >= least),
  maxLength: binds(string, (value, most) => [...value].length <= most),
  pattern: binds(string, (value, pattern) => new RegExp(pattern, "u").test(value)),
  format: binds(string, (value, format) => formats[format]?.(value) === true),
  minimum: binds(number, (value, least) => value >= least),
  exclusiveMinimum: binds(number, (value, below) => value > below),
  maximum: binds(number, (value, most) => value <= most),
  minItems: binds(array, (value, least) => value.length >= least),
  maxItems: binds(array, (value, most) => value.length <= most),
  uniqueItems: binds(array, (value) => new Set(value).size === value.length),
  items: (value, items, { root, at }) => Array.isArray(value)
      ? value.flatMap((item, index) => evaluate(item, items, { root, at: `${at}/${index}` }))
      : [],
  required: (value, names: string[], { at }) => isObject(value)
      ? names
          .filter((name) => !Object.hasOwn(value, name))
          .map((name) => `${at}/${name} is missing`)
      : [],
  properties: (value, properties, { root, at }) =>
    Object.entries<Schema>(properties).flatMap(([name, schema]) =>
      isObject(value) && Object.hasOwn(value, name)
        ? evaluate(value[name], schema, { root, at: `${at}/${name}` })
        : [],
    ),
  additionalProperties: (value, allowed, { root, at }, { properties = {} }) => {
    if (!isObject(value) || allowed === true) return [];
    const others = Object.keys(value).filter((name) => !Object.hasOwn(properties, name));
    if (allowed === false) return others.map((name) => `${at}/${name} is not allowed`);
    return others.flatMap((name) => evaluate(value[name], allowed, { root, at: `${at}/${name}` }));
  },
  anyOf: (value, schemas: Schema[], place) => {
    const faults = schemas.map((schema) => evaluate(value, schema, place));
    return faults.some((one) => one.length === 0) ? [] : faults.flat();
  },
  oneOf: (value, schemas: Schema[], place) => {
    const faults = schemas.map((schema) => evaluate(value, schema, place));
    const fitting = faults.filter((one) => one.length === 0).length;
    if (fitting > 1) return [`${place.at} fits ${fitting} schemas, not one`];
    return fitting === 1 ? [] : faults.flat();
  },
};

const dateTime = /^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;

/** A day that is in the calendar: the parser takes the 30th of February for the 2nd of March. */
function isDay(text: string): boolean {
  const day = new Date(text);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

const formats: Readonly<Record<string, (text: string) => boolean>> = {
  "date-time": (text) => dateTime.test(text) && isDay(text.slice(0, 10)),
  "uri-reference": (text) => URL.canParse(text, "http://forno.example"),
};
