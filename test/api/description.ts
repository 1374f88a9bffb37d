/**
 * The description of a running server, and the check of answers and bodies against it: a JSON
 * Schema evaluator (2020-12) for the keywords that it uses. An unknown keyword throws, so that no
 * bound goes unnoticed.
 */

import assert from "node:assert/strict";
import type { Client, Response } from "../helpers/forno.ts";

export type Schema = Readonly<Record<string, any>>;

export interface Operation {
  readonly method: string;
  /** As in the document: "/api/toppings/{id}". */
  readonly path: string;
  /** The operation object. */
  readonly row: Schema;
}

export async function fetchDescription(forno: Client): Promise<Schema> {
  const { status, json } = await forno.call("GET", "/openapi.json");
  assert.equal(status, 200);
  return json;
}

export function operationsOf(document: Schema): readonly Operation[] {
  return Object.entries<Schema>(document["paths"]).flatMap(([path, { parameters, ...item }]) =>
    Object.entries<Schema>(item).map(([method, row]) => (
      { method: method.toUpperCase(), path, row })));
}

/** `path`: as in the document. */
export function operationAt(document: Schema, method: string, path: string): Operation {
  const row = document["paths"][path]?.[method.toLowerCase()];
  assert.ok(row, `${method} ${path} is not described`);
  return { method, path, row };
}

/** The parameters of an operation, its path's first. */
export function parametersOf({ row, path }: Operation, document: Schema): readonly Schema[] {
  const all = [...(document["paths"][path].parameters ?? []), ...(row["parameters"] ?? [])];
  return all.map((parameter: Schema) => resolve(parameter, document));
}

/** The schema of an operation's body. */
export function bodySchema({ row }: Operation): Schema {
  const [media] = Object.values<Schema>(row["requestBody"].content);
  return media?.["schema"];
}

/** Asserts that status, header fields, media type and body are as described. */
export function assertDescribed(response: Response, operation: Operation, document: Schema): void {
  const { method, path, row } = operation;
  const { status, text } = response;
  const what = `${method} ${path} ${status} ${text}`;
  const key = status < 400 ? status : status < 500 ? "4XX" : "default";
  assert.ok(row["responses"][key], `${status} is not described: ${what}`);
  const { content, headers = {} } = resolve(row["responses"][key], document);
  assertFields(response, headers, document, what);
  if (content === undefined) return assert.equal(text, "", what);
  const mediaType = response.headers.get("content-type")?.split(";")[0] ?? "none";
  assert.ok(content[mediaType], `${mediaType} is not described: ${what}`);
  const body = /[/+]json$/.test(mediaType) ? response.json : text;
  assert.deepEqual(faultsOf(body, content[mediaType].schema, document), [], what);
}

/** The fields that clients rely on, each of which is described where it is sent. */
const described = ["etag", "location", "link", "retry-after"];

function assertFields(
  response: Response, headers: Schema, document: Schema, what: string,
): void {
  const names = new Map(Object.keys(headers).map((name) => [name.toLowerCase(), name]));
  for (const name of described) {
    const value = response.headers.get(name);
    const header = resolve(headers[names.get(name) ?? ""] ?? {}, document);
    if (value === undefined) assert.notEqual(header["required"], true, `${name}: ${what}`);
    else {
      assert.ok(names.has(name), `${name} is not described: ${what}`);
      const typed = header["schema"].type === "integer" ? Number(value) : value;
      assert.deepEqual(faultsOf(typed, header["schema"], document), [], what);
    }
  }
}

/** The schema itself, or its target. `root`: the document. */
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
    if (keyword === "anyOf" || keyword === "oneOf") {
      const all: string[][] = bound.map((part: Schema) => faultsOf(value, part, root, at));
      const count = all.filter((faults) => faults.length === 0).length;
      if (keyword === "oneOf" && count > 1) return [`${at} fits ${count} of oneOf`];
      return count > 0 ? [] : all.flat();
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
  minItems: of("array", (value, least) => value.length >= least),
  maxItems: of("array", (value, most) => value.length <= most),
  uniqueItems: of("array", (value) => new Set(value).size === value.length),
  items: () => true,
  properties: () => true,
  required: of("object", (value, names: string[]) =>
    names.every((name) => Object.hasOwn(value, name))),
  additionalProperties: of("object", (value, allowed, { properties = {} }) =>
    allowed !== false || Object.keys(value).every((name) => Object.hasOwn(properties, name))),
};
