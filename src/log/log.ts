/**
 * The log (contract part 1): one JSON line per entry, or a short plain line on a terminal.
 *
 * A reader that is stuck does not stop the server: pipes and terminals are written as streams, with
 * up to 1 MiB waiting in memory, and further lines are lost. A terminal that is paused (Ctrl-S)
 * delays only the end of the process. Writing never fails: if the output is broken, lines are lost.
 *
 * No token is logged: every text goes through `withoutTokens`. Line breaks and control characters
 * are escaped.
 */

import { createWriteStream, fstatSync, writeSync } from "node:fs";
import { isatty } from "node:tty";
import { messageOf } from "./system-error.ts";

/** From least to most important. */
type LogLevel = "debug" | "info" | "error";

/** The further fields of an entry. Undefined values are left out. */
export type LogFields = Readonly<Record<string, unknown>>;

export interface Log {
  enabled(level: LogLevel): boolean;
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

export interface LogOptions {
  readonly level: LogLevel | "silent";
  /** True: lines for people instead of JSON. */
  readonly terminal: boolean;
  /** Standard output (1, the default), or a file. */
  readonly fd?: number;
  readonly now?: () => Date;
}

const ranks = { debug: 0, info: 1, error: 2, silent: 3 } as const;

export function createLog({ level, terminal, fd = 1, now = () => new Date() }: LogOptions): Log {
  const format = terminal ? terminalLine : jsonLine;
  // Made for the first line, so that a silent log opens nothing.
  let write: ((line: string) => void) | undefined;
  const enabled = (of: LogLevel): boolean => ranks[of] >= ranks[level];
  const at = (of: LogLevel) => (message: string, fields: LogFields = {}) => {
    if (!enabled(of)) return;
    write ??= writerTo(fd);
    write(format(now(), of, message, fields));
  };
  return { enabled, debug: at("debug"), info: at("info"), error: at("error") };
}

/** Characters that may wait for a stuck reader. */
const maxWaiting = 1_048_576;

function writerTo(fd: number): (line: string) => void {
  const isTerminal = isatty(fd);
  if (!isTerminal && !isPipe(fd)) return (line) => writeToFile(fd, line);
  // Node's own stream would wait for a terminal. This one waits in a thread of its own.
  const stream = isTerminal ? createWriteStream("", { fd, autoClose: false }) : process.stdout;
  // EPIPE: the reader is gone. There is nowhere to report it.
  stream.on("error", () => {});
  return (line) => {
    if (!stream.destroyed && stream.writableLength < maxWaiting) stream.write(line);
  };
}

function isPipe(fd: number): boolean {
  try {
    const stat = fstatSync(fd);
    return stat.isFIFO() || stat.isSocket();
  } catch {
    // The descriptor is closed. Writes will fail too, and are ignored.
    return false;
  }
}

function writeToFile(fd: number, line: string): void {
  try {
    writeSync(fd, line);
  } catch {
    // The disk is full, or the file is closed. The server must go on.
  }
}

/** `{"time":…,"level":…,"msg":…}` with the fields, and a newline. */
function jsonLine(time: Date, level: LogLevel, message: string, fields: LogFields): string {
  let line = `{"time":"${time.toISOString()}","level":"${level}","msg":${toJson(message)}`;
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) line += `,${toJson(name)}:${toJson(value)}`;
  }
  return `${printable(line)}}\n`;
}

/** `12:00:00 info  listening url=http://127.0.0.1:3000`. */
function terminalLine(time: Date, level: LogLevel, message: string, fields: LogFields): string {
  const words = [time.toTimeString().slice(0, 8), level.padEnd(5), withoutTokens(message)];
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) words.push(`${name}=${shortValue(value)}`);
  }
  return `${printable(words.join(" "))}\n`;
}

function shortValue(value: unknown): string {
  const short = value instanceof Error ? shortError(value) : value;
  const isBare = typeof short === "string" && /^[^\s"]+$/.test(short);
  return isBare ? withoutTokens(short) : toJson(short);
}

/** Name, message, the message of the cause, and the first frame of the stack. */
function shortError({ name, message, stack = "", cause }: Error): string {
  const reason = cause === undefined ? "" : `: ${messageOf(cause)}`;
  const [, frame = ""] = /\n +(at .*)/.exec(stack) ?? [];
  return `${name}: ${message}${reason} ${frame}`.trimEnd();
}

/** A value as JSON; "not JSON" if it cannot be written, for example if it is circular. */
function toJson(value: unknown): string {
  // Most are strings and numbers, and a replacer takes several times as long.
  if (typeof value === "string") return JSON.stringify(withoutTokens(value));
  if (typeof value === "number") return JSON.stringify(value);
  try {
    return JSON.stringify(value, plainMember) ?? '"not JSON"';
  } catch {
    return '"not JSON"';
  }
}

/** A JSON.stringify replacer. `this[name]` is the value before its toJSON was called. */
function plainMember(this: Record<string, unknown>, name: string, value: unknown): unknown {
  const original = this[name];
  if (original instanceof Error) return errorFields(original);
  if (typeof value === "bigint") return String(value);
  return typeof value === "string" ? withoutTokens(value) : value;
}

function errorFields(error: NodeJS.ErrnoException): object {
  const { name, message, code, stack, cause } = error;
  return { name, message, code, stack, cause };
}

/** Control characters, and characters that break or reverse a line in a terminal or a viewer. */
const unprintable = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Escapes characters that could break a line or control a terminal, with JSON's own escapes, so
 * that JSON text keeps its meaning.
 */
export function printable(text: string): string {
  return text.replace(
    unprintable,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/**
 * A JWS with a 256-bit signature, or a cut one: a JWS header (`{"` is `eyJ` in base64url) and all
 * that follows. Dots may be percent-encoded, also more than once. The match begins at the start of
 * a word, so that a long URL is scanned once.
 */
const dot = String.raw`(?:\.|%(?:25)*2e)`;
const token = new RegExp(
  String.raw`(?<![\w-])(?:[\w-]+${dot}[\w-]*${dot}[\w-]{43}(?![\w-])` +
    String.raw`|eyJ[\w-]{12,}${dot}[\w.%-]*)`,
  "gi",
);

/** The length of the shortest match: `eyJ`, twelve characters and a dot. */
const minTokenLength = 16;

/** The text with "[token]" in place of each token. */
export function withoutTokens(text: string): string {
  if (text.length < minTokenLength || !/[.%]/.test(text)) return text;
  return text.replace(token, "[token]");
}
