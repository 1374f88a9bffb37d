/**
 * Everything the bench leaves outside itself, its temporary folder and its child processes, and
 * the one place that takes them away again: at the end, on a failure and on Ctrl-C.
 */

import { type ChildProcess, spawn, spawnSync, type StdioOptions } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Cores {
  readonly server: number;
  readonly generator: number;
}

export interface Program {
  readonly script: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Which core it may use; any when not given. */
  readonly core?: number | undefined;
  /** With a channel for messages. */
  readonly ipc?: boolean;
}

export class Workspace {
  readonly folder: string = mkdtempSync(join(tmpdir(), "forno-bench-"));
  readonly #children = new Set<ChildProcess>();

  constructor() {
    process.once("exit", () => this.#clear());
    // The default would end the process without its exit event, and leave everything behind; so
    // it would at a second signal, were these taken away by the first.
    process.on("SIGINT", () => process.exit(130));
    process.on("SIGTERM", () => process.exit(143));
  }

  /** A new empty folder. */
  subfolder(name: string): string {
    const path = join(this.folder, name);
    mkdirSync(path);
    return path;
  }

  /** Starts a Node program with its output discarded; stderr is kept for `requireRunning`. */
  start(program: Program): RunningProgram {
    const { script, args = [], env = {}, core, ipc = false } = program;
    const pin = core === undefined ? [] : ["taskset", "-c", String(core)];
    const [command = "", ...rest] = [...pin, process.execPath, script, ...args];
    const stdio: StdioOptions = ["ignore", "ignore", "pipe", ...(ipc ? (["ipc"] as const) : [])];
    const child = spawn(command, rest, { stdio, env: { ...outerEnvironment(), ...env } });
    this.#children.add(child);
    child.once("exit", () => this.#children.delete(child));
    return new RunningProgram(child, script);
  }

  #clear(): void {
    for (const child of this.#children) child.kill("SIGKILL");
    // Retried: a server that is just being killed may still be making files in there.
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

export class RunningProgram {
  readonly child: ChildProcess;
  readonly #script: string;
  #stderr = "";

  constructor(child: ChildProcess, script: string) {
    this.child = child;
    this.#script = script;
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-4000);
    });
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Throws Error, with what the program said last, once it has ended. */
  requireRunning(): void {
    const { exitCode, signalCode } = this.child;
    if (exitCode === null && signalCode === null) return;
    throw new Error(`${this.#script} ended (${exitCode ?? signalCode})\n${this.#stderr}`);
  }

  /** Sends a message and resolves to the next one that comes back. */
  async ask<Reply>(message: object): Promise<Reply> {
    const reply = this.hear<Reply>();
    this.child.send(message);
    return reply;
  }

  hear<Reply>(): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const onExit = (): void => reject(new Error(`${this.#script} ended\n${this.#stderr}`));
      this.child.once("exit", onExit);
      this.child.once("message", (message) => {
        this.child.off("exit", onExit);
        resolve(message as Reply); // both ends are ours
      });
    });
  }

  /** Resolves when the program has ended by itself. Throws Error unless it ended well. */
  async finished(): Promise<void> {
    const { child } = this;
    if (child.exitCode === null && child.signalCode === null) await once(child, "close");
    if (child.exitCode !== 0) throw new Error(`${this.#script} failed\n${this.#stderr}`);
  }

  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exit = once(this.child, "exit");
    this.child.kill(signal);
    await exit;
  }
}

/** The bench's own environment without what would change a server from its defaults. */
function outerEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env;
  return { PATH, HOME, TMPDIR };
}

/** A core for the servers and another for the generator, where Linux lets them be pinned. */
export function pinnedCores(): Cores | undefined {
  if (process.platform !== "linux" || !hasTaskset()) return undefined;
  const status = readFileSync("/proc/self/status", "latin1");
  // Of "0-3" or "0,2,5" the ends are wanted, the cores that share least.
  const allowed = /^Cpus_allowed_list:\s+(.*)$/m.exec(status)?.[1]?.match(/\d+/g) ?? [];
  const [server, generator] = [allowed[0], allowed.at(-1)];
  if (server === undefined || generator === undefined || server === generator) return undefined;
  return { server: Number(server), generator: Number(generator) };
}

function hasTaskset(): boolean {
  return spawnSync("taskset", ["--version"]).status === 0;
}
