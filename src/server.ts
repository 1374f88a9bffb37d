/**
 * Entry: `node dist/server.js`. Looks at Node's version before anything is imported that an older
 * one does not have, then serves.
 */

import { requireNode } from "./commands/node-version.ts";

if (requireNode()) await import("./commands/serve.ts");
