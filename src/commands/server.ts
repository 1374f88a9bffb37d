/**
 * Builds the server from settings and a log: opens the store, makes the routes and listens. Each
 * object that is shared is made here once and passed to its users.
 */

import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Callers } from "../auth/callers.ts";
import { Codes } from "../auth/codes.ts";
import { backupRoute } from "../api/backup.ts";
import { deviceRoutes } from "../api/devices.ts";
import { documentRoutes } from "../api/documents.ts";
import { EventIds } from "../api/event-ids.ts";
import { eventsRoute } from "../api/events.ts";
import { Feed } from "../api/feed.ts";
import { menuRoutes } from "../api/menu.ts";
import { orderRoutes } from "../api/orders.ts";
import { shopRoutes } from "../api/shop.ts";
import { Metrics, metricsRoute } from "../api/metrics.ts";
import { pagesRoutes } from "../api/pages.ts";
import type { Services } from "../api/services.ts";
import { tokensRoute } from "../api/tokens.ts";
import { Pipeline } from "../http/pipeline.ts";
import { createRateLimit } from "../http/rate-limit.ts";
import type { Route } from "../http/router.ts";
import type { Timeouts } from "../http/server.ts";
import type { Log } from "../log/log.ts";
import { codeOf, messageOf } from "../log/system-error.ts";
import { storedKinds } from "../resources/kinds.ts";
import { newContent } from "../resources/new-shop.ts";
import { newShop, shopId, shops } from "../resources/shop.ts";
import { devices } from "../resources/device.ts";
import { type Settings, SettingsError } from "../settings.ts";
import { keyOfSettings, loadKeys } from "./signing-key.ts";
import { openStore } from "../store/opening.ts";
import type { Store } from "../store/store.ts";

export interface RunningServer {
  /** The address that it listens on: "http://127.0.0.1:3000". */
  readonly url: string;
  readonly store: Store;
  readonly routes: readonly Route[];
  readonly signingKey: Uint8Array;
  /** Ends streams, answers the requests in flight and closes the store. Idempotent. */
  stop(): Promise<void>;
}

export interface ServerOptions {
  readonly timeouts?: Partial<Timeouts>;
}

/** For the requests in flight when the server stops. The store then has two seconds to close. */
const graceMs = 7_000;
/** For all of a stop: it leaves the process one second of the contract's ten to end. */
const stopMs = 9_000;

/**
 * Locks the folder, listens, and then reads and writes it, so that a port that is taken changes
 * nothing. Rejects with SettingsError or StoreError.
 */
export async function startServer(
  settings: Settings,
  log: Log,
  { timeouts = {} }: ServerOptions = {},
): Promise<RunningServer> {
  // Checked first, so that a bad key leaves no new store behind.
  keyOfSettings(settings);
  // Read even if the store exists, so that a bad file is noticed before it is needed.
  const content = newContent(settings.menuFile);
  const metrics = new Metrics();
  const pipeline =
    new Pipeline({ ...limitsOf(settings), log, onAnswer: metrics.answered, timeouts });
  let url = "";
  let store: Store | undefined;
  try {
    store = await openStore({
      folder: settings.dataDir,
      kinds: storedKinds,
      log,
      onLocked: async () => void (url = await listen(pipeline.server, settings, log)),
      firstContent: () => content,
      onSync: metrics.synced,
    });
    const services = await servicesOf(store, settings);
    const routes = routesOf(services, metrics);
    pipeline.open(routes, services.callers);
    return runningServer(url, pipeline, services, routes);
  } catch (error) {
    await pipeline.stop(0);
    await store?.close();
    throw error;
  }
}

function limitsOf({ guestOrders, rateLimit, corsOrigins, isExposed, trustProxy }: Settings) {
  return {
    corsOrigins,
    rateLimit:
      rateLimit === null ? null : createRateLimit({ perSecond: rateLimit, burst: rateLimit * 10 }),
    servesGuests: guestOrders !== null,
    ownMachine: isExposed ? null : ownMachine,
    trustProxy,
  };
}

async function servicesOf(store: Store, settings: Settings): Promise<Services> {
  const { guestOrders } = settings;
  const keys = await loadKeys(settings);
  const [signingKey] = keys;
  // A person may have deleted the shop's line.
  await store.write(shops, shopId, (stored) => stored ?? { value: newShop, kept: undefined });
  // A removal holds as soon as it is accepted, before it is on disk.
  const deviceOf = (id: string): object | undefined => store.accepted.get(devices, id);
  const callers = new Callers(keys, { deviceOf });
  const feed = new Feed({ mayGoOn: (caller) => callers.mayGoOn(caller) });
  const codes = new Codes();
  store.onDurable(() => feed.wake());
  // Three times as many at once, for a table that orders together.
  const guestLimit = guestOrders === null ? null
    : createRateLimit({ perSecond: guestOrders / 60, burst: 3 * guestOrders });
  const eventIds = new EventIds(signingKey);
  return { settings, store, callers, codes, feed, eventIds, guestLimit, signingKey };
}

function routesOf(services: Services, metrics: Metrics): readonly Route[] {
  return [
    ...menuRoutes(services),
    ...orderRoutes(services),
    ...shopRoutes(services),
    ...documentRoutes(services),
    metricsRoute(services, metrics),
    eventsRoute(services),
    backupRoute(services),
    ...pagesRoutes(services),
    ...deviceRoutes(services),
    tokensRoute(services),
  ];
}

function runningServer(
  url: string,
  pipeline: Pipeline,
  { store, signingKey }: Services,
  routes: readonly Route[],
): RunningServer {
  let stopping: Promise<void> | undefined;
  return {
    url,
    store,
    routes,
    signingKey,
    stop() {
      stopping ??= atMost(stopMs, pipeline.stop(graceMs).then(() => store.close()));
      return stopping;
    },
  };
}

/** The setting to change if a request was not meant for a server for its own machine. */
const ownMachine = {
  throughProxy:
    "so it came through a proxy: set TRUST_PROXY=on if only your own proxy can reach this port",
  foreignHost:
    "set TRUST_PROXY=on if it comes from your own proxy and only that proxy can reach this port, " +
    "or HOST to serve other machines directly",
};

/** The message when the server cannot listen, by the error's code. */
function listenFault(error: unknown, { port, host }: Settings): string {
  switch (codeOf(error)) {
    case "EADDRINUSE":
      return (
        `Port ${port} is already in use. Set PORT to another one, or stop the program that uses it.`
      );
    case "EACCES":
      return `This user may not listen on port ${port}. Set PORT to 1024 or above.`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return (
        `HOST ${JSON.stringify(host)} is not an address of this machine. ` +
        "Set it to one that is, or to 0.0.0.0 for all of them."
      );
    default:
      return `Cannot listen on HOST ${host}, PORT ${port}: ${messageOf(error)}`;
  }
}

async function listen(server: Server, settings: Settings, log: Log): Promise<string> {
  const { port, host } = settings;
  server.listen({ port, host });
  try {
    await once(server, "listening");
  } catch (error) {
    throw new SettingsError(listenFault(error, settings), { cause: error });
  }
  server.on("error", (cause) => log.error("server error; still serving", { cause }));
  // A server that listens on a TCP port has an AddressInfo.
  const { address, family, port: actual } = server.address() as AddressInfo;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${actual}`;
}

/** Settles as `done` does, or resolves after `ms`. */
function atMost(ms: number, done: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    void done.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
