/** The OpenAPI operations of a kind of resource. crud.ts carries them out. */

import type { OrderReads } from "../auth/access.ts";
import { patchType } from "../http/body.ts";
import type { MediaTypes, Operation, Parameter } from "../http/route.ts";
import { idField } from "../resources/field.ts";
import type { Kind } from "../resources/kind.ts";
import type { ProblemType } from "../problems/problem-types.ts";
import { responseSchema, createSchema, patchSchema, updateSchema } from "./schemas.ts";

/** An operation for each handler in crud.ts. */
export type ResourceOperations = Readonly<
  Record<"list" | "create" | "get" | "replace" | "patch" | "remove", Operation>
>;

const jsonContent = (schema: object): MediaTypes => ({ "application/json": schema });

export function resourceOperations(kind: Kind, orderReads: OrderReads): ResourceOperations {
  const { name, label, schemaName } = kind;
  const tag = { name, description: kind.description };
  const isOrder = kind.placedBy !== undefined;
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
  const updated = {
    description: `The ${label}, now on disk.`,
    headers: ["ETag"],
    content: jsonContent(response),
  };
  const update = "An update that changes nothing writes nothing." + (isOrder ? orderUpdate : "");
  const createProblems: readonly ProblemType[] = isOrder
    ? ["id-taken", "shop-closed", "sold-out"]
    : ["id-taken"];
  const updateProblems: readonly ProblemType[] = isOrder
    ? ["precondition-failed", "status-not-allowed", "order-closed"]
    : ["precondition-failed"];
  return {
    list: {
      id: `list${schemaName}s`,
      tag,
      summary: `List the ${label}s`,
      description: `Oldest first. Without a query, all of them.${whoReads}`,
      success: {
        description: `The ${label}s that match.`,
        headers: ["ETag", "X-Total-Count", "Link"],
        content: jsonContent({ type: "array", items: response }),
      },
    },
    create: {
      id: `create${schemaName}`,
      tag,
      summary: `Create a new ${label}`,
      description:
        "A client that chooses the `id` can retry safely. If the id exists, the 409 says " +
        `whether the stored ${label} is what was sent.${isOrder ? orderCreate : ""}`,
      body: jsonContent(createSchema(kind)),
      success: {
        status: 201,
        description: `The ${label}, now on disk.`,
        headers: ["ETag", "Location"],
        content: jsonContent(response),
      },
      problems: createProblems,
    },
    get: {
      id: `get${schemaName}`,
      tag,
      summary: `Get one ${label}`,
      description: `The ${label} with this id.${whoReads}`,
      parameters: [id],
      success: {
        description: `The ${label}.`,
        headers: ["ETag"],
        content: jsonContent(response),
      },
    },
    replace: {
      id: `replace${schemaName}`,
      tag,
      summary: `Replace one ${label}`,
      description: `The body is the whole ${label}. ${update}`,
      parameters: [id],
      body: jsonContent(updateSchema(kind)),
      success: updated,
      problems: updateProblems,
    },
    patch: {
      id: `update${schemaName}`,
      tag,
      summary: `Change fields of one ${label}`,
      description: `A JSON merge patch (RFC 7396): fields that are left out stay. ${update}`,
      parameters: [id],
      body: { [patchType]: patchSchema(kind), ...jsonContent(patchSchema(kind)) },
      success: updated,
      problems: updateProblems,
    },
    remove: {
      id: `delete${schemaName}`,
      tag,
      summary: `Delete one ${label}`,
      description: isOrder
        ? "Removes the order. To cancel it and keep it, set its status."
        : "Always allowed. Orders keep the id, and the name it had when it was ordered.",
      parameters: [id],
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
