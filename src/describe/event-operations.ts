/** The stream of events, described. OpenAPI 3.1 has no words for what is in it: examples are. */

import type { Components } from "./components.ts";
import type { OperationRows } from "./operation.ts";
import { describeParameters } from "./parameters.ts";

const text = { type: "string" };

export function eventOperations(components: Components): OperationRows {
  const order =
    '{"id":"tavolo-4","pizzaSize":{"id":"grande"},"toppings":[],"beverages":[],' +
    '"status":"Preparing","placedAt":"2026-01-31T18:00:00.000Z",' +
    '"updatedAt":"2026-01-31T18:00:00.000Z"}';
  const events = `id: 28\nevent: orders.created\ndata: ${order}\n\n`;
  const lines = `{"id":"28","event":"orders.created","data":${order}}\n`;
  return {
    "GET /api/events": () => ({
      id: "getEvents",
      tag: "events",
      summary: "Follow every change",
      description:
        "A stream without an end: server-sent events, or one JSON object per line where `Accept` " +
        "prefers `application/x-ndjson`. Events are `orders.created`, `orders.updated`, " +
        "`orders.deleted` and the same for the menu's kinds, and `shop.updated`; `data` is the " +
        "resource, of a deleted one its `id`. `reset` says that what came in between is no longer known: read " +
        "everything again. A heartbeat, a comment or an empty line, comes every 15 s. A caller " +
        "that may not read an order does not get its events.",
      parameters: describeParameters(components, ["LastEventId"]),
      answers: {
        200: {
          description: "Events, as they happen.",
          headers: ["Cache-Control", "Vary", "X-Accel-Buffering"],
          content: {
            "text/event-stream": { schema: text, examples: { created: { value: events } } },
            "application/x-ndjson": { schema: text, examples: { created: { value: lines } } },
          },
        },
      },
    }),
  };
}
