/** Entry: `node dist/token.js staff`. As server.ts does, it looks at Node's version first. */

import { requireNode } from "./node-version.ts";

if (requireNode()) {
  const { runCommand } = await import("./command.ts");
  const { tokenFor, usage } = await import("./token-command.ts");
  await runCommand(usage, (args) => tokenFor(args, process.env));
}
