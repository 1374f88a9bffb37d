/** The description of a running server, and the check of an answer against it. */

import assert from "node:assert/strict";
import type { Client, Response } from "../helpers/forno.ts";
import { faultsOf, resolve, type Schema } from "./json-schema.ts";

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
