/** The six operations that every kind of resource has, described. crud.ts carries them out. */

import type { OrderReads } from "../auth/access.ts";
import { patchType } from "../http/body.ts";
import { ifMatch, ifNoneMatch, notModified, unlessMatch } from "../http/etag.ts";
import type { Operation, Parameter } from "../http/route.ts";
import { idField } from "../resources/field.ts";
import type { Kind } from "../resources/kind.ts";
import { answerSchema, createSchema, patchSchema, updateSchema } from "../resources/schemas.ts";
import type { ProblemType } from "../problems/problem-types.ts";

const json = "application/json";

/** By what crud.ts calls them. */
export type ResourceOperations = Readonly<
  Record<"list" | "create" | "get" | "replace" | "patch" | "remove", Operation>
>;

/** Which operations there are, of a kind as it is set up. */
export function resourceOperations(kind: Kind, orderReads: OrderReads): ResourceOperations {
  const { name, label, schemaName, description } = kind;
  const tag = { name, description };
  const isOrder = kind.placedBy !== undefined;
  const whoReads = isOrder ? readers[orderReads] : "";
  const answer = answerSchema(kind);
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
    200: {
      description: `The ${label}, which is on disk.`,
      headers: ["ETag", "Accept-Patch"],
      content: { [json]: answer },
    },
  };
  const whenFound: readonly ProblemType[] = ["not-found", "precondition-failed"];
  const updateProblems: readonly ProblemType[] = isOrder
    ? [...whenFound, "status-not-allowed", "order-closed"]
    : whenFound;
  return {
    list: {
      id: `list${schemaName}s`,
      tag,
      summary: `List the ${label}s`,
      description:
        `All of them, oldest first, or those that match the query. ${whoReads}Parameters whose ` +
        "name begins with `_` are ignored, others that are not listed are refused.",
      parameters: [ifNoneMatch],
      answers: {
        200: {
          description: `The ${label}s that match.`,
          headers: listHeaders,
          content: { [json]: { type: "array", items: answer } },
        },
        304: { ...notModified, headers: listHeaders },
      },
    },
    create: {
      id: `create${schemaName}`,
      tag,
      summary: `Create a new ${label}`,
      description:
        "A client that chooses the `id` retries safely: once it is there, 409 says whether what " +
        `is stored is what was sent.${isOrder ? orderCreate : ""}`,
      body: { [json]: createSchema(kind) },
      answers: {
        201: {
          description: `The ${label}, which is on disk.`,
          headers: ["ETag", "Location"],
          content: { [json]: answer },
          links: linksFrom(kind),
        },
      },
      problems: ["id-taken", ...(isOrder ? (["shop-closed", "sold-out"] as const) : [])],
    },
    get: {
      id: `get${schemaName}`,
      tag,
      summary: `Get one ${label}`,
      description: `The ${label} with this id. ${whoReads}`.trim(),
      parameters: [id, ifNoneMatch],
      answers: {
        200: { description: `The ${label}.`, headers: ["ETag"], content: { [json]: answer } },
        304: notModified,
      },
      problems: ["not-found"],
    },
    replace: {
      id: `replace${schemaName}`,
      tag,
      summary: `Replace the ${label}`,
      description:
        `The body is all of the ${label}. One that changes nothing writes nothing.` +
        (isOrder ? orderUpdate : ""),
      parameters: [id, ifMatch, unlessMatch],
      body: { [json]: updateSchema(kind) },
      answers: updated,
      problems: updateProblems,
    },
    patch: {
      id: `update${schemaName}`,
      tag,
      summary: `Change fields of the ${label}`,
      description:
        `A JSON merge patch (RFC 7396): what it leaves out stays. The merged ${label} must be ` +
        `what a replacement may be. One that changes nothing writes nothing.` +
        (isOrder ? orderUpdate : ""),
      parameters: [id, ifMatch, unlessMatch],
      body: { [patchType]: patchSchema(kind), [json]: patchSchema(kind) },
      answers: updated,
      problems: updateProblems,
    },
    remove: {
      id: `delete${schemaName}`,
      tag,
      summary: `Delete the ${label}`,
      description: isOrder
        ? "Removes the order. To cancel one and keep it, set its status."
        : "Always possible: orders that hold it keep its id and its name.",
      parameters: [id, ifMatch, unlessMatch],
      answers: { 204: { description: "It is gone, on disk too." } },
      problems: [...whenFound, "storage-unavailable"],
    },
  };
}

const listHeaders = ["ETag", "X-Total-Count", "Link"];

const readers: Readonly<Record<OrderReads, string>> = {
  public: "",
  authenticated: "Any valid token reads them. ",
  own: "Staff read them all, a customer those placed under the same `sub`. ",
};

const orderCreate =
  " Staff create in any status; a customer in `Pending` or `Preparing`, else 400. What the order " +
  "refers to must exist. Of customers, while the shop is closed or for what is sold out: 409.";
const orderUpdate =
  " What it newly refers to must exist. The status moves forward and back; only from `Delivered` " +
  "to `Cancelled` or back is 409, and in both all else is locked: 409.";

/** Where to go from a create. */
function linksFrom({ schemaName }: Kind): object {
  const link = (operation: string, more: object = {}): object => ({
    operationId: operation + schemaName,
    parameters: { id: "$response.body#/id" },
    ...more,
  });
  const requestBody = "$response.body";
  return {
    get: link("get"),
    replace: link("replace", { requestBody }),
    update: link("update", { requestBody }),
    delete: link("delete"),
  };
}
