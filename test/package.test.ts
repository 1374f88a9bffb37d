/** The package: it needs no others, and takes an order where npm has installed it. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { test, type TestContext } from "node:test";
import { promisify } from "node:util";
import { spawnForno, temporaryFolder } from "./helpers/forno.ts";
import { needsBuild } from "./helpers/node.ts";
import { patienceMs } from "./helpers/patience.ts";
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

/** Packs what was built, and installs it in an empty folder, as `npx forno` does. */
async function install(t: TestContext): Promise<string> {
  const folder = temporaryFolder(t);
  const pack = ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder];
  const { stdout } = await run("npm", pack, { cwd: root, timeout: patienceMs });
  const args = ["install", "--offline", "--silent", "--prefix", folder, stdout.trim()];
  await run("npm", args, { cwd: folder, timeout: patienceMs });
  return folder;
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true }).map(String)
    .filter((path) => statSync(join(folder, path)).isFile());
}

test("packed and installed, it takes an order in an empty folder", {
  skip: needsBuild,
}, async (t) => {
  const folder = await install(t);
  const installed = join(folder, "node_modules/forno");
  const built = /^dist\/[\w/-]+\.(?:js|html|css|svg|png|txt|webmanifest|woff2)$/;
  const data = filesBelow(join(root, "data")).map((path) => `data/${path}`)
    .filter((path) => !path.startsWith("data/store/"));
  const others = filesBelow(installed).filter((path) => !built.test(path));
  const guides = ["README.md", "CONTRACT.md", "durability/README.md"].map((name) => `test/${name}`);
  const expected = ["LICENSE", "README.md", "package.json", "src/README.md", ...guides, ...data];
  assert.deepEqual(others.sort(), expected.sort());
  for (const document of others.filter((path) => path.endsWith(".md"))) {
    const links = textOf(document).matchAll(/\]\(((?!https?:)[^)#]+)/g);
    for (const [, link = ""] of links) {
      assert.ok(existsSync(join(installed, dirname(document), link)), `${document}: ${link}`);
    }
  }

  const command = (name: string): string => join(folder, "node_modules/.bin", name);
  const unset = { DATA_DIR: "", TOKEN_SECRET: "" };
  const forno = await spawnForno(t, { cwd: folder, file: command("forno"), env: unset });
  for (const path of ["/", "/board", "/pages/current/board.js", "/openapi.json"]) {
    assert.equal((await forno.call("GET", path)).status, 200, path);
  }
  const env = { PATH: process.env["PATH"] };
  const { stdout } = await run(command("forno-token"), ["staff"], { cwd: folder, env });
  for (const name of ["forno", "forno-token"]) {
    const help = await run(command(name), ["--help"], { cwd: folder, env });
    assert.ok(help.stdout.includes(` npx ${name} `), "what to type here");
  }
  const body = { pizzaSize: { id: "grande" }, toppings: [{ id: "funghi" }], beverages: [] };
  const init = { token: stdout.trim(), body };
  const { status, json } = await forno.call("POST", "/api/orders", init);
  assert.equal(status, 201);
  const store = readFileSync(join(folder, "forno-data/store.ndjson"), "utf8");
  assert.ok(store.includes(`"id":"${json.id}"`), "the order is in the current folder's store");
});
