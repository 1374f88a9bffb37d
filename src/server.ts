/**
 * Entry: `node dist/server.js`. Looks at Node's version before anything is imported that an older
 * one does not have, then serves.
 */

import * as module from "node:module";
import { join } from "node:path";
import { requireNode } from "./commands/node-version.ts";

if (requireNode()) {
  // From Node 22.8 on. The next start reads what this one has compiled, from beside the code: who
  // can write there can change the code itself. Where nobody can, every start compiles.
  module.enableCompileCache?.(join(import.meta.dirname, "../dist/.cache"));
  await import("./commands/serve.ts");
}
