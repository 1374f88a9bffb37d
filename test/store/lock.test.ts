/** The lock of a folder (contract part 6): between calls of one process, and between processes. */

import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { createServer } from "node:net";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { type Lock, lockFolder } from "../../src/store/lock.ts";
import { temporaryFolder } from "../helpers/forno.ts";
import { fileOf, moduleOf } from "../helpers/node.ts";

const job = fileOf("test/store/lock-job.mjs");

function newFolder(t: TestContext, name = ""): string {
  const folder = join(temporaryFolder(t), name);
  fs.mkdirSync(folder, { recursive: true });
  return folder;
}

function start(t: TestContext, folder: string, what: "hold" | "storm"): ChildProcess {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { file, flags } = moduleOf("store/lock");
  const child = fork(job, [folder, what, file], { env, execArgv: [...flags] });
  t.after(() => child.kill("SIGKILL"));
  return child;
}

async function message(child: ChildProcess): Promise<unknown> {
  const [value] = await Promise.race([
    once(child, "message"),
    once(child, "exit").then(() => assert.fail("the process ended without an answer")),
  ]);
  return value;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}

/** A dead lock of the given number: nobody listens on it. */
async function leaveDeadLock(folder: string, number: number): Promise<void> {
  const server = createServer().listen(join(folder, "lock-dying"));
  await once(server, "listening");
  fs.linkSync(join(folder, "lock-dying"), join(folder, `lock-${number}`));
  await new Promise((resolve) => server.close(resolve));
}

const locked = { code: "locked", message: /another process is using the folder/ };

test("a folder has one owner until it is given back, and everyone may ask for it", async (t) => {
  const folder = newFolder(t);
  const lock = await lockFolder(folder);
  assert.equal(fs.statSync(join(folder, "lock-1")).mode & 0o777, 0o777);
  await assert.rejects(lockFolder(folder), locked);
  await lock.release();
  assert.deepEqual(fs.readdirSync(folder), []);
  await (await lockFolder(folder)).release();
});

test("an owner in another process is found, also while it is too busy to answer", async (t) => {
  const folder = newFolder(t);
  const child = start(t, folder, "hold");
  assert.equal(await message(child), "taken");
  await assert.rejects(lockFolder(folder), locked);
  child.send("be busy");
  for (let tries = 0; tries < 20; tries++) await assert.rejects(lockFolder(folder), locked);
});

test("an owner that was killed loses the folder at once", async (t) => {
  const folder = newFolder(t);
  const child = start(t, folder, "hold");
  assert.equal(await message(child), "taken");
  child.kill("SIGKILL");
  await once(child, "exit");
  assert.deepEqual(fs.readdirSync(folder), ["lock-1"]);
  const lock = await lockFolder(folder);
  assert.deepEqual(fs.readdirSync(folder), ["lock-2"]);
  await lock.release();
});

test("a starter that was killed half-way leaves nothing that lasts", async (t) => {
  const folder = newFolder(t);
  await leaveDeadLock(folder, 3);
  await leaveDeadLock(folder, 4);
  fs.renameSync(join(folder, "lock-3"), join(folder, "lock-new-0123456789ab"));
  fs.writeFileSync(join(folder, "lock-2"), "not a socket");
  const lock = await lockFolder(folder);
  assert.deepEqual(fs.readdirSync(folder), ["lock-5"]);
  await lock.release();
});

test("an owner that came between the look and the link keeps the folder", async (t) => {
  const folder = newFolder(t);
  const owner = createServer().listen(join(folder, "another"));
  await once(owner, "listening");
  t.after(() => owner.close());
  const linking = t.mock.method(fs, "linkSync", (from: string, to: string) => {
    linking.mock.restore();
    fs.renameSync(join(folder, "another"), join(folder, "lock-2"));
    fs.linkSync(from, to);
  });
  await assert.rejects(lockFolder(folder), locked);
  assert.deepEqual(fs.readdirSync(folder), ["lock-2"]);
});

test("a starter whose socket was removed by one that came before it is refused", async (t) => {
  const folder = newFolder(t);
  const linking = t.mock.method(fs, "linkSync", (from: string, to: string) => {
    linking.mock.restore();
    fs.rmSync(from);
    fs.linkSync(from, to);
  });
  await assert.rejects(lockFolder(folder), locked);
  assert.deepEqual(fs.readdirSync(folder), []);
});

test("a folder whose path is too long for a socket's address can be locked", async (t) => {
  const folder = newFolder(t, join("x".repeat(120), "y".repeat(120)));
  const lock = await lockFolder(folder);
  await assert.rejects(lockFolder(folder), locked);
  await lock.release();
  await (await lockFolder(folder)).release();
});

test("a folder that has become read-only is given back all the same", async (t) => {
  const folder = newFolder(t);
  const lock = await lockFolder(folder);
  const failing = t.mock.method(fs, "rmSync", () => {
    throw Object.assign(new Error("EROFS: read-only file system"), { code: "EROFS" });
  });
  syncBuiltinESMExports();
  await lock.release();
  failing.mock.restore();
  syncBuiltinESMExports();
  await (await lockFolder(folder)).release();
});

test("one of six starters wins a folder, free or with a dead lock", async (t) => {
  for (let round = 0; round < 20; round++) {
    const folder = newFolder(t);
    for (let dead = 1; dead <= round % 4; dead++) await leaveDeadLock(folder, dead * 2);
    const results = await Promise.allSettled(Array.from({ length: 6 }, () => lockFolder(folder)));
    const locks: Lock[] = [];
    for (const result of results) {
      if (result.status === "fulfilled") locks.push(result.value);
      else assert.equal(result.reason.code, "locked", String(result.reason));
    }
    assert.equal(locks.length, 1, `round ${round}`);
    assert.equal(fs.readdirSync(folder).length, 1);
    await locks[0]?.release();
  }
});

test("processes that take a folder and give it back never have it together", async (t) => {
  const folder = newFolder(t);
  await leaveDeadLock(folder, 1);
  const children = Array.from({ length: 4 }, () => start(t, folder, "storm"));
  const taken = await Promise.all(children.map(message));
  t.diagnostic(`taken ${taken.join(", ")} times`);
  assert.ok(taken.some((times) => Number(times) > 0), "somebody gets it");
  await Promise.all(children.map(ended));
  await (await lockFolder(folder)).release();
});
