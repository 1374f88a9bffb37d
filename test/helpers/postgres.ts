/** A PostgreSQL server with an empty database, for one test. */

import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { promisify } from "node:util";
import { cleanUp, temporaryFolder } from "./forno.ts";
import { hasTools } from "./machine.ts";
import { until } from "./patience.ts";

const run = promisify(execFile);

export interface Postgres {
  /** For psql to find it. */
  readonly env: Record<string, string>;
  psql(...args: string[]): Promise<string>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Undefined where it is not installed. */
export async function startPostgres(t: TestContext): Promise<Postgres | undefined> {
  const versions = "/usr/lib/postgresql";
  const [version = ""] = existsSync(versions) ? readdirSync(versions).sort().reverse() : [];
  const bin = join(versions, version, "bin");
  if (!hasTools("psql") || !existsSync(join(bin, "initdb"))) return undefined;
  const folder = temporaryFolder(t);
  // It refuses to run as root.
  const isRoot = process.getuid?.() === 0;
  const idOf = (option: string): number => Number(execFileSync("id", [option, "postgres"]));
  const user = isRoot ? { uid: idOf("-u"), gid: idOf("-g") } : {};
  if (isRoot) execFileSync("chown", ["postgres", folder]);
  const data = join(folder, "data");
  // A machine may name a language that it does not have.
  const locale = ["--locale=C", "--encoding=UTF8"];
  const options = ["-D", data, "-A", "trust", "-U", "forno", "-N", ...locale];
  await run(join(bin, "initdb"), options, user);
  const env = { PGHOST: folder, PGUSER: "forno", PGDATABASE: "postgres" };
  const psql: Postgres["psql"] = async (...args) => {
    const options = { env: { ...process.env, ...env } };
    return (await run("psql", ["-qXAt", "-v", "ON_ERROR_STOP=1", ...args], options)).stdout;
  };
  let server: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    const args = ["-D", data, "-k", folder, "-c", "listen_addresses=", "-c", "fsync=off"];
    const command = ["--pdeathsig", "QUIT", join(bin, "postgres"), ...args];
    const started = spawn("setpriv", command, { ...user, stdio: ["ignore", "ignore", "pipe"] });
    server = started;
    let log = "";
    started.stderr.on("data", (piece: Buffer) => (log += piece.toString()));
    await until(() => log.includes("ready to accept connections") || started.exitCode !== null);
  };
  const stop = async (): Promise<void> => {
    server?.kill("SIGQUIT");
    if (server !== undefined) await once(server, "exit");
    server = undefined;
  };
  cleanUp(t, stop);
  await start();
  return { env, psql, start, stop };
}
