/**
 * The log: its levels, the form of a line, the things that never get into it, and the way to its
 * reader, also to one that does not read.
 */

import assert from "node:assert/strict";
import { type ChildProcessWithoutNullStreams as Logger, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { test, type TestContext } from "node:test";
import { pathToFileURL } from "node:url";
import { signToken } from "../../src/auth/token.ts";
import { createLog, type LogOptions, withoutTokens } from "../../src/log/log.ts";
import { moduleOf } from "../helpers/node.ts";
import { startPatience } from "../helpers/patience.ts";
import { root } from "../helpers/readme.ts";
import { record, time } from "../helpers/recorded-log.ts";

const token = signToken({ role: "staff", exp: 2_000_000_000 }, Buffer.alloc(32, "k"));
const levels = ["debug", "info", "error"] as const;

test("only lines of the level and above are written, and enabled says so beforehand", (t) => {
  const written = { debug: ["debug", "info", "error"], info: ["info", "error"], error: ["error"] };
  for (const [level, expected] of Object.entries({ ...written, silent: [] })) {
    const { log, text } = record(t, { level: level as LogOptions["level"] });
    for (const of of levels) log[of]("a line");
    assert.deepEqual(text().match(/(?<="level":")\w+/g) ?? [], expected);
    assert.deepEqual(levels.filter((of) => log.enabled(of)), expected);
  }
});

test("a line is one JSON object: time, level, message and the fields", (t) => {
  const { log, text } = record(t);
  log.info("listening", { url: "http://127.0.0.1:3000", port: 3000, open: true, none: undefined });
  log.error("no fields");
  assert.equal(
    text(),
    `{"time":"${time}","level":"info","msg":"listening",` +
      '"url":"http://127.0.0.1:3000","port":3000,"open":true}\n' +
      `{"time":"${time}","level":"error","msg":"no fields"}\n`,
  );
});

test("an error among the fields shows its name, message, code, stack and causes", (t) => {
  const { log, text } = record(t);
  const cause = Object.assign(new TypeError("inner"), { code: "EIO" });
  const error = new Error("outer", { cause });
  // As a Problem does, for its client: the log must see through it.
  log.error("failed", { error: Object.assign(error, { toJSON: () => "for the client" }) });
  assert.deepEqual(JSON.parse(text()).error, {
    name: "Error",
    message: "outer",
    stack: error.stack,
    cause: { name: "TypeError", message: "inner", code: "EIO", stack: cause.stack },
  });
});

test("on a terminal an entry is one short line, and an error says why and where", (t) => {
  const { log, text } = record(t, { terminal: true });
  const clock = new Date(time).toTimeString().slice(0, 8);
  log.info("listening", { url: "http://127.0.0.1:3000", data: "/a b", port: 0, none: undefined });
  const line = `${clock} info  listening url=http://127.0.0.1:3000 data="/a b" port=0\n`;
  assert.equal(text(), line);
  const failure = new RangeError("too far", { cause: new Error("no map") });
  log.error("failed", { error: failure, list: ["a", { b: null }] });
  const [error, ...others] = text().slice(line.length, -1).split("\n");
  const why = "RangeError: too far: no map";
  assert.match(error ?? "", RegExp(`^\\S+ error failed error="${why} at .*log\\.test\\.[jt]s`));
  assert.match(error ?? "", / list=\["a",\{"b":null\}\]$/);
  assert.deepEqual(others, []);
});

test("no character in a message, name or value breaks a line or commands a terminal", (t) => {
  const characters = "\n\r\t\0\x07\x08\x1b[2J\x7f\x85\x9b31m\u2028\u2029\u202e\u2066";
  for (const terminal of [true, false]) {
    const { log, text } = record(t, { terminal });
    log.info(`a${characters}`, { b: `c${characters}`, d: [characters], bare: "e\x1b]0;f\x07" });
    log.info("name", { [characters]: characters });
    log.error("g", { error: new Error(`h${characters}`) });
    const lines = text().split("\n");
    assert.deepEqual([lines.length, lines.at(-1)], [4, ""]);
    assert.doesNotMatch(text().replaceAll("\n", ""), /[\p{Cc}\u2028\u2029\u202e\u2066]/u);
    if (!terminal) assert.equal(JSON.parse(lines[0] ?? "").b, `c${characters}`);
  }
});

test("a value that JSON cannot hold costs the fields, not the line or the server", (t) => {
  const ring: { self?: unknown } = {};
  ring.self = ring;
  const error: Error = new Error("its own cause");
  error.cause = error;
  for (const terminal of [true, false]) {
    const { log, text } = record(t, { terminal });
    for (const odd of [ring, [ring], { error }]) log.info("odd", { odd });
    log.info("big", { count: 10n });
    assert.equal(text().split("\n").length, 5);
    assert.equal(text().match(/not JSON/g)?.length, 3);
  }
});

test("a token is cut out of whatever stands around it, also without its end", () => {
  assert.equal(withoutTokens(`a ${token} b ${token}`), "a [token] b [token]");
  assert.equal(withoutTokens(`/api/orders?token=${token}&x=1`), "/api/orders?token=[token]&x=1");
  for (const dot of ["%2E", "%252e", "%25252E"]) {
    assert.equal(withoutTokens(`/${token.replaceAll(".", dot)}?`), "/[token]?");
  }
  for (let length = token.indexOf(".") + 1; length < token.length; length += 1) {
    assert.equal(withoutTokens(`/${token.slice(0, length)}`), "/[token]");
  }
  for (const text of ["/api/orders/a%41%2e%2Fb.c", "1.2.3", "eyJ.eyJ.x", `${"a".repeat(64)}.b`]) {
    assert.equal(withoutTokens(text), text);
  }
});

test("no token gets into a line, however deep in a field or an error it is", (t) => {
  for (const terminal of [true, false]) {
    const { log, text } = record(t, { terminal });
    const cause = new Error(token);
    log.info(token, { token, list: [{ token }], error: new Error(token, { cause }) });
    assert.doesNotMatch(text(), /eyJ/);
  }
});

test("a file descriptor that is closed throws nothing", () => {
  const log = createLog({ level: "info", terminal: false, fd: 99_999 });
  log.info("into the void");
  log.info("again");
});

const { file: logFile, flags } = moduleOf("log/log");

const child = `
  import { writeSync } from "node:fs";
  import { createLog } from ${JSON.stringify(pathToFileURL(logFile))};
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
  const args = [...flags, "--input-type=module", "--eval", child];
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
