/**
 * The processes that the benchmarks start, and what they leave: servers on one core, the load on
 * another where taskset can pin them. Everything is taken away at the end, on Ctrl-C as well.
 */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

export const folder: string = mkdtempSync(join(tmpdir(), "forno-bench-"));

const children = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});
process.on("SIGINT", () => process.exit(130));
process.on("SIGTERM", () => process.exit(143));

export function progress(text: string): void {
  process.stderr.write(`${text}\n`);
}

const isPinned = process.platform === "linux" && spawnSync("taskset", ["-V"]).status === 0;
/** The first core and the last: those share least. */
const cores = { server: "0", load: String(availableParallelism() - 1) };

const secret = "a signing key for the benchmarks alone";

export class Program {
  readonly child: ChildProcess;
  readonly #script: string;
  #errors = "";

  constructor(script: string, args: readonly string[], env: object, core: keyof typeof cores) {
    this.#script = script;
    const pin = isPinned ? ["taskset", "-c", cores[core]] : [];
    const [command = "", ...rest] = [...pin, process.execPath, script, ...args];
    const { PATH, HOME, TMPDIR } = process.env;
    this.child = spawn(command, rest, {
      env: { PATH, HOME, TMPDIR, ...env },
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    children.add(this.child);
    this.child.once("exit", () => children.delete(this.child));
    this.child.stderr?.on("data", (piece: Buffer) => (this.#errors += piece.toString()));
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  requireRunning(): void {
    if (this.hasEnded) throw new Error(`${this.#script} ended:\n${this.#errors.slice(-2_000)}`);
  }

  /** Resolves to the next message, after sending one where it is given. */
  ask<Reply>(message?: object): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const onExit = (): void => reject(new Error(`${this.#script} ended:\n${this.#errors}`));
      this.child.once("exit", onExit);
      this.child.once("message", (reply) => {
        this.child.off("exit", onExit);
        resolve(reply as Reply);
      });
      if (message !== undefined) this.child.send(message);
    });
  }

  /** Resolves when it has ended by itself, which must go well. */
  async finished(): Promise<void> {
    if (!this.hasEnded) await once(this.child, "exit");
    if (this.child.exitCode !== 0) this.requireRunning();
  }

  async stop(): Promise<void> {
    if (this.hasEnded) return;
    this.child.kill("SIGKILL");
    await once(this.child, "exit");
  }
}

/** A program beside this one. */
export function ownProgram(name: string, core: keyof typeof cores): Program {
  return new Program(fileURLToPath(new URL(`./${name}.js`, import.meta.url)), [], {}, core);
}

/** A server under measurement. `startMs`: from the start of the process until it is ready to store. */
export interface Server {
  readonly name: string;
  readonly port: number;
  readonly program: Program;
  readonly startMs: number;
}

/** Forno as it is run, with default settings: `dist` is that of any checkout. */
export async function startForno(
  dist: string, dataDir: string, name: string, settings: object = {},
): Promise<Server> {
  const port = await freePort();
  const env = { PORT: String(port), DATA_DIR: dataDir, TOKEN_SECRET: secret, ...settings };
  const begin = performance.now();
  const program = new Program(join(dist, "server.js"), [], env, "server");
  const isReady = (): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(({ ok }) => ok, () => false);
  while (!(await isReady())) {
    program.requireRunning();
    await pause(1);
  }
  return { name, port, program, startMs: performance.now() - begin };
}

// Not PORT=0: reading the port from its log would make this process a reader of every line.
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** A new data folder with a document's content: the start of a new store reads it as its menu. */
export async function restored(dist: string, document: string, name: string): Promise<string> {
  const dataDir = join(folder, name);
  const { program } = await startForno(dist, dataDir, name, { MENU_FILE: document });
  program.child.kill("SIGTERM");
  await program.finished();
  return dataDir;
}

export const token: string = (() => {
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString("base64url");
  const exp = Math.floor(Date.now() / 1_000) + 7_200;
  const claims = { role: "staff", sub: "bench", exp };
  const signed = `${encode({ alg: "HS256", typ: "JWT" })}.${encode(claims)}`;
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
})();

/** User and system time of all threads so far, in microseconds; 0 where there is no /proc. */
export function cpuMicros({ program }: Server): number {
  if (process.platform !== "linux") return 0;
  const stat = readFileSync(`/proc/${program.pid}/stat`, "latin1");
  // The program's name stands in brackets and may hold spaces; utime and stime are fields 14, 15.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * 10_000;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  const upper = sorted[half] ?? NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[half - 1] ?? NaN)) / 2;
}

/** Markdown with the columns lined up. */
export function table(...rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${widths.map((width, column) => {
      const cell = row[column] ?? "";
      return column === 0 ? cell.padEnd(width) : cell.padStart(width);
    }).join(" | ")} |`;
  const rule = widths.map((width, column) =>
    column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`);
  const [head = [], ...body] = rows;
  return [line(head), line(rule), ...body.map(line)].join("\n");
}
