/**
 * What others are given: no package at run time, a lock file that names no registry, a package
 * that holds what runs and no more, and no trace of the machine that it was made on.
 */

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { test, type TestContext } from "node:test";
import { promisify } from "node:util";
import { cleanUp, temporaryFolder } from "./helpers/forno.ts";
import { root } from "./helpers/readme.ts";

const run = promisify(execFile);
const textOf = (file: string): string => readFileSync(join(root, file), "utf8");
const manifest = JSON.parse(textOf("package.json"));

test("it depends on no package, and is developed with three", () => {
  const kinds = ["", "peer", "optional", "bundle", "bundled"]
    .map((kind) => (kind === "" ? "dependencies" : `${kind}Dependencies`));
  assert.deepEqual(kinds.filter((kind) => kind in manifest), []);
  assert.deepEqual(Object.keys(manifest.devDependencies), ["@types/node", "tsx", "typescript"]);
});

test("its lock file knows every package by its content, and none by an address", () => {
  assert.doesNotMatch(textOf("package-lock.json"), /"resolved"|https?:/);
  const { packages } = JSON.parse(textOf("package-lock.json"));
  for (const [path, { integrity }] of Object.entries<{ integrity?: string }>(packages)) {
    if (path !== "") assert.match(integrity ?? "", /^sha512-/, path);
  }
});

const statement = /(?:^|[\s;}])(?:from|import)\s*\(?\s*"([^"]+)"/g;

test("nothing in dist imports a package, or a file that is not there", () => {
  const files = readdirSync(join(root, "dist"), { recursive: true }).map(String);
  for (const file of files.filter((one) => one.endsWith(".js"))) {
    for (const [, specifier = ""] of textOf(`dist/${file}`).matchAll(statement)) {
      const isThere = existsSync(join(root, "dist", dirname(file), specifier));
      assert.ok(specifier.startsWith("node:") || (/^\.\.?\//.test(specifier) && isThere),
        `dist/${file} imports ${specifier}`);
    }
  }
});

async function packedFiles(): Promise<string[]> {
  const args = ["pack", "--dry-run", "--json", "--ignore-scripts"];
  const { stdout } = await run("npm", args, { cwd: root, timeout: 60_000 });
  // A list of packages, or an object of them, as the version of npm will have it.
  const [packed] = Object.values<{ files: { path: string }[] }>(JSON.parse(stdout));
  return packed?.files.map(({ path }) => path) ?? [];
}

test("it packs what is run and what is read first, and nothing else", async () => {
  const files = await packedFiles();
  const served = /^dist\/[\w/-]+\.(?:js|html|css|svg|txt|webmanifest|woff2)$/;
  const others = files.filter((path) => !served.test(path));
  const words = readdirSync(join(root, "data/words")).map((name) => `data/words/${name}`);
  const deploy = readdirSync(join(root, "data/deploy"), { recursive: true })
    .map((name) => `data/deploy/${name}`)
    .filter(isFile);
  const data = ["data/README.md", ...deploy.sort(), "data/starter-menu.json", ...words.sort()];
  const expected = ["LICENSE", "README.md", ...data, "package.json"];
  assert.deepEqual(others.sort(), expected);
  for (const entry of ["server", "token", "restore"]) assert.ok(files.includes(`dist/${entry}.js`));
});

/** `node dist/server.js` in a folder. Resolves to its address. */
async function serve(t: TestContext, folder: string): Promise<string> {
  const env = { PATH: process.env["PATH"], PORT: "0" };
  const child = spawn(process.execPath, ["dist/server.js"], { cwd: folder, env });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  cleanUp(t, async () => {
    child.kill("SIGKILL");
    await ended;
  });
  for await (const line of createInterface(child.stdout)) return JSON.parse(line).url;
  throw new Error("it ended before it listened");
}

test("what it packs serves the menu and the pages, with nothing else around it", async (t) => {
  const folder = temporaryFolder(t);
  for (const path of await packedFiles()) cpSync(join(root, path), join(folder, path));
  const url = await serve(t, folder);
  const { stdout } = await run(process.execPath, ["dist/token.js", "staff"], { cwd: folder });
  const headers = { authorization: `Bearer ${stdout.trim()}` };
  const pages = ["/", "/board", "/pages/current/board.js", "/pages/current/it.json"];
  for (const path of [...pages, "/api/toppings/funghi", "/openapi.json", "/metrics"]) {
    assert.equal((await fetch(url + path, { headers })).status, 200, path);
  }
});

/** What is listed may be gone since, or be a link to a folder. */
function isFile(file: string): boolean {
  return statSync(join(root, file), { throwIfNoEntry: false })?.isFile() === true;
}

test("no file names a folder of the machine that it was made on", async (t) => {
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const listed = await run("git", args, { cwd: root }).catch(() => undefined);
  if (listed === undefined) return t.skip("needs git and a clone");
  const files = listed.stdout.split("\0").filter((file) => isFile(file));
  const naming = files.filter((file) => /\/(?:home|root|Users|work)\/\w/.test(textOf(file)));
  assert.deepEqual(naming, []);
});
