/** For `npm run dev`: builds and serves. tsx runs it again when a file of src or data changes. */

import { spawnSync } from "node:child_process";

const { status } = spawnSync("npm", ["run", "build", "--silent"], { stdio: "inherit" });
if (status === 0) await import("../dist/server.js");
