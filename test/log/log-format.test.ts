/** The form of a line of the log, and the things that never get into it. */

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { record, time } from "../helpers/recorded-log.ts";

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

test("on a terminal a line is short, and an error's stack stands below it", (t) => {
  const { log, text } = record(t, { terminal: true });
  const clock = new Date(time).toTimeString().slice(0, 8);
  log.info("listening", { url: "http://127.0.0.1:3000", data: "/a b", port: 0, none: undefined });
  const line = `${clock} info  listening url=http://127.0.0.1:3000 data="/a b" port=0\n`;
  assert.equal(text(), line);
  log.error("failed", { error: new RangeError("too far"), list: ["a", { b: null }] });
  const [first, ...frames] = text().slice(line.length, -1).split("\n");
  assert.equal(first, `${clock} error failed error="RangeError: too far" list=["a",{"b":null}]`);
  assert.match(frames[0] ?? "", /^ +at .*log-format\.test\.[jt]s/);
});

test("a token is never written, wherever it stands", (t) => {
  const part = (claims: object) => Buffer.from(JSON.stringify(claims)).toString("base64url");
  const unsigned = `${part({ alg: "HS256" })}.${part({ role: "staff", exp: 1 })}`;
  const token = `${unsigned}.${createHmac("sha256", "key").update(unsigned).digest("base64url")}`;
  for (const terminal of [true, false]) {
    const { log, text } = record(t, { terminal });
    log.info(`message ${token}`, { path: `/api/orders?token=${token}&x=1`, bare: token });
    log.info("nested", { list: [{ header: `Bearer ${token}` }], line: `\n${token}\n` });
    log.error("error", { error: new Error(`bad ${token}`, { cause: new Error(`"${token}"`) }) });
    for (const piece of token.split(".")) assert.equal(text().includes(piece), false, text());
    assert.match(text(), /\/api\/orders\?token=\[token\]&x=1/);
  }
});

test("a path full of dots and dashes is scanned in one pass", (t) => {
  const { log, text } = record(t);
  for (const odd of ["a-", "a.", "-", "a", ".", "aaaa.aaaa."]) {
    log.info("path", { path: odd.repeat(65_536 / odd.length) });
  }
  assert.equal(text().split("\n").length, 7);
});

test("no character in a message, name or value breaks a line or commands a terminal", (t) => {
  const characters = "\n\r\t\0\x07\x08\x1b[2J\x7f\x85\x9b31m\u2028\u2029\u202e\u2066";
  for (const terminal of [true, false]) {
    const { log, text } = record(t, { terminal });
    log.info(`a${characters}`, { b: `c${characters}`, d: [characters], bare: "e\x1b]0;f\x07" });
    log.info("name", { [characters]: characters });
    log.error("g", { error: new Error(`h${characters}`) });
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
    assert.equal(text().split("\n").length, 5);
    assert.equal(text().match(/not JSON/g)?.length, 3);
  }
});
