/** A log whose lines a test can read. */

import * as fs from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { createLog, type Log, type LogOptions } from "../../src/log/log.ts";
import { cleanUp, type Forno, startForno, temporaryFolder } from "./forno.ts";

export const time = "2026-03-01T12:00:00.000Z";

/** A log into a file of its own. */
export interface Recorder {
  readonly log: Log;
  /** The log's file. */
  text(): string;
}

/** At a time that stands still, every level unless `options` say otherwise. */
export function record(t: TestContext, options: Partial<LogOptions> = {}): Recorder {
  const file = join(temporaryFolder(t), "log");
  const fd = fs.openSync(file, "a");
  cleanUp(t, () => fs.closeSync(fd));
  const now = () => new Date(time);
  const log = createLog({ level: "debug", terminal: false, fd, now, ...options });
  return { log, text: () => fs.readFileSync(file, "utf8") };
}

export interface LoggedForno extends Forno {
  /** The log as it is written. */
  logText(): string;
  /** Every line of the log, each of which is a JSON object. */
  logLines(): Record<string, unknown>[];
}

/** A server in this process whose log a test can read. */
export async function startLogged(
  t: TestContext, level: LogOptions["level"], env: Record<string, string> = {},
): Promise<LoggedForno> {
  const { log, text: logText } = record(t, { level });
  const forno = await startForno(t, { log, env });
  const lines = (): string[] => logText().split("\n").filter((line) => line !== "");
  return { ...forno, logText, logLines: () => lines().map((line) => JSON.parse(line)) };
}
