/**
 * GET /openapi.json. The document, and the modules that make it, are loaded when it is first asked
 * for: few ever ask, and they would be a fifth of the start.
 */

import { strongTag } from "../http/etag.ts";
import { jsonType, noCache } from "../http/reply.ts";
import { conditional, type Tagged } from "../handlers/conditional.ts";
import type { OpenapiOptions } from "./openapi.ts";
import type { Route } from "../http/route.ts";

/** The route, which describes all the others and itself. */
export function descriptionRoute(others: readonly Route[], options: OpenapiOptions): Route {
  let described: Promise<Tagged> | undefined;
  const route: Route = {
    method: "GET",
    path: "/openapi.json",
    rule: "anyone",
    async handle({ fields }) {
      described ??= describe([...others, route], options).catch((error: unknown) => {
        // For want of a file handle, say: the next one may find it.
        described = undefined;
        throw error;
      });
      return conditional(await described, fields);
    },
  };
  return route;
}

async function describe(routes: readonly Route[], options: OpenapiOptions): Promise<Tagged> {
  const { describeService } = await import("./openapi.ts");
  const json = JSON.stringify(describeService(routes, options));
  const etag = strongTag(json);
  const body = Buffer.from(`${json}\n`);
  return { status: 200, type: jsonType, head: noCache, etag, body };
}
