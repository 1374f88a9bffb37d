/** How a test runs a file in a process of its own: from the sources, or as it was built. */

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Flags with which another Node runs TypeScript as this one does: by itself, or through tsx. */
export const nodeFlags: readonly string[] = process.execArgv.includes("tsx")
  ? ["--import", import.meta.resolve("tsx")]
  : [];

/** The absolute path of a file of the project. `path`: from the project's folder. */
export function fileOf(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}

/** Why a test of what `npm run build` makes is skipped; false where it was built. */
export const needsBuild: string | false =
  existsSync(fileOf("dist/server.js")) ? false : "needs what npm run build makes";
