#!/usr/bin/env node
/**
 * Entry: `node dist/server.js`. Checks Node's version first, because an older Node cannot import
 * the rest. Then serves.
 */

import * as module from "node:module";
import { join } from "node:path";
import { requireNode } from "./commands/node-version.ts";

if (requireNode()) {
  // Node 22.8 and newer keep compiled code for the next start. It is beside the code, because
  // whoever can write there can change the code anyway. If nobody can, every start compiles.
  module.enableCompileCache?.(join(import.meta.dirname, "../dist/.cache"));
  await import("./commands/serve.ts");
}
