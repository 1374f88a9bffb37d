/**
 * Entry: reads the settings, serves, and stops when it is told to (contract part 1).
 * What goes wrong at start is one line on stderr and exit code 1.
 */

import { writeSync } from "node:fs";
import { styleText } from "node:util";
import { signToken } from "./auth/jwt.ts";
import { version } from "./handlers/version.ts";
import { createLog, type Log } from "./log.ts";
import { type Service, startService } from "./service.ts";
import { readSettings, type Settings, SettingsError } from "./settings.ts";
import { StoreError } from "./store/store-error.ts";

async function main(): Promise<void> {
  requireNode();
  const settings = readSettings(process.env);
  const terminal = process.stdout.isTTY === true;
  const log = createLog({ level: settings.logLevel, terminal });
  const service = await startService(settings, log);
  if (terminal) writeSync(1, banner(service, settings));
  else log.info("listening", { url: service.url, data: settings.dataDir });
  stopOnSignals(service, log);
}

/** Checked here, because package.json's `engines` is not when `node dist/server.js` is run. */
function requireNode(): void {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 15)) return;
  throw new SettingsError(`Forno needs Node 20.15 or newer; this is ${process.versions.node}`);
}

function banner({ url, store, signingKey }: Service, { dataDir }: Settings): string {
  const counts = ["toppings", "pizzasizes", "beverages", "orders"].map(
    (kind) => `${store.table(kind).rows.length} ${kind}`,
  );
  const link = (role: "staff" | "customer"): string => {
    const iat = Math.floor(Date.now() / 1_000);
    const token = signToken({ role, sub: `${role}-banner`, iat, exp: iat + 3_600 }, signingKey);
    return `${url}/${role === "staff" ? "board" : ""}#token=${token}`;
  };
  const label = (text: string): string => styleText("bold", text.padEnd(11));
  return [
    "",
    `  ${styleText("red", "Forno")} ${version} is serving on ${styleText("underline", url)}`,
    "",
    `  ${label("Data")}${dataDir} (${store.isNew ? "new" : "opened"})`,
    `  ${label("Holds")}${counts.join(", ")}`,
    `  ${label("Order page")}${link("customer")}`,
    `  ${label("Board")}${link("staff")}`,
    `  ${styleText("gray", "The links sign in for one hour. Stop with Ctrl-C.")}`,
    "",
    "",
  ].join("\n");
}

function stopOnSignals(service: Service, log: Log): void {
  const stop = (signal: string): void => {
    log.info("stopping", { signal });
    service.stop().then(
      () => end(log, 0),
      (error: unknown) => {
        log.error("stopping failed", { cause: error });
        end(log, 1);
      },
    );
  };
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
}

function end(log: Log, code: number): void {
  log.info("stopped");
  log.flush();
  process.exit(code);
}

/** One line: what is wrong, and what to do. */
function explain(error: unknown): string {
  if (error instanceof SettingsError) return error.message;
  if (error instanceof StoreError) return [error.message, error.hint].filter(Boolean).join(". ");
  if (error instanceof Error && "code" in error) {
    const { message, code } = error;
    if (code === "EADDRINUSE") return `${message}: stop what is there, or choose another PORT`;
    return message;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

main().catch((error: unknown) => {
  writeSync(2, `forno: ${explain(error)}\n`);
  process.exit(1);
});
