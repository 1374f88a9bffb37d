/**
 * The OpenAPI description. data/openapi.json has what only it knows, with one schema for each
 * resource. This file makes the rest from that at the start: the operations of each collection and
 * of the shop, their responses, and the schemas of bodies, patches and references. Where the file
 * has such a part, too, its members count: an example, a description.
 */

import { isObject, type JsonObject } from "../problems/faults.ts";
import type { Filter, Kind } from "../resources/kind.ts";

type Parts = Readonly<Record<string, JsonObject>>;

/** The content of data/openapi.json. */
export interface Source extends JsonObject {
  readonly components: { readonly schemas: Parts };
}

/** The whole document. `singleton`: a kind with one resource, without list and id. */
export function describe(
  source: Source, collections: readonly Kind[], singleton: Kind,
): JsonObject {
  const made = [
    ...collections.map(collectionParts),
    { paths: { [`/api/${singleton.name}`]: itemOperations(singleton, `the ${singleton.label}`) } },
    ...[...collections, singleton].map((kind) => commonParts(kind, source.components.schemas)),
  ];
  const document = [...made, source].reduce<JsonObject>(merged, {});
  return { ...document, paths: withProblems(document["paths"] as Record<string, Parts>) };
}

/** Both, with the members of `upper` where both have one that is no object. */
function merged(lower: JsonObject, upper: JsonObject): JsonObject {
  const whole: Record<string, unknown> = { ...lower };
  for (const [name, value] of Object.entries(upper)) {
    const below = whole[name];
    whole[name] = isObject(below) && isObject(value) ? merged(below, value) : value;
  }
  return whole;
}

/** Each operation may answer with a problem. The parameters of a path are no operation. */
function withProblems(paths: Readonly<Record<string, Parts>>): JsonObject {
  const problem = ref("responses", "ProblemResponse");
  const answers = { responses: { "4XX": problem, default: problem } };
  return mapValues(paths, (path) =>
    mapValues(path, (part) => (Array.isArray(part) ? part : merged(part, answers))));
}

function collectionParts(kind: Kind): JsonObject {
  const { name, label } = kind;
  const schema = schemaName(kind);
  const times = kind.timeOf === undefined ? [] : ["Since", "Until"];
  const paths = {
    [`/api/${name}`]: {
      get: {
        operationId: `list${schema}s`, tags: [name], security: forAnyone,
        summary: `List the ${label}s`, description: "Oldest first.",
        parameters: [
          ...["Limit", "After", "Sort", ...times].map((one) => ref("parameters", one)),
          ...Object.entries(kind.filters).map(([field, filter]) => ({
            name: field, in: "query", schema: ref("schemas", valuesOf(filter)),
          })),
        ],
        responses: {
          "200": {
            description: "A page of them, or all.",
            headers: headers("ETag", "Link"),
            content: json({ type: "array", items: ref("schemas", schema) }),
          },
          "304": notModified,
        },
      },
      post: {
        operationId: `create${schema}`, tags: [name], summary: `Create a new ${label}`,
        description: "For staff.",
        requestBody: { required: true, content: json(ref("schemas", bodyNames(kind).create)) },
        responses: { "201": ref("responses", `${schema}Created`) },
      },
    },
    [`/api/${name}/{id}`]: {
      parameters: [ref("parameters", "PathId")],
      ...itemOperations(kind, `one ${label}`),
      delete: {
        operationId: `delete${schema}`, tags: [name], summary: `Delete one ${label}`,
        description: "For staff. Orders keep the id and the name.",
        responses: { "204": { description: "Deleted, on disk too." } },
      },
    },
  };
  const created = responseWith(kind, "ETag", "Location");
  return { paths, components: { responses: { [`${schema}Created`]: created } } };
}

/** The response with a resource, and the schemas of what a client sends. */
function commonParts(kind: Kind, schemas: Parts): JsonObject {
  const responses = { [`${schemaName(kind)}Response`]: responseWith(kind, "ETag") };
  return { components: { responses, schemas: bodySchemas(kind, schemas) } };
}

function responseWith(kind: Kind, ...names: readonly string[]): JsonObject {
  return {
    description: `The ${kind.label}.`, headers: headers(...names),
    content: json(ref("schemas", schemaName(kind))),
  };
}

function headers(...names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, ref("headers", name)]));
}

function itemOperations(kind: Kind, what: string): JsonObject {
  const schema = schemaName(kind);
  const { update, patch } = bodyNames(kind);
  const found = { "200": ref("responses", `${schema}Response`) };
  const patchType = { "application/merge-patch+json": { schema: ref("schemas", patch) } };
  const change = { tags: [kind.name], description: "For staff.", responses: found };
  return {
    get: {
      operationId: `get${schema}`, tags: [kind.name], security: forAnyone,
      summary: `Get ${what}`, description: "By its id.",
      responses: { ...found, "304": notModified },
    },
    put: {
      operationId: `replace${schema}`, summary: `Replace ${what}`, ...change,
      requestBody: { required: true, content: json(ref("schemas", update)) },
    },
    patch: {
      operationId: `update${schema}`, summary: `Change fields of ${what}`, ...change,
      requestBody: { required: true, content: patchType },
    },
  };
}

const forAnyone = [{}, { token: [] }];
const notModified = ref("responses", "NotModified");

function ref(section: string, name: string): JsonObject {
  return { $ref: `#/components/${section}/${name}` };
}

function json(schema: JsonObject): JsonObject {
  return { "application/json": { schema } };
}

/** The schema of the values of a filter. Only the status of an order is one of some words. */
function valuesOf(filter: Filter): string {
  if (filter === "flag") return "Flags";
  if (filter === "number") return "Numbers";
  return filter === "text" || filter === "id" ? "Texts" : "Statuses";
}

/** "PizzaSize". */
function schemaName({ label }: Kind): string {
  return label.replaceAll(/(?:^| )(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** The names of the schemas of bodies. POST and PUT take the same if nothing has a default. */
function bodyNames(kind: Kind): Record<"create" | "update" | "patch", string> {
  const name = schemaName(kind);
  const [create, update] = Object.keys(kind.defaults).length > 0 ? ["Create", "Update"]
    : ["Body", "Body"];
  return { create: name + create, update: name + update, patch: `${name}Patch` };
}

/** The kinds to whose items an order refers, by its members. */
const references: Readonly<Record<string, string>> = {
  pizzaSize: "PizzaSize", toppings: "Topping", beverages: "Beverage",
};

/** The schemas of bodies, of a patch, and of a reference to an item. */
function bodySchemas(kind: Kind, schemas: Parts): JsonObject {
  const { optional, defaults } = kind;
  const schema = schemaName(kind);
  const { required, properties } = schemas[schema] as unknown as {
    readonly required: readonly string[];
    readonly properties: Parts;
  };
  const sent = mapValues(properties, (field, name) => {
    const { readOnly: _, ...others } = asReference(field, `${references[name]}Reference`);
    return optional.includes(name) ? variantOf(others, "OrEmpty", schemas) : others;
  });
  const patched = mapValues(sent, (field, name) => {
    const change = variantOf(field, "Patch", schemas);
    return optional.includes(name) ? { anyOf: [change, { type: "null" }] } : change;
  });
  const needed = required.filter((name) =>
    name !== "id" && !optional.includes(name) && properties[name]?.["readOnly"] !== true);
  const object = { type: "object", additionalProperties: false };
  const { create, update, patch } = bodyNames(kind);
  return {
    [update]: { ...object, required: needed, properties: sent },
    [create]: {
      ...object, required: needed.filter((name) => !(name in defaults)), properties: sent,
    },
    [patch]: { ...object, properties: patched },
    ...(Object.values(references).includes(schema) && {
      [`${schema}Reference`]: { ...object, required: ["id"], properties },
    }),
  };
}

/** In an answer an item has its name. In a body its id is enough, and 50 are the most. */
function asReference(field: JsonObject, reference: string): JsonObject {
  const { $ref, items } = field;
  const isItem = (value: unknown): boolean => value === ref("schemas", "Item")["$ref"];
  if (isItem($ref)) return ref("schemas", reference);
  if (!isObject(items) || !isItem(items["$ref"])) return field;
  return { ...field, maxItems: 50, items: ref("schemas", reference) };
}

/** The schema whose name has this suffix, if the file has one. */
function variantOf(field: JsonObject, suffix: string, schemas: Parts): JsonObject {
  const name = `${String(field["$ref"]).split("/").at(-1)}${suffix}`;
  return name in schemas ? ref("schemas", name) : field;
}

function mapValues<From, To>(
  values: Readonly<Record<string, From>>, change: (value: From, name: string) => To,
): Readonly<Record<string, To>> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, change(value, name)]),
  );
}
