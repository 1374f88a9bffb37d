/**
 * The log (contract part 1): JSON lines, or short coloured ones on a terminal.
 *
 * Promises: the server never waits for the log's reader, keeps at most 1 MiB for a reader
 * that is stuck, and says how many lines it had to drop; what looks like a token is not written;
 * no value can break a line or command a terminal; a log that cannot be written is no error.
 */
import { jsonLine, type LogFields, type LogLevel, terminalLine } from "./log-format.ts";
import { createLineWriter } from "./log-writer.ts";

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
