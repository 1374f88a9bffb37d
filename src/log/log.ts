/**
 * The log (contract part 1): one JSON line per entry, or short colored lines on a terminal.
 *
 * Writing never fails and never blocks: if the output is broken, lines are lost. If the reader of a
 * pipe is stuck, up to 1 MiB waits in memory, and further lines are lost. Tokens are redacted, and
 * line breaks and terminal control characters are escaped.
 */

import { constants, fstatSync, openSync, writeSync } from "node:fs";
import { isatty } from "node:tty";
import { styleText } from "node:util";

/** The log. Fields whose value is undefined are left out. */
export interface Log {
  enabled(level: LogLevel): boolean;
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** `terminal`: write colored lines for people instead of JSON. */
export interface LogOptions {
  readonly level: LogLevel | "silent";
  readonly terminal: boolean;
  /** Standard output (1, the default), standard error (2), or a file. */
  readonly fd?: number;
  readonly now?: () => Date;
}

const ranks = { debug: 0, info: 1, error: 2, silent: 3 } as const;

/** Characters that may wait for a stuck reader. */
const maxWaiting = 1_048_576;

export function createLog({ level, terminal, fd = 1, now = () => new Date() }: LogOptions): Log {
  const format = terminal ? terminalLine : jsonLine;
  // Opened for the first line, so that a silent log opens nothing.
  let write: ((line: string) => void) | undefined;
  const enabled = (of: LogLevel): boolean => ranks[of] >= ranks[level];
  const at = (of: LogLevel) => (message: string, fields: LogFields = {}) => {
    if (!enabled(of)) return;
    write ??= writerTo(fd);
    write(format(now(), of, message, fields));
  };
  return { enabled, debug: at("debug"), info: at("info"), error: at("error") };
}

/** Pipes and sockets are written as streams, so that a stuck reader does not block the process. */
function writerTo(fd: number): (line: string) => void {
  if (!isStream(fd)) {
    const file = isatty(fd) ? reopenTerminal(fd) : fd;
    return (line) => writeToFile(file, line);
  }
  const stream = process.stdout;
  // EPIPE: the reader is gone. There is nowhere to report it.
  stream.on("error", () => {});
  return (line) => {
    if (!stream.destroyed && stream.writableLength < maxWaiting) stream.write(line);
  };
}

function isStream(fd: number): boolean {
  try {
    const stat = fstatSync(fd);
    return stat.isFIFO() || stat.isSocket();
  } catch {
    // The descriptor is closed. Writes will fail too, and are ignored.
    return false;
  }
}

/**
 * Opens the terminal again without blocking. Node's own stream blocks, so Ctrl-S, or a laptop that
 * sleeps during ssh, would stop the server; and O_NONBLOCK on the inherited descriptor would change
 * the shell's descriptor too.
 */
function reopenTerminal(fd: number): number {
  try {
    const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
    return openSync(`/dev/fd/${fd}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    // For example, after su the terminal belongs to another user.
    return fd;
  }
}

function writeToFile(fd: number, line: string): void {
  try {
    writeSync(fd, line);
  } catch {
    // The disk is full, the file is closed or the terminal is stopped. The server must go on.
  }
}

/** From least to most important. */
type LogLevel = "debug" | "info" | "error";

/** The further fields of an entry. Undefined values are left out. */
export type LogFields = Readonly<Record<string, unknown>>;

/** `{"time":…,"level":…,"msg":…}` followed by the fields and a newline. */
function jsonLine(time: Date, level: LogLevel, message: string, fields: LogFields): string {
  let line = `{"time":"${time.toISOString()}","level":"${level}","msg":${toJson(message)}`;
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) line += `,${toJson(name)}:${toJson(value)}`;
  }
  return `${line}}\n`;
}

const colors = { debug: "gray", info: "green", error: "red" } as const;

/** `12:00:00 info  listening url=http://127.0.0.1:3000`, then the stacks of errors. */
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

/** Most texts. JSON.stringify takes much longer, and every write is logged. */
const needsNoEscape = /^[ !#-[\]-~]*$/;

/** A value as printable JSON; "not JSON" if it cannot be written, for example if it is circular. */
function toJson(value: unknown): string {
  if (Number.isFinite(value) || typeof value === "boolean") return `${value}`;
  if (typeof value === "string") {
    const text = withoutTokens(value);
    return needsNoEscape.test(text) ? `"${text}"` : printable(JSON.stringify(text));
  }
  try {
    return printable(JSON.stringify(value, plainMember) ?? '"not JSON"');
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

/** Printable ASCII, which needs no escapes. */
const plain = /^[\x20-\x7e]*$/;

/**
 * Escapes characters that could break a line or control a terminal, with JSON's own escapes, so
 * that JSON text keeps its meaning.
 */
export function printable(text: string): string {
  if (plain.test(text)) return text;
  return text.replace(
    unprintable,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/**
 * A JWS with a 256-bit signature, or a cut one: a JWS header (`{"` is `eyJ` in base64url) and all
 * that follows. Dots may be percent-encoded. The match begins at the start of a word, so that a
 * long URL is scanned once.
 */
const token = new RegExp(
  String.raw`(?<![\w-])(?:[\w-]+(?:\.|%2e)[\w-]*(?:\.|%2e)[\w-]{43}(?![\w-])` +
    String.raw`|eyJ[\w-]{12,}(?:\.|%2e)[\w.%-]*)`,
  "gi",
);

/** The length of the shortest match: `eyJ`, twelve characters and a dot. */
const minTokenLength = 16;

/** The text with "[token]" in place of each token. */
export function withoutTokens(text: string): string {
  if (text.length < minTokenLength || !/[.%]/.test(text)) return text;
  return text.replace(token, "[token]");
}
