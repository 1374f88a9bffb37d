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
  return json as Schema;
}

export function operationsOf(document: Schema): readonly Operation[] {
  return Object.entries<Schema>(document["paths"]).flatMap(([path, item]) =>
    Object.entries<Schema>(item).map(([method, row]) => ({
      method: method.toUpperCase(),
      path,
      row,
    })),
  );
}

export function operationAt(document: Schema, method: string, path: string): Operation {
  const row = document["paths"][path]?.[method.toLowerCase()];
  assert.ok(row, `${method} ${path} is not described`);
  return { method, path, row };
}

/** The parameters of an operation. */
export function parametersOf({ row }: Operation, document: Schema): readonly Schema[] {
  return row["parameters"].map((parameter: Schema) => resolve(parameter, document));
}

/** Asserts that status, described header fields, media type and body are as described. */
export function assertDescribed(response: Response, operation: Operation, document: Schema): void {
  const { method, path, row } = operation;
  const what = `${method} ${path} ${response.status}`;
  const found = row["responses"][response.status] ?? row["responses"].default;
  assert.ok(found, `${what} is not described: ${response.text}`);
  const described = resolve(found, document);
  assertHeaders(response, described["headers"] ?? {}, what, document);
  const { content } = described;
  if (content === undefined) return assert.equal(response.text, "", what);
  const mediaType = response.headers.get("content-type")?.split(";")[0] ?? "none";
  assert.ok(content[mediaType], `${what} is ${mediaType}, which is not described`);
  const body = /[/+]json$/.test(mediaType) ? response.json : response.text;
  const { schema } = content[mediaType];
  assert.deepEqual(faultsOf(body, schema, document), [], `${what} ${response.text}`);
  // It is open to members of later versions, but has all of this one.
  if (mediaType === "application/problem+json") {
    const known = Object.keys(resolve(schema, document)["properties"]);
    const sent = Object.keys(response.json);
    for (const name of sent) assert.ok(known.includes(name), `${what} ${name}`);
    const type: string = response.json.type.slice("/problems/".length);
    assert.match(described["description"], new RegExp(type));
  }
}

function assertHeaders(
  response: Response, described: Schema, what: string, document: Schema,
): void {
  const rows = new Map<string, Schema>();
  for (const [name, header] of Object.entries<Schema>(described)) {
    rows.set(name.toLowerCase(), resolve(header, document));
  }
  for (const [name, header] of rows) {
    const value = response.headers.get(name);
    if (value === undefined || value === null) {
      // A last page has no next one; a problem has a header only where it helps.
      assert.ok(name === "link" || response.status >= 400, `${what} should have a header ${name}`);
      continue;
    }
    const schema = resolve(header["schema"], document);
    const typed = schema["type"] === "integer" ? Number(value) : value;
    assert.deepEqual(faultsOf(typed, schema, document), [], `${what} ${name}`);
  }
}

/** A body without what is another one in each answer. */
export function settled(body: unknown): unknown {
  const text = JSON.stringify(body)
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, "TIME")
    .replaceAll(/ETag is \\"[\w-]{22}\\"/g, "ETag is TAG")
    .replaceAll(/(come back in|fields within) [\d.]+ s/g, "$1 N s");
  return JSON.parse(text);
}
