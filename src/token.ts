/** Entry: `node dist/token.js staff`. As server.ts does, it looks at Node's version first. */

import { requireNode } from "./commands/node-version.ts";

if (requireNode()) {
  const { runCommand } = await import("./commands/command.ts");
  const { tokenFor, usage } = await import("./commands/token.ts");
  await runCommand(usage, (args) => tokenFor(args, process.env));
}
