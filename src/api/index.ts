/** GET /api (contract part 3): links to everything the service has. */

import { jsonResponse, noCache } from "../http/response.ts";
import type { Route } from "../http/route.ts";
import { closedObject } from "../resources/field.ts";
import { listedKinds } from "../resources/kinds.ts";
import { version } from "../settings.ts";
import { json, serviceTag, text } from "./openapi-info.ts";
import type { Services } from "./services.ts";

const promises =
  "Within a major version, paths, fields and file formats only gain members: see " +
  "data/CHANGELOG.md.";

export function indexRoute({ settings }: Services): Route {
  const { guestOrders } = settings;
  const links = {
    ...Object.fromEntries(listedKinds.map(({ name }) => [name, `/api/${name}`])),
    shop: "/api/shop",
    events: "/api/events",
    backup: "/api/backup",
    devices: "/api/devices",
    invites: "/api/invites",
    tokens: "/api/tokens",
    description: "/openapi.json",
    problems: "/problems/{type}",
    health: "/healthz",
    readiness: "/readyz",
    metrics: "/metrics",
    orderPage: "/",
    board: "/board",
  };
  const index = JSON.stringify({ name: "Forno", version, promises, guestOrders, links });
  return {
    method: "GET",
    path: "/api",
    rule: "anyone",
    handle: () => jsonResponse(200, index, noCache),
    operation: {
      id: "getIndex",
      tag: serviceTag,
      summary: "Links to everything",
      description: "The name and version of the service, and the path of everything it has.",
      success: {
        description: "The index.",
        content: json({
          $component: "schemas/Index",
          ...closedObject({
            name: text,
            version: text,
            guestOrders: {
              type: "boolean",
              description: "True if `POST /api/tokens` gives anyone a customer's token.",
            },
            promises: { ...text, description: "What stays the same between versions." },
            links: { type: "object", additionalProperties: text },
          }),
        }),
      },
    },
  };
}
