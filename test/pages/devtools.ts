/**
 * A Chromium of one's own, without a window, spoken to over the Chrome DevTools Protocol: JSON
 * messages with a NUL after each, written to the browser's descriptor 3 and read from its 4.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { startPatience } from "../helpers/patience.ts";

const flags = [
  "--headless", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--disable-quic",
  "--no-first-run", "--no-startup-window", "--disable-sync", "--disable-dev-shm-usage",
  "--disable-default-apps", "--disable-background-networking", "--disable-component-update",
  "--disable-popup-blocking",
  "--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows",
  "--disable-renderer-backgrounding", "--autoplay-policy=user-gesture-required",
  // A page that was left is gone, and its stream with it.
  "--disable-features=BackForwardCache",
];

/** Parameters of the protocol: https://chromedevtools.github.io/devtools-protocol/. */
export type Params = Readonly<Record<string, any>>;
type Listener = (params: Params) => void;

interface Call {
  readonly method: string;
  resolve(result: any): void;
  reject(error: Error): void;
}

export class DevTools {
  readonly #process: ChildProcess;
  readonly #commands: Writable;
  readonly #calls = new Map<number, Call>();
  readonly #listeners = new Map<string, Listener>();
  readonly #exited: Promise<unknown>;
  #lastId = 0;
  #received = "";

  /** `folder`: for its profile, removed with this process, also where the runner ends it. */
  private constructor(child: ChildProcess, folder: string) {
    this.#process = child;
    this.#commands = child.stdio[3] as Writable;
    const answers = child.stdio[4] as Readable;
    answers.setEncoding("utf8").on("data", (piece: string) => this.#receive(piece));
    this.#exited = once(child, "exit");
    process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
    child.on("exit", () => {
      for (const { method, reject } of this.#calls.values()) {
        reject(new Error(`${method}: it ended`));
      }
    });
    // A caller that waits for an answer is told by the exit.
    this.#commands.on("error", () => {});
  }

  static start(binary: string): DevTools {
    const folder = mkdtempSync(join(tmpdir(), "forno-browser-"));
    const child = spawn(binary, [...flags, `--user-data-dir=${folder}`], {
      stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
    });
    return new DevTools(child, folder);
  }

  /** Resolves to the result. `session`: of the target that is meant; else the browser is. */
  async call<T>(method: string, params: Params = {}, session?: string): Promise<T> {
    if (this.#process.exitCode !== null) throw new Error(`${method}: the browser has ended`);
    const id = ++this.#lastId;
    let timer: NodeJS.Timeout | undefined;
    const answer = new Promise<T>((resolve, reject) => {
      timer = startPatience(() => reject(new Error(`${method}: no answer`)));
      this.#calls.set(id, { method, resolve, reject });
    });
    this.#commands.write(`${JSON.stringify({ id, method, params, sessionId: session })}\0`);
    return answer.finally(() => {
      clearTimeout(timer);
      this.#calls.delete(id);
    });
  }

  /** One listener for each method of a session. */
  on(method: string, session: string, listener: Listener): void {
    this.#listeners.set(`${session} ${method}`, listener);
  }

  async end(): Promise<void> {
    // It may end before it has answered.
    this.call("Browser.close").catch(() => this.#process.kill("SIGKILL"));
    await this.#exited;
  }

  #receive(piece: string): void {
    const messages = (this.#received + piece).split("\0");
    this.#received = messages.pop() ?? "";
    for (const text of messages) this.#take(JSON.parse(text));
  }

  #take({ id, method, params = {}, sessionId, result, error }: Params): void {
    if (id === undefined) {
      this.#listeners.get(`${sessionId} ${method}`)?.(params);
      return;
    }
    const call = this.#calls.get(id);
    if (error === undefined) call?.resolve(result);
    else call?.reject(new Error(`${call.method}: ${error.message}`));
  }
}
