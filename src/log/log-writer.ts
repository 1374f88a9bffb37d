/**
 * Lines to a file descriptor, gathered, in order, without waiting for their reader.
 *
 * Promises: a reader that is stuck holds up neither the server nor its end, and costs lines beyond
 * a bound, which are counted; what cannot be written is no error.
 */
import * as fs from "node:fs";
import { Socket } from "node:net";
import { isatty, WriteStream } from "node:tty";

/** Lines are gathered for so long: a write each would cost a busy server a tenth of its time. */
const gatherMs = 10;
const keptBytesLimit = 1_048_576;

/** Takes lines, each with its newline. */
interface LineWriter {
  add(line: string): void;
  /** Writes what waits, at once, as far as the reader takes it. */
  flush(): void;
}

/**
 * Gathers lines and has one write under way at a time.
 * `droppedLine`: what is written in the place of lines that found no room.
 */
export function createLineWriter(fd: number, droppedLine: (count: number) => string): LineWriter {
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
 * A terminal, pipe or socket is written as a stream, without blocking: a thread of fs.write that is
 * stuck there would keep the process from ending. A file is written by such a thread: where its disk
 * or its network does not answer, the server goes on.
 */
function openSink(fd: number): Sink {
  const socket = openStream(fd);
  if (socket === undefined) return fileSink(fd);
  socket.unref();
  // EPIPE: the reader is gone, and there is nobody to tell.
  socket.on("error", () => {});
  return {
    write: (bytes, done) => void socket.write(bytes, () => done()),
    // Tries at once, and keeps its turn after what is under way.
    writeNow: (bytes) => void socket.write(bytes),
  };
}

/** Undefined: a file, or nothing. */
function openStream(fd: number): Socket | undefined {
  if (isatty(fd)) return openTerminal(fd);
  return isPipeOrSocket(fd) ? new Socket({ fd, readable: false, writable: true }) : undefined;
}

/** Node writes to terminals blocking: one that is stopped by Ctrl-S would stop the server's end. */
function openTerminal(fd: number): WriteStream {
  const terminal: WriteStream & TerminalInternals = new WriteStream(fd);
  // libuv has opened the terminal anew, so other processes on it go on writing as they did.
  terminal._handle?.setBlocking?.(false);
  return terminal;
}

interface TerminalInternals {
  readonly _handle?: { setBlocking?(on: boolean): void };
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
  const write: Sink["write"] = (bytes, done) => {
    fs.write(fd, bytes, (error, written) => {
      if (error !== null || written === bytes.length) done();
      else write(bytes.subarray(written), done);
    });
  };
  return {
    write,
    // What a thread is writing at this moment may come after it.
    writeNow(bytes) {
      try {
        fs.writeFileSync(fd, bytes);
      } catch {
        // Disk full or file closed: the server outlives its log.
      }
    },
  };
}
