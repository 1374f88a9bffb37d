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

export interface ModuleFile {
  readonly file: string;
  /** With which Node runs it. */
  readonly flags: readonly string[];
}

/**
 * A module such as `store/lock`, for a process of its own: as it was built, which starts in a
 * quarter of the time, or its source where there is no build or a source has changed since.
 */
export function moduleOf(name: string): ModuleFile {
  const built = fileOf(`dist/${name}.js`);
  const source = { file: fileOf(`src/${name}.ts`), flags: nodeFlags };
  return isNewest(built) ? { file: built, flags: [] } : source;
}

/** The arguments with which Node runs a program, `server` or `token`. */
export function programOf(name: string): readonly string[] {
  const { file, flags } = moduleOf(name);
  return [...flags, file];
}

function isNewest(built: string): boolean {
  if (!existsSync(built)) return false;
  const builtAt = statSync(built).mtimeMs;
  const sources = readdirSync(fileOf("src"), { recursive: true }).map((path) => `src/${path}`);
  return sources.every((path) => statSync(fileOf(path)).mtimeMs < builtAt);
}
