/**
 * The OpenAPI operations of a kind of resource, which crud.ts carries out, with their JSON schemas.
 * Generated clients take their names from here.
 */

import type { OrderReads } from "../auth/access.ts";
import { patchType } from "../http/body.ts";
import type { Operation, Parameter } from "../http/route.ts";
import { closedObject, idField, type Schema } from "../resources/field.ts";
import type { Kind } from "../resources/kind.ts";
import type { ProblemType } from "../problems/problem-types.ts";
import { json } from "./openapi-info.ts";

/** An operation for each handler in crud.ts. A singleton has only get, replace and patch. */
export type ResourceOperations = Readonly<
  Record<"list" | "create" | "get" | "replace" | "patch" | "remove", Operation>
>;

export function resourceOperations(kind: Kind, orderReads: OrderReads): ResourceOperations {
  const { name, label, schemaName, singleton } = kind;
  const tag = { name, description: kind.description };
  const isOrder = kind.placedBy !== undefined;
  const isSingleton = singleton !== undefined;
  const one = isSingleton ? `the ${label}` : `one ${label}`;
  const whoReads = isOrder ? readers[orderReads] : "";
  const response = responseSchema(kind);
  const id: Parameter = {
    $component: `parameters/${schemaName}Id`,
    name: "id",
    in: "path",
    required: true,
    description: `The id of the ${label}.`,
    schema: idField.schema,
    example: kind.examples.create["id"],
  };
  const item = { tag, parameters: isSingleton ? [] : [id] };
  const rules = isOrder ? orderUpdate : isSingleton ? shopUpdate : "";
  const update = `An update that changes nothing writes nothing.${rules}`;
  const updateProblems: readonly ProblemType[] = isOrder
    ? ["precondition-failed", "status-not-allowed", "order-closed"]
    : ["precondition-failed"];
  const updated = {
    success: {
      description: `The ${label}, now on disk.`,
      headers: ["ETag"],
      content: json(response),
    },
    problems: updateProblems,
  };
  return {
    list: {
      id: `list${schemaName}s`,
      tag,
      summary: `List the ${label}s`,
      description: `Oldest first. Without a query, all of them.${whoReads}`,
      success: {
        description: `The ${label}s that match.`,
        headers: ["ETag", "X-Total-Count", "Link"],
        content: json({ type: "array", items: response }),
      },
    },
    create: {
      id: `create${schemaName}`,
      tag,
      summary: `Create a new ${label}`,
      description:
        "A client that chooses the `id` can retry safely. If the id exists, the 409 says " +
        `whether the stored ${label} is what was sent.${isOrder ? orderCreate : ""}`,
      body: json(createSchema(kind)),
      success: {
        status: 201,
        description: `The ${label}, now on disk.`,
        headers: ["ETag", "Location"],
        content: json(response),
      },
      problems: isOrder ? ["id-taken", "shop-closed", "sold-out"] : ["id-taken"],
    },
    get: {
      ...item,
      id: `get${schemaName}`,
      summary: `Get ${one}`,
      description: `The ${label}${isSingleton ? "" : " with this id"}.${whoReads}`,
      success: { description: `The ${label}.`, headers: ["ETag"], content: json(response) },
    },
    replace: {
      ...item,
      ...updated,
      id: `replace${schemaName}`,
      summary: `Replace ${one}`,
      description: `The body is the whole ${label}. ${update}`,
      body: json(isSingleton ? response : updateSchema(kind)),
    },
    patch: {
      ...item,
      ...updated,
      id: `update${schemaName}`,
      summary: `Change fields of ${one}`,
      description: `A JSON merge patch (RFC 7396): fields that are left out stay. ${update}`,
      body: { [patchType]: patchSchema(kind), ...json(patchSchema(kind)) },
    },
    remove: {
      ...item,
      id: `delete${schemaName}`,
      summary: `Delete one ${label}`,
      description: isOrder
        ? "Removes the order. To cancel it and keep it, set its status."
        : "Always allowed. Orders keep the id, and the name it had when it was ordered.",
      success: { status: 204, description: "Deleted, on disk too." },
      problems: ["precondition-failed", "storage-unavailable"],
    },
  };
}

const readers: Readonly<Record<OrderReads, string>> = {
  public: "",
  authenticated: " Any valid token may read them.",
  own: " Staff and readers see all, a customer those placed under the same `sub`.",
};

const orderCreate =
  " Staff may create an order in any status, a customer in `Pending` or `Preparing`. Every item " +
  "it refers to must exist. A customer's order is 409 while the shop is closed or an item is " +
  "sold out.";
const orderUpdate =
  " Every item that it adds must exist. The status may move forward and back, only not directly " +
  "between `Delivered` and `Cancelled` (409). The items of an order in either status can no " +
  "longer change (409).";
const shopUpdate =
  " Customers cannot order while the shop is closed, and never an item that is sold out.";

const timeExample = "2026-01-31T18:00:00.000Z";

/** "Order": the resource in responses. */
function responseSchema({ schemaName, label, fields, examples }: Kind): Schema {
  const all = Object.entries(fields);
  const times = all.filter(([, { isServerSet }]) => isServerSet === true);
  const timeMembers = Object.fromEntries(times.map(([name]) => [name, timeExample]));
  return {
    $component: `schemas/${schemaName}`,
    ...closedObject(Object.fromEntries(all.map(([name, { schema }]) => [name, schema]))),
    description: `The ${label} as it is stored.`,
    examples: [{ ...examples.create, ...timeMembers }],
  };
}

/** "OrderCreate": the body of a POST. */
function createSchema(kind: Kind): Schema {
  return {
    $component: `schemas/${kind.schemaName}Create`,
    ...kind.body("create", undefined).schema,
    description: `A new ${kind.label}.`,
    examples: [kind.examples.create],
  };
}

/** "OrderUpdate": the body of a PUT. */
function updateSchema(kind: Kind): Schema {
  const { schemaName, label, examples } = kind;
  return {
    $component: `schemas/${schemaName}Update`,
    ...kind.body("update", undefined).schema,
    description: `The whole ${label}. If it has an \`id\`, it must be the one in the path.`,
    examples: [{ ...examples.create, ...examples.patch }],
  };
}

/** "OrderPatch": the body of a PATCH. */
function patchSchema(kind: Kind): Schema {
  const { schemaName, label, examples } = kind;
  return {
    $component: `schemas/${schemaName}Patch`,
    ...partial(kind.body("update", undefined).schema),
    description: `The fields of the ${label} that should change (RFC 7396).`,
    examples: [examples.patch],
  };
}

/** The schema with every member optional, in nested objects too. */
function partial(schema: Schema): Schema {
  const { required: _, properties, ...rest } = schema;
  // A component is shared with other schemas, so it must not change.
  if (properties === undefined || schema["$component"] !== undefined) return schema;
  // Every member of `properties` is a schema.
  const members = Object.entries(properties as Readonly<Record<string, Schema>>);
  const partials = members.map(([name, member]) => [name, partial(member)]);
  return { ...rest, properties: Object.fromEntries(partials) };
}
