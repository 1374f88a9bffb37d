/** Everything put together: settings and a log in, a listening server out. */

import { once } from "node:events";
import { accessSync, constants, statSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createVerifier } from "../auth/token-verifier.ts";
import { DocumentError } from "../store/document.ts";
import { backupRoutes } from "../api/backup.ts";
import { Events } from "../api/events.ts";
import { Followers } from "../api/followers.ts";
import { descriptionRoute, loadTheRest, operationsRoutes } from "../api/operations.ts";
import { pagesRoutes } from "../api/pages.ts";
import { resourceRoutes } from "../api/crud.ts";
import { shopRoutes } from "../api/shop.ts";
import { createApp, type Timeouts } from "../http/app.ts";
import { createCors } from "../http/cors.ts";
import { createRateLimit } from "../http/rate-limit.ts";
import type { Route } from "../http/route.ts";
import type { Log } from "../log/log.ts";
import { codeOf, messageOf } from "../log/system-error.ts";
import { Metrics } from "../http/metrics.ts";
import { DocumentReader } from "../resources/document-reader.ts";
import type { Kind } from "../resources/kind.ts";
import { kindsFor, storedKindsFor } from "../resources/kinds.ts";
import { type Settings, SettingsError } from "../settings.ts";
import { loadSigningKey } from "./signing-key.ts";
import { openStore } from "../store/opening.ts";
import type { Store } from "../store/store.ts";

export interface Service {
  /** Where it listens: "http://127.0.0.1:3000". */
  readonly url: string;
  readonly store: Store;
  readonly signingKey: Uint8Array;
  /**
   * Answers what is in flight, closes streams, leaves everything in store.json, as far as the
   * disk can do that in time: what was answered is in the journal anyway. Idempotent.
   */
  stop(): Promise<void>;
}

export interface ServiceOptions {
  readonly timeouts?: Partial<Timeouts>;
  /** Default: the 10 s that the contract gives, less a second for the process to end. */
  readonly stopMs?: number;
}

/** How long requests in flight may take at the end, which leaves the store two more seconds. */
const graceMs = 7_000;

/** Throws SettingsError, DocumentError or StoreError. */
export async function startService(
  settings: Settings,
  log: Log,
  options: ServiceOptions = {},
): Promise<Service> {
  requireMenuFile(settings);
  const { orderReads, menuFile } = settings;
  const metrics = new Metrics();
  const kinds = kindsFor(orderReads);
  const store = await openStore({
    folder: settings.dataDir,
    kinds: storedKindsFor(orderReads),
    log,
    firstContent: () => (menuFile === null ? [] : new DocumentReader(menuFile, kinds)),
    onSync: (seconds) => metrics.sync.observe(seconds),
  }).catch(throwAsMenuFault);
  try {
    return await serveStore({ settings, log, kinds, store, metrics }, options);
  } catch (error) {
    await store.close();
    throw error;
  }
}

interface Parts {
  readonly settings: Settings;
  readonly log: Log;
  readonly kinds: readonly Kind[];
  readonly store: Store;
  readonly metrics: Metrics;
}

async function serveStore(
  { settings, log, kinds, store, metrics }: Parts,
  { timeouts = {}, stopMs = 9_000 }: ServiceOptions,
): Promise<Service> {
  const { orderReads, guestOrders, rateLimit, previousSecret } = settings;
  const signingKey = await loadSigningKey(settings, log);
  let stopping: Promise<void> | undefined;
  const isServing = (): boolean => stopping === undefined;
  const now = (): Date => new Date();
  const events = new Events({ changes: store.changes, orderReads, metrics });
  const followers = new Followers(store);
  const guests = guestOrders ? await import("../api/guest-token.ts") : undefined;
  const routes: Route[] = [
    ...kinds.flatMap((kind) => resourceRoutes(kind, { store, orderReads, now })),
    ...shopRoutes(store),
    ...operationsRoutes({ kinds, store, metrics, guestOrders, isServing }),
    ...events.routes,
    ...backupRoutes({ kinds, store, followers }),
    ...pagesRoutes(store.changes),
    ...(guests?.guestTokenRoutes(signingKey) ?? []),
  ];
  routes.push(descriptionRoute(routes));
  const { server, connections } = createApp({
    routes,
    log,
    metrics,
    isServing,
    timeouts,
    verify: createVerifier(previousSecret === null ? [signingKey] : [signingKey, previousSecret]),
    cors: createCors(settings.corsOrigins),
    rateLimit:
      rateLimit === null ? null : createRateLimit({ perSecond: rateLimit, burst: rateLimit * 10 }),
    // Ten a minute.
    guestLimit: guestOrders ? createRateLimit({ perSecond: 1 / 6, burst: 10 }) : null,
    trustProxy: settings.trustProxy,
    bodyLimitBytes: settings.bodyLimit,
  });
  const url = await listen(server, settings);
  server.on("error", (cause) => log.error("server error; still serving", { cause }));
  setImmediate(() => {
    loadTheRest().catch((cause: unknown) => log.error("a module was not loaded", { cause }));
  });
  return {
    url,
    store,
    signingKey,
    stop() {
      stopping ??= atMost(stopMs, connections.close(graceMs).then(() => store.close()));
      // Streams get the last writes too, so their clients need not reload. A write that was lost
      // has no event.
      void store.settled().catch(() => {}).then(() => {
        events.closeAll();
        followers.closeAll();
      });
      return stopping;
    },
  };
}

/**
 * Checked even where the store is not new and the menu is not read: a wrong MENU_FILE shows now,
 * not a year later.
 */
function requireMenuFile({ menuFile }: Settings): void {
  if (menuFile === null) return;
  try {
    accessSync(menuFile, constants.R_OK);
    if (statSync(menuFile).isFile()) return;
  } catch {
    // Reported below.
  }
  const expected = "must be a file that can be read, or empty";
  throw new SettingsError(`MENU_FILE is "${menuFile}", but ${expected}`);
}

/** The menu is a setting's file. */
function throwAsMenuFault(error: unknown): never {
  if (!(error instanceof DocumentError)) throw error;
  throw new SettingsError(`MENU_FILE: ${error.message}`, { cause: error });
}

const noSuchHost = ": HOST must be an address of this machine";
const listenCures: Readonly<Record<string, string>> = {
  EADDRINUSE: ": stop what is there, or choose another PORT",
  EACCES: ": choose a PORT from 1024 up",
  EADDRNOTAVAIL: noSuchHost,
  ENOTFOUND: noSuchHost,
};

async function listen(server: Server, { port, host }: Settings): Promise<string> {
  server.listen({ port, host });
  try {
    await once(server, "listening");
  } catch (error) {
    const cure = listenCures[codeOf(error) ?? ""] ?? "";
    throw new SettingsError(`HOST is "${host}" and PORT ${port}, but ${messageOf(error)}${cure}`);
  }
  // A server that listens on a TCP port has an AddressInfo.
  const { address, family, port: actual } = server.address() as AddressInfo;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${actual}`;
}

/** Settles as `done` does, or resolves when that takes too long. */
function atMost(ms: number, done: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const patience = setTimeout(resolve, ms);
    void done.then(resolve, reject).finally(() => clearTimeout(patience));
  });
}
