/** The package: it needs no others, and holds what runs, the documents, and all they link to. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { test, type TestContext } from "node:test";
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

/** Packs and installs, as a user does. Returns the folder of the installed package. */
async function install(t: TestContext): Promise<string> {
  const folder = temporaryFolder(t);
  const pack = ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder];
  const { stdout } = await run("npm", pack, { cwd: root, timeout: 180_000 });
  const args = ["install", "--offline", "--silent", "--prefix", folder, stdout.trim()];
  await run("npm", args, { cwd: folder, timeout: 180_000 });
  return join(folder, "node_modules/forno");
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true }).map(String)
    .filter((path) => statSync(join(folder, path)).isFile());
}

test("the installed package holds what runs and the documents, and serves", async (t) => {
  const folder = await install(t);
  const files = filesBelow(folder);
  const served = /^dist\/[\w/-]+\.(?:js|html|css|svg|txt|webmanifest|woff2)$/;
  const data = filesBelow(join(root, "data")).map((path) => `data/${path}`)
    .filter((path) => !path.startsWith("data/store/"));
  const documents = [
    "LICENSE", "README.md", "package.json", "src/README.md", "test/CONTRACT.md", "test/README.md",
    "test/bench/README.md", "test/durability/README.md",
  ];
  const others = files.filter((path) => !served.test(path));
  assert.deepEqual(others.sort(), [...documents, ...data].sort());

  const command = join(folder, "../.bin/forno");
  assert.match((await run(command, ["--help"])).stdout, /node dist\/server\.js/);
  const forno = await spawnForno(t, { cwd: folder, file: command });
  const pages = ["/", "/board", "/pages/current/board.js", "/pages/current/it.json"];
  for (const path of [...pages, "/api/toppings/funghi", "/openapi.json", "/metrics"]) {
    assert.equal((await forno.asStaff("GET", path)).status, 200, path);
  }

  for (const document of files.filter((path) => path.endsWith(".md"))) {
    const text = readFileSync(join(folder, document), "utf8");
    for (const [, path = "", heading] of text.matchAll(/\]\(([^):\s#]*)(?:#([^)]*))?\)/g)) {
      const file = join(folder, path === "" ? document : join(dirname(document), path));
      assert.ok(existsSync(file), `${document} links to ${path}`);
      const isThere = heading === undefined || headingsOf(file).includes(heading);
      assert.ok(isThere, `${document} links to ${path}#${heading}`);
    }
  }
});

/** As a link names them. */
function headingsOf(file: string): readonly string[] {
  return Array.from(readFileSync(file, "utf8").matchAll(/^#+ (.*)$/gm), ([, heading = ""]) =>
    heading.toLowerCase().replaceAll(/[^\w\- ]/g, "").replaceAll(" ", "-"));
}
