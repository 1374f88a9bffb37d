/**
 * A folder that a newer version of Forno has written: this version refuses it in one line, and
 * changes nothing (data/deploy/README.md, "Upgrade and go back").
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { crc32 } from "node:zlib";
import { spawnForno, temporaryFolder } from "../helpers/forno.ts";
import { runToExit } from "./run.ts";

const checksum = (text: string): string => crc32(text).toString(16).padStart(8, "0");

/** A folder with a document and a journal, as a stopped server leaves it. */
async function stoppedFolder(t: TestContext): Promise<string> {
  const dataDir = join(temporaryFolder(t), "store");
  const forno = await spawnForno(t, { dataDir, env: { TOKEN_SECRET: "" } });
  forno.child.kill("SIGTERM");
  await forno.exited;
  return dataDir;
}

const filesOf = (folder: string): unknown =>
  readdirSync(folder).sort().map((name) => [name, readFileSync(join(folder, name), "utf8")]);

async function assertRefused(t: TestContext, dataDir: string, reason: RegExp): Promise<void> {
  const before = filesOf(dataDir);
  const { exit, lines } = await runToExit(t, "server.js", [], { DATA_DIR: dataDir });
  assert.deepEqual([exit.code, lines.length], [1, 1], lines.join("\n"));
  const [line = ""] = lines;
  assert.match(line, reason);
  assert.ok(line.endsWith(hint), line);
  assert.deepEqual(filesOf(dataDir), before);
}

const hint =
  "Nothing was changed. A newer version of Forno has probably written it: start that version";

test("a document of a newer format is refused in one line", async (t) => {
  const dataDir = await stoppedFolder(t);
  const file = join(dataDir, "store.json");
  let text = "";
  const newer = readFileSync(file, "utf8").replace('"forno":1,', '"forno":2,');
  for (const line of newer.split("\n")) {
    const [content = "", end] = line.split(/"crc":"\w{8}"/);
    text += end === undefined ? line : `${content}"crc":"${checksum(text + content)}"${end}`;
    text += "\n";
  }
  writeFileSync(file, text.slice(0, -1));
  await assertRefused(t, dataDir, /^forno: store\.json, line 2: expected a document of format 1, got format 2\. /);
});

test("a journal of a newer format is refused in one line", async (t) => {
  const dataDir = await stoppedFolder(t);
  const names = readdirSync(dataDir).filter((name) => name.startsWith("journal-"));
  const name = names.sort().at(-1) ?? "";
  const [header = "", ...rest] = readFileSync(join(dataDir, name), "utf8").split("\n");
  const [content = ""] = header.replace('"format":1', '"format":2').split('"crc"');
  const newer = `${content}"crc":"${checksum(content)}"}`;
  writeFileSync(join(dataDir, name), [newer, ...rest].join("\n"));
  await assertRefused(t, dataDir, /^forno: journal-.*, line 1: .*got .*"format":2/);
});
