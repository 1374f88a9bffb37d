#!/usr/bin/env node
/** Entry: `node dist/token.js staff`. Checks Node's version first, as server.ts does. */

import { requireNode } from "./commands/node-version.ts";

if (requireNode()) {
  const { runCommand } = await import("./commands/command.ts");
  const { tokenFor, usage } = await import("./commands/token.ts");
  runCommand(usage, (args) => tokenFor(args, process.env));
}
