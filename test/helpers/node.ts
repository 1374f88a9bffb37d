/** How a test runs a file in a process of its own: from the sources, or as it was built. */

import { existsSync, readdirSync, statSync } from "node:fs";
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

/**
 * The arguments with which Node runs a program, `server` or `token`: what was built, which starts
 * in a quarter of the time, or the sources where there is none or they have changed since.
 */
export function programOf(name: string): readonly string[] {
  const built = fileOf(`dist/${name}.js`);
  return isNewest(built) ? [built] : [...nodeFlags, fileOf(`src/${name}.ts`)];
}

function isNewest(built: string): boolean {
  const changedAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = readdirSync(fileOf("src"), { recursive: true }).map((path) => `src/${path}`);
  return sources.every((path) => changedAt(fileOf(path)) < changedAt(built));
}
