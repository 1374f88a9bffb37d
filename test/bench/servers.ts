/** Starts what is measured: Forno as a user runs it, the two bare servers, the load generator. */

import { createHmac } from "node:crypto";
import { get } from "node:http";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { BareAnswer } from "./bare-server.ts";
import type { LoadJob, LoadReply, LoadResult } from "./load-job.ts";
import { type Cores, pinnedCores, type RunningProgram, type Workspace } from "./workspace.ts";

export const dist: string = fileURLToPath(new URL("../../dist/", import.meta.url));

/** A program beside this one. */
const scriptFile = (name: string): string =>
  fileURLToPath(new URL(`./${name}.js`, import.meta.url));

const secret = "a signing key for the bench alone, 32 bytes or more";

const readyWithinMs = 120_000;

/** What a load needs to know of a server. */
export interface Contender {
  readonly name: string;
  readonly port: number;
  readonly program: RunningProgram;
}

export interface BareServer extends Contender {
  prepare(answer: BareAnswer): Promise<void>;
}

export class Servers {
  readonly workspace: Workspace;
  readonly cores: Cores | undefined = pinnedCores();

  constructor(workspace: Workspace) {
    this.workspace = workspace;
  }

  /** Resolves when it is ready for writes. Default settings, but for the port, folder and key. */
  async forno(dataDir: string, name = "forno"): Promise<Contender> {
    const port = await freePort();
    const env = { PORT: String(port), DATA_DIR: dataDir, TOKEN_SECRET: secret };
    const script = join(dist, "server.js");
    const program = this.workspace.start({ script, env, core: this.cores?.server });
    const patience = performance.now() + readyWithinMs;
    while (!(await isReady(port))) {
      program.requireRunning();
      if (performance.now() > patience) throw new Error(`${name} is not ready after 2 minutes`);
      await pause(1);
    }
    return { name, port, program };
  }

  async bare(name: "naive" | "tuned"): Promise<BareServer> {
    const script = scriptFile(`${name}-server`);
    const program = this.workspace.start({ script, core: this.cores?.server, ipc: true });
    const { port } = await program.hear<{ port: number }>();
    const prepare = async (answer: BareAnswer): Promise<void> => {
      await program.ask(answer);
    };
    return { name, port, program, prepare };
  }

  generator(): Generator {
    const script = scriptFile("load");
    return new Generator(
      this.workspace.start({ script, core: this.cores?.generator, ipc: true }),
    );
  }

  /** A program that says by IPC when it has done its work, once. */
  once(name: string, args: readonly string[]): RunningProgram {
    const script = scriptFile(name);
    return this.workspace.start({ script, args, core: this.cores?.server, ipc: true });
  }
}

export class Generator {
  readonly #program: RunningProgram;

  constructor(program: RunningProgram) {
    this.#program = program;
  }

  /** Throws Error when a server answers anything but what is expected, or not at all. */
  async run(
    contender: Contender, milliseconds: number, lanes: LoadJob["lanes"],
  ): Promise<LoadResult> {
    const { port, name, program } = contender;
    const job: LoadJob = { port, pid: program.pid, milliseconds, lanes };
    const patience = new AbortController();
    const overdue = pause(milliseconds + 30_000, undefined, { signal: patience.signal }).then(
      () => ({ failure: "no end of the load within 30 s of its time" }),
    );
    const reply = await Promise.race([this.#program.ask<LoadReply>(job), overdue]);
    patience.abort();
    overdue.catch(() => undefined); // the abort itself
    program.requireRunning();
    if ("failure" in reply) throw new Error(`${name}: ${reply.failure}`);
    return reply.result;
  }
}

/** A staff token for an hour (RFC 7519), signed as any JWT library would. */
export function staffToken(): string {
  const now = Math.floor(Date.now() / 1000);
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString("base64url");
  const claims = { role: "staff", sub: "bench", iat: now, exp: now + 3600 };
  const signed = `${encode({ alg: "HS256", typ: "JWT" })}.${encode(claims)}`;
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
}

// Chosen here and not by PORT=0, which Forno would have to be asked about over a pipe: its log
// then costs the bench's reading of it, where a user's goes to a file.
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // a TCP server's address is never a string
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function isReady(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get({ host: "127.0.0.1", port, path: "/readyz", agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on("error", () => resolve(false)); // not listening yet
  });
}
