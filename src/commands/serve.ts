/**
 * Reads the settings, serves, and stops on a signal (contract part 1). A failed start is one line
 * on stderr and exit code 1, and so is `--check` of a damaged file.
 */

import { writeSync } from "node:fs";
import { createLog, type Log } from "../log/log.ts";
import { orders } from "../resources/order.ts";
import { banner } from "./banner.ts";
import { checkFile } from "./check.ts";
import { explain, typed } from "./command.ts";
import { lastChangeAt } from "./contents.ts";
import { type RunningServer, startServer } from "./server.ts";
import { misspelledSettings, readSettings, type Settings, SettingsError } from "../settings.ts";

const usage =
  `settings are environment variables, as in PORT=8080 ${typed.server} (see README.md); ` +
  `${typed.server} --check FILE says what a copy of a store holds`;

async function serve(): Promise<void> {
  const [argument, file, ...others] = process.argv.slice(2);
  if (argument === "--help" || argument === "-h") return say(1, `Serves Forno: ${usage}.\n`);
  if (argument === "--check" && file !== undefined && others.length === 0) {
    return say(1, await checkFile(file));
  }
  if (argument !== undefined) {
    throw new SettingsError(`expected no arguments, got ${argument}: ${usage}`);
  }
  const settings = readSettings(process.env);
  const terminal = process.stdout.isTTY === true;
  const log = createLog({ level: settings.logLevel, terminal });
  for (const line of misspelledSettings(process.env)) log.error(line);
  let server: RunningServer | undefined;
  // Until the server is up it has accepted nothing, so the process may end at once.
  stopOnSignals(async () => server?.stop(), log);
  // Node restores the default of SIGHUP, which ends the process even under nohup. On a terminal
  // that is fine: every answered write is on disk.
  if (!terminal) process.on("SIGHUP", () => {});
  server = await startServer(settings, log);
  if (terminal) say(1, banner(server, settings));
  else logListening(server, settings);
}

/** Writes if it can. A closed descriptor or a full disk does not stop the server. */
function say(fd: 1 | 2, text: string): void {
  try {
    writeSync(fd, text);
  } catch {
    // The log ignores this too.
  }
}

/** Printed at every LOG_LEVEL, because scripts read the address from it. */
function logListening({ url, store }: RunningServer, settings: Settings): void {
  const { dataDir, orderReads, rateLimit, guestOrders, trustProxy } = settings;
  createLog({ level: "info", terminal: false }).info("listening", {
    url,
    data: dataDir,
    new: store.isNew,
    orders: store.rows(orders).length,
    lastChangeAt: lastChangeAt(store),
    orderReads,
    rateLimit: rateLimit ?? "off",
    guestOrders: guestOrders ?? "off",
    trustProxy: trustProxy ? "on" : "not set",
  });
}

function stopOnSignals(stopServer: () => Promise<void>, log: Log): void {
  let isStopping = false;
  const stop = (signal: string): void => {
    // A second Ctrl-C changes nothing: requests in flight are answered, within 10 s.
    if (isStopping) return;
    isStopping = true;
    log.info("stopping", { signal });
    stopServer().then(
      () => end(log, 0),
      (error: unknown) => {
        log.error("stopping failed", { cause: error });
        end(log, 1);
      },
    );
  };
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, stop);
}

/** Time for the last lines to reach a terminal. Then the process ends, whatever keeps it alive. */
const endMs = 500;

function end(log: Log, code: number): void {
  log.info("stopped");
  process.exitCode = code;
  setTimeout(() => process.exit(), endMs).unref();
}

serve().catch((error: unknown) => {
  say(2, `forno: ${explain(error)}\n`);
  process.exit(1);
});
