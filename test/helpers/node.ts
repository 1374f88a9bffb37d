/** How a test runs a file of the sources in a process of its own. */

import { fileURLToPath } from "node:url";

/** Flags with which another Node runs TypeScript as this one does: by itself, or through tsx. */
export const nodeFlags: readonly string[] = process.execArgv.includes("tsx")
  ? ["--import", import.meta.resolve("tsx")]
  : [];

/** The absolute path of a file of the project. `path`: from the project's folder. */
export function fileOf(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}
