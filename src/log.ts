/**
 * The log (contract part 1): JSON lines, or short coloured ones on a terminal.
 *
 * Promises: the server never waits for whoever reads the log, keeps at most 1 MiB for a reader
 * that is stuck, and says how many lines it had to drop; what looks like a token is not written;
 * no value can break a line or command a terminal; a log that cannot be written is no error.
 */
import * as fs from "node:fs";
import { Socket } from "node:net";
import { styleText } from "node:util";
import { isItsOwnJson, isoTime } from "./json-text.ts";
import { tokenLengthLeast, withoutTokens } from "./redact.ts";

export type LogLevel = "debug" | "info" | "error";

export interface Log {
  readonly level: LogLevel | "silent";
  enabled(level: LogLevel): boolean;
  debug(message: string, fields?: object): void;
  info(message: string, fields?: object): void;
  error(message: string, fields?: object): void;
  /** Writes what is still buffered, synchronously; for exit. */
  flush(): void;
}

export interface LogOptions {
  readonly level: LogLevel | "silent";
  readonly terminal: boolean;
  /** Default 1, standard output. */
  readonly fd?: number;
  readonly now?: () => Date;
}

const ranks = { debug: 0, info: 1, error: 2, silent: 3 } as const;
/** Lines wait so long for company: a write each would cost a busy server a tenth of its time. */
const gatherMs = 10;
const keptBytesLimit = 1_048_576;

export function createLog({ level, terminal, fd = 1, now = () => new Date() }: LogOptions): Log {
  const format = terminal ? terminalLine : jsonLine;
  const lines = createLineWriter(fd, (dropped) =>
    format(now(), "error", "lines of this log were dropped, its reader was stuck", { dropped }),
  );
  const enabled = (of: LogLevel): boolean => ranks[of] >= ranks[level];
  const at = (of: LogLevel) => (message: string, fields: object = {}) => {
    if (enabled(of)) lines.add(format(now(), of, message, fields));
  };
  return {
    level,
    enabled,
    debug: at("debug"),
    info: at("info"),
    error: at("error"),
    flush: lines.flush,
  };
}

/** `{"time":…,"level":…,"msg":…}` with the fields behind, and a newline. */
function jsonLine(time: Date, level: LogLevel, message: string, fields: object): string {
  let line = `{"time":"${isoTime(time.getTime())}","level":"${level}","msg":${toJson(message)}`;
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) line += `,${toJson(name)}:${toJson(value)}`;
  }
  return `${line}}\n`;
}

const colours = { debug: "gray", info: "green", error: "red" } as const;

/** `12:00:00 info  listening url=http://127.0.0.1:3000`; below it, the stacks of errors. */
function terminalLine(time: Date, level: LogLevel, message: string, fields: object): string {
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
  // What a line of a request holds, and there is one a write: the rest takes ten times as long.
  if (typeof value === "string" && value.length < tokenLengthLeast && isItsOwnJson(value)) {
    return `"${value}"`;
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

/** Spelled as JSON spells them: applied to JSON, it is the same JSON. */
function printable(text: string): string {
  if (plain.test(text)) return text;
  return text.replace(
    unprintable,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

interface LineWriter {
  add(line: string): void;
  flush(): void;
}

/** Gathers lines and has one write under way at a time. */
function createLineWriter(fd: number, droppedLine: (count: number) => string): LineWriter {
  const sink = openSink(fd);
  let waiting: string[] = [];
  let keptBytes = 0;
  let dropped = 0;
  let underWay = false;

  function takeWaiting(): Buffer {
    if (dropped > 0) waiting.push(droppedLine(dropped));
    const bytes = Buffer.from(waiting.join(""));
    [waiting, dropped] = [[], 0];
    return bytes;
  }

  function writeWaiting(): void {
    const bytes = takeWaiting();
    keptBytes = bytes.length;
    underWay = bytes.length > 0;
    if (underWay) sink.write(bytes, writeWaiting);
  }

  function add(line: string): void {
    const bytes = Buffer.byteLength(line);
    if (keptBytes + bytes > keptBytesLimit) {
      dropped += 1;
      return;
    }
    waiting.push(line);
    keptBytes += bytes;
    if (!underWay) setTimeout(writeWaiting, gatherMs);
    underWay = true;
  }

  return { add, flush: () => sink.writeNow(takeWaiting()) };
}

interface Sink {
  write(bytes: Buffer, done: () => void): void;
  writeNow(bytes: Buffer): void;
}

/**
 * A pipe or socket is written as a Socket, without blocking: a thread of fs.write that is stuck
 * there would keep the process from ending. Those of files are never stuck.
 */
function openSink(fd: number): Sink {
  if (!isPipeOrSocket(fd)) return fileSink(fd);
  const socket = new Socket({ fd, readable: false, writable: true });
  socket.unref();
  // EPIPE: the reader is gone, and there is nobody to tell.
  socket.on("error", () => {});
  return {
    write: (bytes, done) => void socket.write(bytes, () => done()),
    // Tries at once, and keeps its turn behind what is under way.
    writeNow: (bytes) => void socket.write(bytes),
  };
}

function isPipeOrSocket(fd: number): boolean {
  try {
    const stat = fs.fstatSync(fd);
    return stat.isFIFO() || stat.isSocket();
  } catch {
    // Closed: writes will fail too, and be ignored.
    return false;
  }
}

function fileSink(fd: number): Sink {
  return {
    write(bytes, done) {
      fs.write(fd, bytes, (error, written) => {
        if (error !== null || written === bytes.length) done();
        else this.write(bytes.subarray(written), done);
      });
    },
    writeNow(bytes) {
      try {
        fs.writeFileSync(fd, bytes);
      } catch {
        // Disk full or file closed: the server outlives its log.
      }
    },
  };
}
