/** Entry: `node dist/token.js staff`. As server.ts does, it looks at Node's version first. */

import { requireNode } from "./node-version.ts";

if (requireNode()) await import("./print-token.ts");
