/**
 * Runs the programs as a user does, with only the given settings, and waits for their end. It is
 * for commands and for starts that must fail. spawnForno starts a server that keeps running.
 */
import { execFile } from "node:child_process";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { temporaryFolder } from "./forno.ts";
import { programOf } from "./node.ts";
import { patienceMs } from "./patience.ts";

export interface Run {
  /** The exit code, or the name of the signal. */
  readonly code: number | string;
  readonly stdout: string;
  /** Every line that is not empty, of stdout and stderr. */
  readonly lines: readonly string[];
}

export type Settings = Readonly<Record<string, string>>;

/** Nothing of the environment these tests run in, so that a setting left there changes nothing. */
export function cleanEnvironment(settings: Settings): NodeJS.ProcessEnv {
  return { PATH: process.env["PATH"], HOME: process.env["HOME"], ...settings };
}

/** Runs a program, with a DATA_DIR of its own unless `settings` say otherwise. */
export function runToExit(
  t: TestContext, name: string, args: readonly string[] = [], settings: Settings = {},
): Promise<Run> {
  const DATA_DIR = join(temporaryFolder(t), "store");
  const env = cleanEnvironment({ PORT: "0", DATA_DIR, ...settings });
  // A start that should have failed would go on forever.
  const options = { env, timeout: patienceMs, killSignal: "SIGKILL" } as const;
  return new Promise((resolve) => {
    execFile(process.execPath, [...programOf(name), ...args], options, (error, stdout, stderr) => {
      const lines = `${stdout}${stderr}`.split("\n").filter((line) => line.trim() !== "");
      resolve({ code: error?.code ?? error?.signal ?? 0, stdout, lines });
    });
  });
}
