/** A real server on a real folder and a real socket, for one test. */

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import type { TestContext } from "node:test";
import { signToken } from "../../src/auth/token.ts";
import { createLog, type Log } from "../../src/log/log.ts";
import { startServer, type ServerOptions } from "../../src/commands/server.ts";
import type { Route } from "../../src/http/router.ts";
import { readSettings } from "../../src/settings.ts";
import { programOf } from "./node.ts";
import { patienceMs } from "./patience.ts";
import type { Store } from "../../src/store/store.ts";

export interface CallInit {
  readonly token?: string;
  /** Strings and bytes go as they are, the rest as JSON with its label. */
  readonly body?: unknown;
  /** With `transfer-encoding: chunked` the length of the body is not declared. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Response {
  readonly status: number;
  /** By name, in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
  /** Undefined where the text is not JSON. Any shape: a test says what it expects of it. */
  readonly json: any;
}

/** A server to talk to, in this process or another. */
export interface Client {
  readonly origin: string;
  readonly port: number;
  readonly dataDir: string;
  readonly secret: string;
  /** An owner's token, "olga". */
  readonly owner: string;
  /** The token of a member of staff, "rosa". */
  readonly staff: string;
  /** The token of a customer, "carla". */
  readonly customer: string;
  /** A reader's token. */
  readonly reader: string;
  /** Any claims, signed; valid for an hour unless they say otherwise. */
  token(claims: Record<string, unknown>): string;
  call(method: string, path: string, init?: CallInit): Promise<Response>;
  /** A call with the token of staff. */
  readonly asStaff: CallAsStaff;
  /** The same where a test cannot go on unless it is carried out: fails if it is refused. */
  readonly write: CallAsStaff;
}

type CallAsStaff = (
  method: string, path: string, body?: unknown, headers?: CallInit["headers"],
) => Promise<Response>;

export interface Forno extends Client {
  readonly store: Store;
  readonly routes: readonly Route[];
  close(): Promise<void>;
}

export interface FornoProcess extends Client {
  readonly child: ChildProcess;
  readonly exited: Promise<{ code: number | null; signal: string | null }>;
  /** Ends it with SIGTERM, exit code 0, or with SIGKILL. */
  end(signal?: "SIGKILL"): Promise<void>;
  stdout(): string;
  stderr(): string;
}

export interface StartOptions {
  readonly env?: Record<string, string>;
  readonly dataDir?: string;
}

interface ContentOptions {
  /** The menu of a new store, in place of the starter menu. */
  readonly menu?: object;
  /** The text of the store's file. */
  readonly store?: string | Uint8Array;
}

const secret = "a secret of the tests, of forty bytes...";

/** On a busy machine, a request may stay half-way for as long as its test waits. */
const timeouts = {
  headersMs: 2 * patienceMs, requestMs: 2 * patienceMs, restMs: 2 * patienceMs,
};

const cleanUps = new WeakMap<TestContext, (() => unknown)[]>();

/** Runs after the test, last one first: a server stops before its folder goes. */
export function cleanUp(t: TestContext, task: () => unknown): void {
  const tasks = cleanUps.get(t);
  if (tasks !== undefined) {
    tasks.push(task);
    return;
  }
  const own = [task];
  cleanUps.set(t, own);
  t.after(async () => {
    for (const one of own.reverse()) await one();
  });
}

/** A folder of this test's own, removed after it. */
export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "forno-test-"));
  cleanUp(t, () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function menuFile(t: TestContext, menu: object): string {
  const file = join(temporaryFolder(t), "menu.json");
  writeFileSync(file, JSON.stringify(menu));
  return file;
}

/** A server in this process, closed after the test. It logs to `log`, or as LOG_LEVEL says. */
export async function startForno(
  t: TestContext,
  options: StartOptions & ContentOptions & ServerOptions & { readonly log?: Log } = {},
): Promise<Forno> {
  const dataDir = options.dataDir ?? join(temporaryFolder(t), "store");
  if (options.store !== undefined) {
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, "store.ndjson"), options.store);
  }
  const env = { PORT: "0", DATA_DIR: dataDir, TOKEN_SECRET: secret, LOG_LEVEL: "silent" };
  const menu = options.menu === undefined ? {} : { MENU_FILE: menuFile(t, options.menu) };
  const settings = readSettings({ ...env, ...menu, ...options.env });
  const log = options.log ?? createLog({ level: settings.logLevel, terminal: false });
  const server = await startServer(settings, log, { timeouts, ...options });
  cleanUp(t, () => server.stop());
  const client = clientOf(server.url, dataDir, Buffer.from(server.signingKey).toString());
  return { ...client, store: server.store, routes: server.routes, close: () => server.stop() };
}

/** Flags that end a process when the one that started it was killed. */
const endsWithUs = ["--import", `data:text/javascript,${encodeURIComponent(
  'process.on("disconnect", () => process.exit()); process.channel.unref();')}`];

/** A process that runs the server (or `file`) and listens; killed after the test. */
export async function spawnForno(
  t: TestContext,
  options: StartOptions & { readonly cwd?: string; readonly file?: string } = {},
): Promise<FornoProcess> {
  const dataDir = options.dataDir ?? join(temporaryFolder(t), "store");
  const env = { PORT: "0", DATA_DIR: dataDir, TOKEN_SECRET: secret, LOG_LEVEL: "info" };
  const program = options.file === undefined ? programOf("server") : [options.file];
  const args = [...endsWithUs, ...program];
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    cwd: options.cwd ?? dataDir.slice(0, dataDir.lastIndexOf("/")),
    env: { PATH: process.env["PATH"], ...env, ...options.env },
  });
  let out = "";
  let err = "";
  const exited = once(child, "exit").then(([code, signal]) => ({ code, signal }));
  cleanUp(t, async () => {
    child.kill("SIGKILL");
    await exited;
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr?.on("data", (piece: Buffer) => (err += piece.toString()));
    child.stdout?.on("data", (piece: Buffer) => {
      out += piece.toString();
      const found = /"url":"([^"]+)"/.exec(out)?.[1];
      if (found !== undefined) resolve(found);
    });
    void exited.then(({ code }) => reject(new Error(`it ended with ${code}: ${err}${out}`)));
  });
  const client = clientOf(url, dataDir, options.env?.["TOKEN_SECRET"] ?? secret);
  const end = async (signal?: "SIGKILL"): Promise<void> => {
    child.kill(signal ?? "SIGTERM");
    assert.deepEqual(await exited, { code: signal ? null : 0, signal: signal ?? null });
  };
  return { ...client, child, exited, end, stdout: () => out, stderr: () => err };
}

function clientOf(origin: string, dataDir: string, key: string): Client {
  const exp = Math.floor(Date.now() / 1_000) + 3_600;
  const token = (claims: Record<string, unknown>): string =>
    signToken({ exp, ...claims }, Buffer.from(key));
  const staff = token({ role: "staff", sub: "rosa" });
  const asStaff: CallAsStaff = (method, path, body, headers = {}) =>
    call(origin, method, path, { token: staff, body, headers });
  return {
    origin,
    port: Number(new URL(origin).port),
    dataDir,
    secret: key,
    owner: token({ role: "owner", sub: "olga" }),
    staff,
    customer: token({ role: "customer", sub: "carla" }),
    reader: token({ role: "reader" }),
    token,
    call: (method, path, init = {}) => call(origin, method, path, init),
    asStaff,
    async write(...request) {
      const response = await asStaff(...request);
      assert.ok(response.status < 300, `${request.join(" ")}: ${response.text}`);
      return response;
    },
  };
}

/**
 * By node:http, which sends a path as it stands, and under the test runner's hooks costs a third of
 * what fetch does.
 */
async function call(
  origin: string, method: string, path: string, init: CallInit,
): Promise<Response> {
  const { token, body } = init;
  const isRaw = body === undefined || typeof body === "string" || body instanceof Uint8Array;
  const payload = isRaw ? body : JSON.stringify(body);
  const isChunked = init.headers?.["transfer-encoding"] !== undefined;
  const hasLength = payload !== undefined && !isChunked;
  const sent = request(origin, {
    method,
    path,
    headers: {
      ...(!isRaw && { "content-type": "application/json" }),
      ...(hasLength && { "content-length": Buffer.byteLength(payload) }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...init.headers,
    },
  });
  sent.end(payload);
  const [response]: IncomingMessage[] = await once(sent, "response");
  assert.ok(response);
  const { statusCode: status = 0, headersDistinct } = response;
  const headers = new Map(Object.entries(headersDistinct).map(([name, values = []]) =>
    [name, values.join(", ")]));
  const text = await textOf(response);
  return { status, headers, text, json: parsed(text) };
}

/** The JSON that a text is; undefined for another text. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
