/** POST, PUT, PATCH and DELETE of a resource, described. */

import { patchType } from "../http/json-body.ts";
import type { Body, Kind } from "../pizzeria/kind.ts";
import type { Components } from "./components.ts";
import { answered, examplesOf } from "./examples.ts";
import { idTaken, invalidBody, refusedOrder, tooLarge } from "./problem-examples.ts";
import type { OperationRow } from "./operation.ts";
import { commonRefusal, type Refusal } from "./problems.ts";
import {
  itemParameters,
  json,
  notFoundRefusal,
  preconditionRefusal,
  type ResourceContext,
} from "./resource-parts.ts";
import { type Form, referSchema } from "./schemas.ts";
import { notNow } from "./shop-operations.ts";

const preconditions = ["IfMatch", "UnlessMatch"];

export function createRow(kind: Kind, context: ResourceContext): OperationRow {
  const { name, label, schemaName } = kind;
  return {
    id: `create${schemaName}`,
    tag: name,
    summary: `Create a new ${label}`,
    description:
      "A client that chooses the `id` retries safely: once it is there, 409 says whether what is " +
      `stored is what was sent. ${kind.placed ? orderCreate : ""}`.trim(),
    body: bodyOf(`The new ${label}.`, kind, "create", context),
    answers: {
      201: {
        description: `The ${label}, which is on disk.`,
        headers: ["Cache-Control", "Location", "ETag"],
        content: answerContent(kind, "create", context.components),
        links: linksFrom(kind),
      },
    },
    refusals: [
      ...bodyRefusals(kind, undefined, context),
      { scope: schemaName, problem: idTaken(kind) },
      ...(kind.placed ? notNow().map((problem) => ({ scope: schemaName, problem })) : []),
    ],
  };
}

const orderCreate =
  "Staff create in any status; a customer in `Pending` or `Preparing`, else 400. What the order " +
  "refers to must exist. Of customers, while the shop is closed or for what is sold out: 409.";
const orderUpdate =
  "What it newly refers to must exist. The status moves forward and back; only from `Delivered` " +
  "to `Cancelled` or back is 409, and in both all else is locked: 409.";

export function replaceRow(kind: Kind, context: ResourceContext): OperationRow {
  const { label, schemaName } = kind;
  return {
    ...updateRow(`Replaces the ${label}: the body is all of it.`, kind, context),
    id: `replace${schemaName}`,
    summary: `Replace the ${label}`,
    body: bodyOf(`The ${label} as it should be.`, kind, "update", context),
  };
}

export function patchRow(kind: Kind, context: ResourceContext): OperationRow {
  const { label, schemaName } = kind;
  const what =
    `A JSON merge patch (RFC 7396): what it leaves out stays. The merged ${label} must be what a ` +
    "replacement may be.";
  return {
    ...updateRow(what, kind, context),
    id: `update${schemaName}`,
    summary: `Change fields of the ${label}`,
    body: bodyOf(`What of the ${label} should change.`, kind, "patch", context),
  };
}

function updateRow(
  what: string,
  kind: Kind,
  context: ResourceContext,
): Omit<OperationRow, "id" | "summary"> {
  const { name, label } = kind;
  const { create } = examplesOf(kind);
  const rules = kind.placed ? ` ${orderUpdate}` : "";
  return {
    tag: name,
    description: `${what} One that changes nothing writes nothing.${rules}`,
    ...itemParameters(kind, context, preconditions),
    answers: {
      200: {
        description: `The ${label}, which is on disk.`,
        headers: ["Cache-Control", "Accept-Patch", "ETag"],
        content: answerContent(kind, "update", context.components),
      },
    },
    refusals: [
      ...bodyRefusals(kind, String(create["id"]), context),
      notFoundRefusal(kind),
      preconditionRefusal(kind),
      ...(kind.placed ? lifeCycleRefusals(kind) : []),
    ],
  };
}

export function removeRow(kind: Kind, context: ResourceContext): OperationRow {
  const { name, label, schemaName } = kind;
  return {
    id: `delete${schemaName}`,
    tag: name,
    summary: `Delete the ${label}`,
    description: kind.placed
      ? "Removes the order. To cancel one and keep it, set its status."
      : "Always possible: orders that hold it keep its id and its name.",
    ...itemParameters(kind, context, preconditions),
    answers: { 204: { description: "It is gone, on disk too.", headers: ["Cache-Control"] } },
    refusals: [
      notFoundRefusal(kind),
      preconditionRefusal(kind),
      commonRefusal("storage-unavailable"),
    ],
  };
}

type SentForm = Extract<Form, "create" | "update" | "patch">;

function bodyOf(
  description: string,
  kind: Kind,
  form: SentForm,
  { components }: ResourceContext,
): NonNullable<OperationRow["body"]> {
  const types = form === "patch" ? [patchType, json] : [json];
  const examples = { sent: { value: examplesOf(kind)[form] } };
  const media = { schema: referSchema(kind, form, components), examples };
  return { description, content: Object.fromEntries(types.map((type) => [type, media])) };
}

function answerContent(
  kind: Kind,
  after: "create" | "update",
  components: Components,
): Readonly<Record<string, object>> {
  const examples = { stored: { value: answered(kind, after) } };
  return { [json]: { schema: referSchema(kind, "answer", components), examples } };
}

/** Where to go from a create. */
function linksFrom({ schemaName, label }: Kind): object {
  const link = (operation: string, what: string): object => ({
    operationId: operation + schemaName,
    description: `${what} the new ${label}.`,
    parameters: { id: "$response.body#/id" },
  });
  const whole = { requestBody: "$response.body" };
  return {
    get: link("get", "Get"),
    replace: { ...link("replace", "Replace"), ...whole },
    update: { ...link("update", "Change"), ...whole },
    delete: link("delete", "Delete"),
  };
}

/** `id`: of an update; undefined: a create. */
function bodyRefusals(
  kind: Kind,
  id: string | undefined,
  { bodyLimit }: ResourceContext,
): readonly Refusal[] {
  const scope = kind.schemaName + (id === undefined ? "Create" : "Update");
  const unknown = (): Refusal => ({ scope, problem: refusedOrder(kind, undefined, unknownSize) });
  return [
    { scope, problem: invalidBody(kind, id) },
    ...(kind.placed ? [unknown()] : []),
    commonRefusal("invalid-json"),
    { scope: "", problem: tooLarge(bodyLimit) },
    commonRefusal("unsupported-media-type"),
    commonRefusal("storage-unavailable"),
  ];
}

const unknownSize: Body = { pizzaSize: { id: "ananas" }, toppings: [], beverages: [] };

function lifeCycleRefusals(kind: Kind): readonly Refusal[] {
  const scope = `${kind.schemaName}Update`;
  return [{ status: "Cancelled" }, { status: "Delivered", toppings: [] }].map((changes) => ({
    scope,
    problem: refusedOrder(kind, "Delivered", changes),
  }));
}
