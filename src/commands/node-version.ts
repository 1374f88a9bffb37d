/** Refuses an older Node, before anything is imported that it lacks. */

import { writeSync } from "node:fs";

/** An older Node has neither crc32 nor hash. package.json's `engines` says the same to npm. */
const minVersion = [20, 15] as const;

/** False, with one line on stderr and exit code 1, where Node is too old. */
export function requireNode(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > minVersion[0] || (major === minVersion[0] && minor >= minVersion[1])) return true;
  const { node } = process.versions;
  writeSync(2, `forno: Node ${node} is too old. Install Node ${minVersion.join(".")} or newer.\n`);
  process.exitCode = 1;
  return false;
}
