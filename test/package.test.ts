/** The package: it needs no others at run time, and holds the files that run and no more. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { spawnForno, temporaryFolder } from "./helpers/forno.ts";
import { root } from "./helpers/readme.ts";

const run = promisify(execFile);
const textOf = (file: string): string => readFileSync(join(root, file), "utf8");
const manifest = JSON.parse(textOf("package.json"));

test("the package depends on no other, and is developed with three", () => {
  const kinds = ["", "peer", "optional", "bundle", "bundled"]
    .map((kind) => (kind === "" ? "dependencies" : `${kind}Dependencies`));
  assert.deepEqual(kinds.filter((kind) => kind in manifest), []);
  assert.deepEqual(Object.keys(manifest.devDependencies), ["@types/node", "tsx", "typescript"]);
});

test("the lock file knows every package by its content, and none by an address", () => {
  assert.doesNotMatch(textOf("package-lock.json"), /"resolved"|https?:/);
  const { packages } = JSON.parse(textOf("package-lock.json"));
  for (const [path, { integrity }] of Object.entries<{ integrity?: string }>(packages)) {
    if (path !== "") assert.match(integrity ?? "", /^sha512-/, path);
  }
});

async function packedFiles(): Promise<string[]> {
  const args = ["pack", "--dry-run", "--json", "--ignore-scripts"];
  const { stdout } = await run("npm", args, { cwd: root, timeout: 60_000 });
  // A list of packages, or an object of them, as the version of npm will have it.
  const [packed] = Object.values<{ files: { path: string }[] }>(JSON.parse(stdout));
  return packed?.files.map(({ path }) => path) ?? [];
}

test("the package holds the files that run and the README, and they are enough", async (t) => {
  const files = await packedFiles();
  const served = /^dist\/[\w/-]+\.(?:js|html|css|svg|txt|webmanifest|woff2)$/;
  const others = files.filter((path) => !served.test(path));
  const words = readdirSync(join(root, "data/words")).map((name) => `data/words/${name}`);
  const deploy = readdirSync(join(root, "data/deploy"), { recursive: true })
    .map((name) => `data/deploy/${name}`)
    .filter(isFile);
  const data = ["data/README.md", ...deploy.sort(), "data/starter-menu.json", ...words.sort()];
  assert.deepEqual(others.sort(), ["LICENSE", "README.md", ...data, "package.json"]);
  for (const entry of ["server", "token", "restore"]) assert.ok(files.includes(`dist/${entry}.js`));

  const folder = temporaryFolder(t);
  for (const path of files) cpSync(join(root, path), join(folder, path));
  const forno = await spawnForno(t, { cwd: folder, file: join(folder, "dist/server.js") });
  const pages = ["/", "/board", "/pages/current/board.js", "/pages/current/it.json"];
  for (const path of [...pages, "/api/toppings/funghi", "/openapi.json", "/metrics"]) {
    assert.equal((await forno.asStaff("GET", path)).status, 200, path);
  }
});

function isFile(file: string): boolean {
  return statSync(join(root, file)).isFile();
}
