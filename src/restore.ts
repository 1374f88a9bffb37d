/** Entry: `node dist/restore.js FILE`. As server.ts does, it looks at Node's version first. */

import { requireNode } from "./commands/node-version.ts";

if (requireNode()) await import("./commands/restore.ts");
