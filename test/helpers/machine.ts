/**
 * A machine to try data/deploy on: folders that stand for /opt, /etc and /var/lib, and stand-ins
 * for the commands that need root. Runs the blocks of data/deploy/README.md there.
 */

import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { promisify } from "node:util";
import { temporaryFolder } from "./forno.ts";
import { patienceMs } from "./patience.ts";
import { root } from "./readme.ts";

const run = promisify(execFile);

export const deploy: string = join(root, "data/deploy");

/** True if these programs are installed. */
export function hasTools(...tools: readonly string[]): boolean {
  return tools.every((tool) => spawnSync(tool, ["--version"]).error === undefined);
}

/** The blocks under a heading of data/deploy/README.md. */
export function steps(heading: string): string[] {
  const text = readFileSync(join(deploy, "README.md"), "utf8");
  const [, after = ""] = text.split(`\n## ${heading}\n`);
  const section = after.split(/^## /m)[0] ?? "";
  const blocks = [...section.matchAll(/^```\w+\n([^]*?)^```$/gm)].map(([, block = ""]) => block);
  assert.notEqual(blocks.length, 0, `no steps under "${heading}"`);
  return blocks;
}

export interface Machine {
  /** Stands for "/". */
  readonly folder: string;
  /** Where the server keeps its data. */
  readonly dataDir: string;
  /** Runs shell commands, with changed texts. Rejects when they fail. */
  run(commands: string, changes?: Readonly<Record<string, string>>): Promise<string>;
}

/** `runuser` and `install` leave out the user, since the test owns its folders. */
const standIns: Readonly<Record<string, string>> = {
  systemctl: "exit 0",
  useradd: "exit 0",
  id: "exit 1",
  runuser: 'shift 3; exec "$@"',
  install: `args=()
while [ $# -gt 0 ]; do
  case $1 in -o|-g) shift 2 ;; *) args+=("$1"); shift ;; esac
done
exec env PATH="\${PATH#*:}" install "\${args[@]}"`,
};

export function createMachine(t: TestContext): Machine {
  const folder = temporaryFolder(t);
  const bin = join(folder, "bin");
  for (const path of ["bin", "opt", "etc/forno", "etc/systemd/system", "var/lib/forno/rome"]) {
    mkdirSync(join(folder, path), { recursive: true });
  }
  for (const [name, script] of Object.entries(standIns)) {
    writeFileSync(join(bin, name), `#!/bin/bash\n${script}\n`, { mode: 0o755 });
  }
  // The node that runs the tests.
  const PATH = [bin, dirname(process.execPath), process.env["PATH"]].join(delimiter);
  return {
    folder,
    dataDir: join(folder, "var/lib/forno/rome"),
    async run(commands, changes = {}) {
      let text = commands.replaceAll(/(?<![\w.])\/(opt|etc|var\/lib)\//g, `${folder}/$1/`);
      for (const [from, to] of Object.entries(changes)) {
        assert.ok(commands.includes(from), `${from} in ${commands}`);
        text = text.replaceAll(from, to);
      }
      const options = { cwd: folder, env: { PATH, LC_ALL: "C.UTF-8" }, timeout: patienceMs };
      return (await run("bash", ["--norc", "-euc", text], options)).stdout;
    },
  };
}

/** Makes a package of each version, as `npm pack` does, in the machine's folder. */
export async function pack({ folder }: Machine, versions: readonly string[]): Promise<void> {
  const args = ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder];
  await run("npm", args, { cwd: root, timeout: patienceMs });
  const script = `mkdir unpacked
    tar xzf forno-*.tgz -C unpacked
    for version in ${versions.join(" ")}; do
      sed -i 's/"version": ".*"/"version": "'$version'"/' unpacked/package/package.json
      tar czf forno-$version.tgz -C unpacked package
    done`;
  await run("bash", ["--norc", "-euc", script], { cwd: folder });
}
