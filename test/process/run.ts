/**
 * Runs the entries as a user does, with no settings but those given, and waits for their end.
 * For starts that must fail and for commands; a server that goes on is spawnForno's.
 */
import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { temporaryFolder } from "../helpers/forno.ts";
import { fileOf, nodeFlags } from "../helpers/node.ts";

export interface Run {
  readonly exit: { readonly code: number | null; readonly signal: NodeJS.Signals | null };
  readonly stdout: string;
  readonly stderr: string;
  /** Every line that is not empty, of both. */
  readonly lines: readonly string[];
}

export type Settings = Readonly<Record<string, string>>;

/** The arguments with which Node runs an entry, `server` or `token`. */
export function entry(name: string): readonly string[] {
  return [...nodeFlags, fileOf(`src/${name}.ts`)];
}

/** Nothing of the environment these tests run in, so that a setting left there changes nothing. */
export function cleanEnvironment(settings: Settings): NodeJS.ProcessEnv {
  return { PATH: process.env["PATH"], HOME: process.env["HOME"], ...settings };
}

/**
 * Runs an entry in a folder of its own, which is its working directory and holds its DATA_DIR
 * unless `settings` say otherwise. `files` are written there first; one called menu.json is the
 * MENU_FILE.
 */
export async function runToExit(
  t: TestContext, name: string, args: readonly string[] = [], settings: Settings = {},
  files: Readonly<Record<string, string>> = {},
): Promise<Run> {
  const cwd = temporaryFolder(t);
  for (const [file, text] of Object.entries(files)) await writeFile(join(cwd, file), text);
  const menu = "menu.json" in files ? { MENU_FILE: join(cwd, "menu.json") } : {};
  const env = cleanEnvironment({ PORT: "0", DATA_DIR: join(cwd, "store"), ...menu, ...settings });
  return finished(t, name, args, { cwd, env });
}

function finished(
  t: TestContext, name: string, args: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<Run> {
  const child = spawn(process.execPath, [...entry(name), ...args], { ...options, stdio: "pipe" });
  t.after(() => void child.kill("SIGKILL"));
  // A start that should have failed goes on forever: ended here, it shows as a signal.
  const patience = setTimeout(() => void child.kill("SIGKILL"), 60_000);
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  return new Promise((resolve) => {
    child.on("close", (code, signal) => {
      clearTimeout(patience);
      const lines = `${stdout}${stderr}`.split("\n").filter((line) => line.trim() !== "");
      resolve({ exit: { code, signal }, stdout, stderr, lines });
    });
  });
}
