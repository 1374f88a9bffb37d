/**
 * Entry: `node dist/server.js`. Looks at Node's version before anything is imported that an older
 * one does not have, then serves.
 */

import * as module from "node:module";
import { fileURLToPath } from "node:url";
import { requireNode } from "./commands/node-version.ts";

if (requireNode()) {
  // From Node 22.8 on. The next start reads what this one has compiled, from beside the code: who
  // can write there can change the code itself. Where nobody can, every start compiles.
  module.enableCompileCache?.(fileURLToPath(new URL("../dist/.cache", import.meta.url)));
  await import("./commands/serve.ts");
}
