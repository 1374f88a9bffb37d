/** The way of a log line to its reader, also to a reader that does not read. */

import assert from "node:assert/strict";
import { spawn, type ChildProcessWithoutNullStreams as Logger } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { test, type TestContext } from "node:test";
import { createLog } from "../../src/log/log.ts";
import { nodeFlags } from "../helpers/node.ts";
import { startPatience } from "../helpers/patience.ts";
import { root } from "../helpers/readme.ts";
import { record } from "../helpers/recorded-log.ts";

test("lines come in order, whole and at once", (t) => {
  const { log, text } = record(t);
  for (let line = 0; line < 2000; line += 1) log.info("line", { line });
  const numbers = text().split("\n").slice(0, -1).map((line) => JSON.parse(line).line);
  assert.deepEqual(numbers, Array.from({ length: 2000 }, (_, line) => line));
});

test("a file descriptor that is closed throws nothing", () => {
  const log = createLog({ level: "info", terminal: false, fd: 99_999 });
  log.info("into the void");
  log.info("again");
});

const logFile = new URL("../../src/log/log.ts", import.meta.url).href;

const child = `
  import { writeSync } from "node:fs";
  import { createLog } from ${JSON.stringify(logFile)};
  const log = createLog({ level: "info", terminal: false });
  const pad = "x".repeat(1000);
  for (let line = 0; line < 3000; line += 1) log.info("line", { line, pad });
  setTimeout(() => writeSync(2, process.stdout.writableLength + " wait\\n"), 1);
  process.stdin.resume().on("end", () => {
    log.info("last");
    process.exit(7);
  });`;

const transports = ["socket", "pipe"] as const;

/**
 * Logs 3 MB, says on stderr how many characters wait, and exits with 7 at the end of stdin. Its
 * stdout is not read.
 */
function startLogger(t: TestContext, through: (typeof transports)[number]): Logger {
  const args = [...nodeFlags, "--input-type=module", "--eval", child];
  const shell = ["-c", '{ "$0" "$@"; echo "exit $?" >&2; } | cat', process.execPath, ...args];
  const logger = through === "socket"
    ? spawn(process.execPath, args, { cwd: root })
    : spawn("sh", shell, { cwd: root });
  const patience = startPatience(() => logger.kill("SIGKILL"));
  t.after(() => {
    clearTimeout(patience);
    logger.kill("SIGKILL");
  });
  return logger;
}

/** Reads until the sign has come; the stream can be read on. */
async function readUntil(stream: Readable, sign: string): Promise<string> {
  let text = "";
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    if (text.includes(sign)) return text;
  }
  return assert.fail(`ended without ${sign}: ${text.slice(0, 1000)}`);
}

test("a stuck reader stops neither the process nor its end, and takes 1 MB", async (t) => {
  for (const through of transports) {
    const logger = startLogger(t, through);
    const logged = await readUntil(logger.stderr, "wait");
    const waiting = Number(/\d+/.exec(logged));
    assert.ok(waiting > 500_000 && waiting < 1_100_000, `${waiting} characters wait`);
    logger.stdin.end();
    if (through === "socket") assert.deepEqual(await once(logger, "exit"), [7, null]);
    else assert.match(logged + (await readUntil(logger.stderr, "exit")), /exit 7/);
    logger.stdout.destroy();
  }
});
