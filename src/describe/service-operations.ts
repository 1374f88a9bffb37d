/** What the service says of itself, and what staff and guests get from it, described. */

import { backupFormat } from "../handlers/backup.ts";
import type { Kind } from "../pizzeria/kind.ts";
import { linksOf } from "../handlers/operations.ts";
import { version } from "../http/version.ts";
import { closedObject, timeSchema } from "./answer-schemas.ts";
import type { Components } from "./components.ts";
import { type AnswerRow, type OperationRows, readAnswers } from "./operation.ts";
import { describeParameters } from "./parameters.ts";
import { commonRefusal } from "./problems.ts";
import { referSchema } from "./schemas.ts";
import { shopSchema } from "./shop-operations.ts";

export interface ServiceContext {
  readonly components: Components;
  readonly kinds: readonly Kind[];
  readonly guestOrders: boolean;
}

const json = "application/json";
const text = { type: "string" };

export function serviceOperations(context: ServiceContext): OperationRows {
  const { components, kinds, guestOrders } = context;
  const links = linksOf(kinds, guestOrders);
  return {
    "GET /api": () => ({
      id: "getIndex",
      tag: "service",
      summary: "Where everything is",
      description: "The service's name and version, and the paths of what it has.",
      answers: {
        200: {
          description: "The index.",
          headers: ["Cache-Control"],
          content: {
            [json]: {
              schema: closedObject({
                name: text,
                version: text,
                links: {
                  type: "object",
                  additionalProperties: { ...text, format: "uri-reference" },
                },
              }),
              examples: { index: { value: { name: "Forno", version, links } } },
            },
          },
        },
      },
    }),
    "GET /openapi.json": () => ({
      id: "getDescription",
      tag: "service",
      summary: "This description",
      description: "OpenAPI 3.1, of the service as it is set up.",
      parameters: describeParameters(components, ["IfNoneMatch"]),
      answers: readAnswers("An OpenAPI document.", {
        headers: ["Cache-Control", "ETag"],
        content: {
          [json]: {
            schema: {
              type: "object",
              required: ["openapi", "info", "paths"],
              properties: {
                openapi: { ...text, enum: ["3.1.0"] },
                info: { type: "object", additionalProperties: true },
                paths: { type: "object", additionalProperties: true },
              },
              additionalProperties: true,
            },
          },
        },
      }),
    }),
    "GET /healthz": () => ({
      id: "getHealth",
      tag: "service",
      summary: "Whether the service is alive",
      description: "Never limited. Says nothing of the disk.",
      answers: { 200: statusAnswer("alive") },
    }),
    "GET /readyz": () => ({
      id: "getReadiness",
      tag: "service",
      summary: "Whether writes would be stored",
      description: "Never limited. 503 while the disk takes no writes, and during the shutdown.",
      answers: { 200: statusAnswer("ready") },
      refusals: [commonRefusal("storage-unavailable")],
    }),
  };
}

function statusAnswer(status: string): AnswerRow {
  return {
    description: `It is ${status}.`,
    headers: ["Cache-Control"],
    content: {
      [json]: {
        schema: closedObject({ status: { ...text, enum: [status] } }),
        examples: { [status]: { value: { status } } },
      },
    },
  };
}

export function staffOperations({ components, kinds }: ServiceContext): OperationRows {
  return {
    "GET /metrics": () => ({
      id: "getMetrics",
      tag: "service",
      summary: "What has been counted",
      description:
        "For Prometheus: requests by route and status, their latency, the store, its disk, the " +
        "process.",
      answers: {
        200: {
          description: "Text format 0.0.4.",
          headers: ["Cache-Control"],
          content: { "text/plain": { schema: text } },
        },
      },
    }),
    "GET /api/backup": () => ({
      id: "getBackup",
      tag: "service",
      summary: "The whole store",
      description: "One JSON document, of one moment, that `restore.js` and `MENU_FILE` read back.",
      answers: {
        200: {
          description: "Everything that is stored.",
          headers: ["NoStore", "Content-Disposition"],
          content: { [json]: { schema: backupSchema(kinds, components) } },
        },
      },
    }),
  };
}

function backupSchema(kinds: readonly Kind[], components: Components): object {
  const lists = kinds.map((kind) => [
    kind.name,
    { type: "array", items: referSchema(kind, "stored", components) },
  ]);
  return closedObject({
    forno: { type: "integer", enum: [backupFormat], description: "The version of the format." },
    takenAt: timeSchema,
    shop: shopSchema(components),
    ...Object.fromEntries(lists),
  });
}

export function guestOperations(): OperationRows {
  return {
    "POST /api/tokens": () => ({
      id: "createGuestToken",
      tag: "tokens",
      summary: "Get a customer's token",
      description:
        "Anyone may: the token places orders for twelve hours. Where RATE_LIMIT is not set, a " +
        "client may ask for tokens and orders ten times a minute.",
      answers: {
        201: {
          description: "The token.",
          headers: ["NoStore"],
          content: {
            [json]: {
              schema: closedObject({
                token: { ...text, description: "A JWT." },
                role: { ...text, enum: ["customer"] },
                expiresIn: { type: "integer", minimum: 1, description: "Seconds." },
              }),
            },
          },
        },
      },
    }),
  };
}
