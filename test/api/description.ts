/** The description of a running server, and whether an answer is one that it describes. */

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
  return Object.entries<Schema>(document["paths"]).flatMap(([path, item]) =>
    Object.entries<Schema>(item).map(([method, row]) => (
      { method: method.toUpperCase(), path, row })));
}

/** `path`: as in the document. */
export function operationAt(document: Schema, method: string, path: string): Operation {
  const row = document["paths"][path]?.[method.toLowerCase()];
  assert.ok(row, `${method} ${path} is not described`);
  return { method, path, row };
}

/** The parameters of an operation. */
export function parametersOf({ row }: Operation, document: Schema): readonly Schema[] {
  return row["parameters"].map((parameter: Schema) => resolve(parameter, document));
}

/** The schema of what an operation takes. */
export function bodySchema({ row }: Operation): Schema {
  const [media] = Object.values<Schema>(row["requestBody"].content);
  return media?.["schema"];
}

/** Asserts that status, described header fields, media type and body are as described. */
export function assertDescribed(response: Response, operation: Operation, document: Schema): void {
  const { method, path, row } = operation;
  const what = `${method} ${path} ${response.status} ${response.text}`;
  const found = row["responses"][response.status] ?? row["responses"].default;
  assert.ok(found, `${what} is not described`);
  const { headers = {}, content, description } = resolve(found, document);
  for (const [name, header] of Object.entries<Schema>(headers)) {
    const value = response.headers.get(name.toLowerCase());
    // A last page has no next one; a problem has a header only where it helps.
    if (value === undefined && (name === "Link" || response.status >= 400)) continue;
    const schema = resolve(resolve(header, document)["schema"], document);
    const typed = schema["type"] === "integer" ? Number(value) : value;
    assert.deepEqual(faultsOf(typed, schema, document), [], `${name} of ${what}`);
  }
  const described = Object.keys(headers).map((name) => name.toLowerCase());
  for (const name of ["allow", "location", "retry-after", "www-authenticate"]) {
    assert.ok(!response.headers.has(name) || described.includes(name), `${name} of ${what}`);
  }
  if (content === undefined) return assert.equal(response.text, "", what);
  const mediaType = response.headers.get("content-type")?.split(";")[0] ?? "none";
  assert.ok(content[mediaType], `${mediaType} is not described: ${what}`);
  const body = /[/+]json$/.test(mediaType) ? response.json : response.text;
  assert.deepEqual(faultsOf(body, content[mediaType].schema, document), [], what);
  if (mediaType !== "application/problem+json") return;
  assert.match(description, new RegExp(response.json.type.slice("/problems/".length)), what);
}
