import assert from "node:assert/strict";
import { spawn, type ChildProcessWithoutNullStreams as Logger } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { createLog, type Log, type LogOptions } from "../src/log.ts";

const time = "2026-03-01T12:00:00.000Z";
const levels = ["debug", "info", "error"] as const;

interface Recorder {
  readonly log: Log;
  /** What stands in the log's file, without colours. */
  text(): string;
}

function record(t: TestContext, options: Partial<LogOptions> = {}): Recorder {
  const folder = fs.mkdtempSync(join(tmpdir(), "forno-log-"));
  const file = join(folder, "log");
  const fd = fs.openSync(file, "a");
  t.after(() => fs.closeSync(fd));
  t.after(() => fs.rmSync(folder, { recursive: true, force: true }));
  const now = () => new Date(time);
  const log = createLog({ level: "debug", terminal: false, fd, now, ...options });
  return { log, text: () => stripVTControlCharacters(fs.readFileSync(file, "utf8")) };
}

test("a line is one JSON object: time, level, message and the fields", (t) => {
  const { log, text } = record(t);
  log.info("listening", { url: "http://127.0.0.1:3000", port: 3000, open: true, none: undefined });
  log.error("no fields");
  log.flush();
  assert.equal(
    text(),
    `{"time":"${time}","level":"info","msg":"listening",` +
      '"url":"http://127.0.0.1:3000","port":3000,"open":true}\n' +
      `{"time":"${time}","level":"error","msg":"no fields"}\n`,
  );
});

test("only lines of the level and above are written, and enabled says so beforehand", (t) => {
  const written = { debug: ["debug", "info", "error"], info: ["info", "error"], error: ["error"] };
  for (const [level, expected] of Object.entries({ ...written, silent: [] })) {
    const { log, text } = record(t, { level: level as LogOptions["level"] });
    for (const of of levels) log[of]("a line");
    log.flush();
    assert.deepEqual(text().match(/(?<="level":")\w+/g) ?? [], expected);
    assert.deepEqual(levels.filter((of) => log.enabled(of)), expected);
    assert.equal(log.level, level);
  }
});

test("an error among the fields shows its name, message, code, stack and causes", (t) => {
  const { log, text } = record(t);
  const cause = Object.assign(new TypeError("inner"), { code: "EIO" });
  const error = new Error("outer", { cause });
  // As a Problem does, for its client: the log must see through it.
  log.error("failed", { error: Object.assign(error, { toJSON: () => "for the client" }) });
  log.flush();
  assert.deepEqual(JSON.parse(text()).error, {
    name: "Error",
    message: "outer",
    stack: error.stack,
    cause: { name: "TypeError", message: "inner", code: "EIO", stack: cause.stack },
  });
});

test("on a terminal a line is short, and an error's stack stands below it", (t) => {
  const { log, text } = record(t, { terminal: true });
  const clock = new Date(time).toTimeString().slice(0, 8);
  log.info("listening", { url: "http://127.0.0.1:3000", data: "/a b", port: 0, none: undefined });
  log.flush();
  const line = `${clock} info  listening url=http://127.0.0.1:3000 data="/a b" port=0\n`;
  assert.equal(text(), line);
  log.error("failed", { error: new RangeError("too far"), list: ["a", { b: null }] });
  log.flush();
  const [first, ...frames] = text().slice(line.length, -1).split("\n");
  assert.equal(first, `${clock} error failed error="RangeError: too far" list=["a",{"b":null}]`);
  assert.match(frames[0] ?? "", /^ +at .*log\.test\.ts/);
});

test("what looks like a token is never written, wherever it stands", (t) => {
  const part = (claims: object) => Buffer.from(JSON.stringify(claims)).toString("base64url");
  const unsigned = `${part({ alg: "HS256" })}.${part({ role: "staff", exp: 1 })}`;
  const token = `${unsigned}.${createHmac("sha256", "key").update(unsigned).digest("base64url")}`;
  for (const terminal of [true, false]) {
    const { log, text } = record(t, { terminal });
    log.info(`message ${token}`, { path: `/api/orders?token=${token}&x=1`, bare: token });
    log.info("nested", { list: [{ header: `Bearer ${token}` }], line: `\n${token}\n` });
    log.error("error", { error: new Error(`bad ${token}`, { cause: new Error(`"${token}"`) }) });
    log.flush();
    for (const piece of token.split(".")) assert.equal(text().includes(piece), false, text());
    assert.match(text(), /\/api\/orders\?token=\[token\]&x=1/);
  }
});

test("a path full of dots and dashes is scanned in one pass", (t) => {
  const { log, text } = record(t);
  for (const odd of ["a-", "a.", "-", "a", ".", "aaaa.aaaa."]) {
    log.info("path", { path: odd.repeat(65_536 / odd.length) });
  }
  log.flush();
  assert.equal(text().split("\n").length, 7);
});

test("no character in a message, name or value breaks a line or commands a terminal", (t) => {
  const characters = "\n\r\t\0\x07\x08\x1b[2J\x7f\x85\x9b31m\u2028\u2029\u202e\u2066";
  for (const terminal of [true, false]) {
    const { log, text } = record(t, { terminal });
    log.info(`a${characters}`, { b: `c${characters}`, d: [characters], bare: "e\x1b]0;f\x07" });
    log.info("name", { [characters]: characters });
    log.error("g", { error: new Error(`h${characters}`) });
    log.flush();
    const lines = text().split("\n").filter((line) => !/^ +at /.test(line));
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
    log.flush();
    assert.equal(text().split("\n").length, 5);
    assert.equal(text().match(/not JSON/g)?.length, 3);
  }
});

test("lines come in order and whole, whether gathered, under way or flushed", async (t) => {
  const { log, text } = record(t);
  for (let line = 0; line < 2000; line += 1) {
    log.info("line", { line });
    if (line % 100 === 0) await new Promise(setImmediate);
  }
  await new Promise(setImmediate);
  while (text().split("\n").length < 2001) await new Promise(setImmediate);
  log.info("line", { line: 2000 });
  log.flush();
  const numbers = text().split("\n").slice(0, -1).map((line) => JSON.parse(line).line);
  assert.deepEqual(numbers, Array.from({ length: 2001 }, (_, line) => line));
});

test("a file descriptor that is closed throws nothing, now or later", async () => {
  const log = createLog({ level: "info", terminal: false, fd: 99_999 });
  log.info("into the void");
  await new Promise(setImmediate);
  log.info("again");
  log.flush();
});

const child = `
  import { writeSync } from "node:fs";
  import { createLog } from ${JSON.stringify(new URL("../src/log.ts", import.meta.url).href)};
  const log = createLog({ level: "info", terminal: false });
  const pad = "x".repeat(1000);
  for (let line = 0; line < 3000; line += 1) log.info("line", { line, pad });
  setTimeout(() => writeSync(2, "logged\\n"), 1);
  process.stdin.resume().on("end", () => {
    log.info("last");
    log.flush();
    process.exit(7);
  });`;

/** So that a process that hangs fails the test. */
const bounded = { timeout: 60_000 };

const transports = ["socket", "pipe"] as const;

/** Logs 3 MB, says so on stderr, and exits with 7 at the end of stdin. Its stdout is not read. */
function startLogger(t: TestContext, through: (typeof transports)[number]): Logger {
  const args = ["--import", "tsx", "--input-type=module", "--eval", child];
  const cwd = fileURLToPath(new URL("..", import.meta.url));
  const shell = ["-c", '{ "$0" "$@"; echo "exit $?" >&2; } | cat', process.execPath, ...args];
  const logger =
    through === "socket" ? spawn(process.execPath, args, { cwd }) : spawn("sh", shell, { cwd });
  t.after(() => logger.kill("SIGKILL"));
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

test("a reader that is stuck stops neither the process nor its end", bounded, async (t) => {
  for (const through of transports) {
    const logger = startLogger(t, through);
    const logged = await readUntil(logger.stderr, "logged");
    logger.stdin.end();
    if (through === "socket") assert.deepEqual(await once(logger, "exit"), [7, null]);
    else assert.match(logged + (await readUntil(logger.stderr, "exit")), /exit 7/);
    logger.stdout.destroy();
  }
});

test("a stuck reader that reads on learns how many lines were dropped", bounded, async (t) => {
  for (const through of transports) {
    const logger = startLogger(t, through);
    await readUntil(logger.stderr, "logged");
    let text = await readUntil(logger.stdout, '"dropped":');
    logger.stdin.end();
    for await (const chunk of logger.stdout) text += String(chunk);
    const lines = text.split("\n").slice(0, -1).map((line) => JSON.parse(line));
    const kept = lines.filter(({ msg }) => msg === "line").map(({ line }) => line);
    assert.deepEqual(kept, Array.from(kept, (_, index) => index));
    const [notice, last, ...rest] = lines.slice(kept.length);
    assert.equal(notice.msg, "lines of this log were dropped, its reader was stuck");
    assert.equal(kept.length + notice.dropped, 3000);
    assert.ok(kept.length > 900 && kept.length < 2000, `kept ${kept.length}`);
    assert.deepEqual([last.msg, rest], ["last", []]);
  }
});

test("a reader that goes away is no error", bounded, async (t) => {
  const logger = startLogger(t, "socket");
  await readUntil(logger.stderr, "logged");
  logger.stdout.destroy();
  logger.stdin.end();
  assert.deepEqual(await once(logger, "exit"), [7, null]);
});
