/** Entry: `node dist/restore.js FILE`. Checks Node's version first, as server.ts does. */

import { requireNode } from "./commands/node-version.ts";

if (requireNode()) await import("./commands/restore.ts");
