/**
 * The log (contract part 1): one JSON line per entry, or short colored lines on a terminal.
 *
 * A log that cannot be written is no error, and a reader that is stuck costs lines, not the server:
 * up to 1 MiB waits for it, then lines are dropped and counted. What looks like a token is not
 * written, and no value breaks a line or commands a terminal.
 */

import { constants, fstatSync, openSync, writeSync } from "node:fs";
import { isatty } from "node:tty";
import { styleText } from "node:util";
import { isItsOwnJson, isoTime } from "./json-text.ts";
import { withoutTokens } from "./redact.ts";

/** What the rest writes to. Fields whose value is undefined are left out. */
export interface Log {
  enabled(level: LogLevel): boolean;
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** Where the log goes, from which level on, and for whom. */
export interface LogOptions {
  readonly level: LogLevel | "silent";
  readonly terminal: boolean;
  /** Standard output (1, the default), standard error (2), or a file. */
  readonly fd?: number;
  readonly now?: () => Date;
}

const ranks = { debug: 0, info: 1, error: 2, silent: 3 } as const;

/** Characters that may wait for a reader that is stuck. */
const waitingLimit = 1_048_576;

export function createLog({ level, terminal, fd = 1, now = () => new Date() }: LogOptions): Log {
  const format = terminal ? terminalLine : jsonLine;
  let dropped = 0;
  // Opened for the first line: a silent log touches nothing.
  let output: Output | undefined;
  const tellDropped = (): void => {
    if (dropped === 0) return;
    const notice = "log lines were dropped because the reader was stuck";
    output?.write(format(now(), "error", notice, { dropped }));
    dropped = 0;
  };
  const enabled = (of: LogLevel): boolean => ranks[of] >= ranks[level];
  const at = (of: LogLevel) => (message: string, fields: LogFields = {}) => {
    if (!enabled(of)) return;
    output ??= openOutput(fd, tellDropped);
    if (output.waiting() > waitingLimit) dropped += 1;
    else output.write(format(now(), of, message, fields));
  };
  return { enabled, debug: at("debug"), info: at("info"), error: at("error") };
}

interface Output {
  write(line: string): void;
  /** Characters that the reader has not taken yet. */
  waiting(): number;
}

/**
 * Pipes and sockets are written as streams, so that a stuck reader blocks nothing.
 * `onDrain`: the reader has taken all that waited.
 */
function openOutput(fd: number, onDrain: () => void): Output {
  if (!isStream(fd)) {
    const file = isatty(fd) ? reopenTerminal(fd) : fd;
    return { write: (line) => writeToFile(file, line), waiting: () => 0 };
  }
  const stream = fd === 1 ? process.stdout : process.stderr;
  // EPIPE: the reader is gone, and there is nobody to tell.
  stream.on("error", () => {});
  stream.on("drain", onDrain);
  return {
    write: (line) => void (stream.destroyed || stream.write(line)),
    waiting: () => stream.writableLength,
  };
}

function isStream(fd: number): boolean {
  try {
    const stat = fstatSync(fd);
    return stat.isFIFO() || stat.isSocket();
  } catch {
    // Closed: writes will fail too, and be ignored.
    return false;
  }
}

/**
 * Node's streams wait for a terminal, and Ctrl-S would stop the server. A description of our own
 * does not wait, and leaves the one that is shared with the shell as it is.
 */
function reopenTerminal(fd: number): number {
  try {
    return openSync(`/dev/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    // For example, after su the terminal belongs to another user.
    return fd;
  }
}

function writeToFile(fd: number, line: string): void {
  try {
    writeSync(fd, line);
  } catch {
    // The disk is full, the file closed or the terminal stopped: the server outlives its log.
  }
}

/** How much an entry matters, from least to most. */
export type LogLevel = "debug" | "info" | "error";

/** What an entry says beside its message; undefined is left out. */
export type LogFields = Readonly<Record<string, unknown>>;

/** `{"time":…,"level":…,"msg":…}` followed by the fields and a newline. */
function jsonLine(time: Date, level: LogLevel, message: string, fields: LogFields): string {
  let line = `{"time":"${isoTime(time.getTime())}","level":"${level}","msg":${toJson(message)}`;
  // Not by Object.entries: there is a line per write, and that takes twice as long.
  for (const name in fields) {
    const value = fields[name];
    if (value !== undefined) line += `,${toJson(name)}:${toJson(value)}`;
  }
  return `${line}}\n`;
}

const colors = { debug: "gray", info: "green", error: "red" } as const;

/** `12:00:00 info  listening url=http://127.0.0.1:3000`; below it, the stacks of errors. */
function terminalLine(
  time: Date,
  level: LogLevel,
  message: string,
  fields: LogFields,
): string {
  const shown = Object.entries(fields).filter(([, value]) => value !== undefined);
  const words = [
    styleText("gray", time.toTimeString().slice(0, 8)),
    styleText(colors[level], level.padEnd(5)),
    printable(withoutTokens(message)),
    ...shown.map(([name, value]) => styleText("gray", `${printable(name)}=`) + shortValue(value)),
  ];
  return [words.join(" "), ...shown.flatMap(([, value]) => stackLines(value)), ""].join("\n");
}

function shortValue(value: unknown): string {
  const short = value instanceof Error ? `${value.name}: ${value.message}` : value;
  const isBare = typeof short === "string" && /^[^\s"]+$/.test(short);
  return isBare ? printable(withoutTokens(short)) : toJson(short);
}

function stackLines(value: unknown): string[] {
  if (!(value instanceof Error) || value.stack === undefined) return [];
  const frames = value.stack.split("\n").filter((line) => /^ +at /.test(line));
  return frames.map((line) => printable(withoutTokens(line)));
}

/** A value as printable JSON, or the text "not JSON" for one that holds itself. */
function toJson(value: unknown): string {
  if (Number.isFinite(value) || typeof value === "boolean") return `${value}`;
  if (typeof value === "string") {
    // Most texts are plain, and JSON.stringify with its replacer takes ten times as long.
    const text = withoutTokens(value);
    if (isItsOwnJson(text)) return `"${text}"`;
  }
  try {
    return printable(JSON.stringify(value, plainMember) ?? '"not JSON"');
  } catch {
    return '"not JSON"';
  }
}

/** A JSON.stringify replacer. `this` holds the member as it was before its own toJSON. */
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

/** Control characters, and those that end or reverse a line in a terminal or a viewer. */
const unprintable = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Printable ASCII: nothing to look for. */
const plain = /^[\x20-\x7e]*$/;

/**
 * Breaks no line and commands no terminal: what would is spelled as JSON spells it, so that JSON is
 * still the same JSON.
 */
export function printable(text: string): string {
  if (plain.test(text)) return text;
  return text.replace(
    unprintable,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
