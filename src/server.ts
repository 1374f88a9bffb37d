#!/usr/bin/env node
/**
 * Entry: `node dist/server.js`. Checks Node's version first, because an older Node cannot import
 * the rest. Then serves.
 */

import { requireNode } from "./commands/node-version.ts";

if (requireNode()) await import("./commands/serve.ts");
