/**
 * A JSON Schema evaluator (2020-12) for the keywords that the description uses. An unknown keyword
 * throws, so that no bound goes unnoticed.
 */

import assert from "node:assert/strict";

export type Schema = Readonly<Record<string, any>>;

/** The schema itself, or what it refers to. `root`: the document. */
export function resolve(schema: Schema, root: Schema): Schema {
  const { $ref } = schema;
  if ($ref === undefined) return schema;
  const tokens = String($ref).slice("#/".length).split("/");
  const found = tokens.reduce<any>((part, token) => part?.[token], root);
  assert.ok(found, `${$ref} leads nowhere`);
  return found as Schema;
}

/** The faults, each with its place; empty if the value fits. */
export function faultsOf(value: unknown, schema: Schema, root: Schema, at = "#"): string[] {
  const resolved = resolve(schema, root);
  return Object.entries(resolved).flatMap(([keyword, bound]) => {
    if (annotations.includes(keyword)) return [];
    if (keyword === "items" && Array.isArray(value)) {
      return value.flatMap((item, index) => faultsOf(item, bound, root, `${at}/${index}`));
    }
    if (keyword === "properties" && isObject(value)) {
      const present = Object.keys(bound).filter((name) => Object.hasOwn(value, name));
      return present.flatMap((name) => faultsOf(value[name], bound[name], root, `${at}/${name}`));
    }
    if (keyword === "anyOf") {
      const all: string[][] = bound.map((part: Schema) => faultsOf(value, part, root, at));
      return all.some((faults) => faults.length === 0) ? [] : all.flat();
    }
    const holds = keywords[keyword];
    assert.ok(holds, `the evaluator does not know ${keyword}, at ${at}`);
    const fault = `${at} breaks ${keyword} ${JSON.stringify(bound)}: ${JSON.stringify(value)}`;
    return holds(value, bound, resolved) ? [] : [fault];
  });
}

/** `format`: as 2020-12 has it. */
const annotations = ["description", "examples", "default", "format"];

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const types: Readonly<Record<string, (value: unknown) => boolean>> = {
  boolean: (value) => typeof value === "boolean",
  // A lone surrogate is no character, and a text is made of characters (RFC 8259 section 8.2).
  string: (value) => typeof value === "string" && value.isWellFormed(),
  number: (value) => typeof value === "number",
  integer: Number.isInteger,
  array: Array.isArray,
  object: isObject,
  null: (value) => value === null,
};

type Keyword = (value: any, bound: any, schema: Schema) => boolean;

/** A keyword binds values of one type and lets all others pass (JSON Schema section 7.6.1). */
function of(type: string, holds: Keyword): Keyword {
  return (value, bound, schema) => types[type]?.(value) !== true || holds(value, bound, schema);
}

const keywords: Readonly<Record<string, Keyword>> = {
  type: (value, type: string) => types[type]?.(value) === true,
  enum: (value, choices) => choices.includes(value),
  const: (value, only) => value === only,
  minLength: of("string", (value, least) => [...value].length >= least),
  maxLength: of("string", (value, most) => [...value].length <= most),
  pattern: of("string", (value, pattern) => new RegExp(pattern, "u").test(value)),
  minimum: of("number", (value, least) => value >= least),
  exclusiveMinimum: of("number", (value, below) => value > below),
  maximum: of("number", (value, most) => value <= most),
  maxItems: of("array", (value, most) => value.length <= most),
  uniqueItems: of("array", (value) => new Set(value).size === value.length),
  items: () => true,
  properties: () => true,
  required: of("object", (value, names: string[]) =>
    names.every((name) => Object.hasOwn(value, name))),
  additionalProperties: of("object", (value, allowed, { properties = {} }) =>
    allowed !== false || Object.keys(value).every((name) => Object.hasOwn(properties, name))),
};
