/**
 * The log (contract part 1): JSON lines for programs, or short coloured ones on a terminal.
 *
 * Promises: the server never waits for the log's reader, keeps at most 1 MiB for a reader that is
 * stuck, and says how many lines it had to drop; what looks like a token is not written; no value
 * can break a line or command a terminal, and one that JSON cannot hold costs itself, not the line;
 * a log that cannot be written is no error.
 */

import { styleText } from "node:util";
import { isItsOwnJson, isoTime } from "./json-text.ts";
import { createLineWriter } from "./log-writer.ts";
import { withoutTokens } from "./redact.ts";

/** What the rest writes to. Fields whose value is undefined are left out. */
export interface Log {
  enabled(level: LogLevel): boolean;
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** Writes what is still buffered, synchronously; for exit. */
  flush(): void;
}

/** Where the log goes, from which level on, and for whom. */
export interface LogOptions {
  readonly level: LogLevel | "silent";
  readonly terminal: boolean;
  /** Default 1, standard output. */
  readonly fd?: number;
  readonly now?: () => Date;
}

const ranks = { debug: 0, info: 1, error: 2, silent: 3 } as const;

/** A log of its own: two on one descriptor may interleave, by whole writes. */
export function createLog({ level, terminal, fd = 1, now = () => new Date() }: LogOptions): Log {
  const format = terminal ? terminalLine : jsonLine;
  const lines = createLineWriter(fd, (dropped) =>
    format(now(), "error", "log lines were dropped because the reader was stuck", { dropped }),
  );
  const enabled = (of: LogLevel): boolean => ranks[of] >= ranks[level];
  const at = (of: LogLevel) => (message: string, fields: LogFields = {}) => {
    if (enabled(of)) lines.add(format(now(), of, message, fields));
  };
  return {
    enabled,
    debug: at("debug"),
    info: at("info"),
    error: at("error"),
    flush: lines.flush,
  };
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

const colours = { debug: "gray", info: "green", error: "red" } as const;

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
    styleText(colours[level], level.padEnd(5)),
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
