/**
 * A real browser for the tests of one file: chromedriver spoken to over the W3C WebDriver protocol,
 * which is plain HTTP and JSON. Where there is no browser a test says that it was skipped. A window
 * ends with its test, and the browser with the file.
 */

import { spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";

const deadlineMs = 15_000;

const chromiumArguments = [
  "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync",
  "--disable-dev-shm-usage", "--autoplay-policy=user-gesture-required",
];

export interface View {
  readonly width?: number;
  readonly height?: number;
  /** Media features to emulate, such as `{ "prefers-color-scheme": "dark" }`. */
  readonly media?: Readonly<Record<string, string>>;
}

/** Opens windows. They share no session storage: each is a visitor of its own. */
export interface Browser {
  open(url: string, view?: View): Promise<Window>;
}

let started: Promise<Session> | undefined;

after(async () => {
  await (await started)?.end();
});

/** Undefined where there is no browser: the test then is skipped, with the reason, and returns. */
export async function findBrowser(t: TestContext): Promise<Browser | undefined> {
  const [chromium, driver] = [onPath(["chromium", "google-chrome"]), onPath(["chromedriver"])];
  if (chromium === undefined || driver === undefined) {
    t.skip("needs chromium and chromedriver (Debian: chromium, chromium-driver)");
    return undefined;
  }
  started ??= startSession(chromium, driver);
  const session = await started;
  // What an earlier test's windows still had to complain of.
  await session.post("se/log", { type: "browser" });
  return { open: (url, view = {}) => openWindow(t, session, url, view) };
}

function onPath(names: readonly string[]): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync);
}

/** Its output is read on: a driver that cannot write it stops. */
function portOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = "";
    child.stdout?.on("data", (chunk) => {
      said += String(chunk);
      const port = /started successfully on port (\d+)/.exec(said)?.[1];
      if (port !== undefined) resolve(port);
    });
    child.on("exit", () => { reject(new Error(`chromedriver did not start: ${said}`)); });
  });
}

/** One browser. Its commands go to the window switched to: one at a time. */
class Session {
  readonly #url: string;
  readonly #driver: ChildProcess;
  readonly #folder: string;
  /** The window that stays open: closing the last one ends the session. */
  readonly #first: string;
  #queue: Promise<unknown> = Promise.resolve();
  #current = "";

  constructor(url: string, first: string, driver: ChildProcess, folder: string) {
    this.#url = url;
    this.#first = first;
    this.#driver = driver;
    this.#folder = folder;
  }

  post<T>(command: string, body: unknown, handle: string = this.#first): Promise<T> {
    return this.#inTurn(handle, () => ask("POST", `${this.#url}/${command}`, body));
  }

  get<T>(command: string, handle: string): Promise<T> {
    return this.#inTurn(handle, () => ask("GET", `${this.#url}/${command}`));
  }

  async closeWindow(handle: string): Promise<void> {
    await this.#inTurn(handle, () => ask("DELETE", `${this.#url}/window`));
    this.#current = "";
  }

  async end(): Promise<void> {
    await ask("DELETE", this.#url);
    this.#driver.kill();
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 10 });
  }

  #inTurn<T>(handle: string, act: () => Promise<T>): Promise<T> {
    const turn = this.#queue.then(async () => {
      if (handle !== this.#current) {
        await ask("POST", `${this.#url}/window`, { handle });
        this.#current = handle;
      }
      return act();
    });
    this.#queue = turn.catch(() => undefined); // Told to whoever asked; the next has its turn.
    return turn;
  }
}

async function startSession(binary: string, driver: string): Promise<Session> {
  const child = spawn(driver, ["--port=0"], { stdio: ["ignore", "pipe", "ignore"] });
  const folder = await mkdtemp(join(tmpdir(), "forno-browser-"));
  const base = `http://127.0.0.1:${await portOf(child)}`;
  const { sessionId } = await ask<{ sessionId: string }>("POST", `${base}/session`, {
    capabilities: {
      alwaysMatch: {
        "goog:loggingPrefs": { browser: "ALL" },
        "goog:chromeOptions": { binary, args: [...chromiumArguments, `--user-data-dir=${folder}`] },
      },
    },
  });
  const url = `${base}/session/${sessionId}`;
  return new Session(url, await ask("GET", `${url}/window`), child, folder);
}

async function openWindow(
  t: TestContext, session: Session, url: string, view: View,
): Promise<Window> {
  const { width = 1280, height = 900, media = {} } = view;
  const { handle } = await session.post<{ handle: string }>("window/new", { type: "window" });
  t.after(() => session.closeWindow(handle));
  const window = new Window(session, handle);
  await window.devtools("Emulation.setDeviceMetricsOverride", {
    width, height, deviceScaleFactor: 1, mobile: width < 600,
  });
  const features = Object.entries(media).map(([name, value]) => ({ name, value }));
  await window.devtools("Emulation.setEmulatedMedia", { features });
  await window.go(url);
  return window;
}

async function ask<T>(method: string, url: string, body?: unknown): Promise<T> {
  const response = await fetch(url, {
    method, body: body === undefined ? null : JSON.stringify(body),
    signal: AbortSignal.timeout(deadlineMs * 2),
  });
  // WebDriver section 6.3: the answer's value, or an error with its message.
  const { value } = (await response.json()) as { value: T & { error?: string; message?: string } };
  if (!response.ok) throw new Error(`${method} ${url}: ${value.error}: ${value.message}`);
  return value;
}

interface LogEntry {
  readonly level: string;
  readonly source: string;
  readonly message: string;
}

export class Window {
  readonly #session: Session;
  readonly #handle: string;

  constructor(session: Session, handle: string) {
    this.#session = session;
    this.#handle = handle;
  }

  async go(url: string): Promise<void> {
    await this.#post("url", { url });
  }

  async reload(): Promise<void> {
    await this.#post("refresh", {});
  }

  address(): Promise<string> {
    return this.#session.get("url", this.#handle);
  }

  /** The value of a function body, evaluated in the page with `args` as `arguments`. */
  run<T>(script: string, ...args: unknown[]): Promise<T> {
    return this.#post("execute/sync", { script, args });
  }

  /** Polls until the expression is truthy in the page, and answers its value. */
  async until<T>(expression: string, ...args: unknown[]): Promise<T> {
    for (const end = Date.now() + deadlineMs; ;) {
      const value = await this.run<T>(`return (${expression});`, ...args);
      if (value) return value;
      if (Date.now() > end) {
        throw new Error(`Never came true: ${expression}\nThe page says: ${await this.text()}`);
      }
      await delay(25);
    }
  }

  /** What is shown, as a person would read it. */
  text(): Promise<string> {
    return this.run("return document.body.innerText;");
  }

  /** Clicks as a mouse does: scrolled into view, and refused where something else lies above. */
  async click(selector: string): Promise<void> {
    await this.#post(`element/${await this.#find(selector)}/click`, {});
  }

  /** Twice in one go, faster than any answer. */
  async doubleClick(selector: string): Promise<void> {
    const origin = { "element-6066-11e4-a52e-4f735466cecf": await this.#find(selector) };
    const press = [{ type: "pointerDown", button: 0 }, { type: "pointerUp", button: 0 }];
    await this.#post("actions", {
      actions: [{
        type: "pointer", id: "mouse",
        actions: [{ type: "pointerMove", origin, x: 0, y: 0 }, ...press, ...press],
      }],
    });
  }

  /** Presses keys one after the other, wherever the focus is. */
  async press(...keys: readonly string[]): Promise<void> {
    const actions = keys.flatMap((value) =>
      [{ type: "keyDown", value }, { type: "keyUp", value }]);
    await this.#post("actions", { actions: [{ type: "key", id: "keyboard", actions }] });
  }

  async type(selector: string, text: string): Promise<void> {
    await this.#post(`element/${await this.#find(selector)}/value`, { text });
  }

  /**
   * Everything the browser complained of since it was last asked, in any window: scripts' errors,
   * Content-Security-Policy reports, answers such as 404. `expected`: what the test provokes.
   */
  async complaints(expected?: RegExp): Promise<string[]> {
    const entries = await this.#post<LogEntry[]>("se/log", { type: "browser" });
    return entries.filter(({ level, source }) => level === "SEVERE" || source === "security")
      .map(({ message }) => message).filter((message) => expected?.test(message) !== true);
  }

  /** The Chrome DevTools Protocol, for what WebDriver lacks. */
  devtools<T>(cmd: string, params: unknown): Promise<T> {
    return this.#post("goog/cdp/execute", { cmd, params });
  }

  async #find(selector: string): Promise<string> {
    await this.until("document.querySelector(arguments[0])", selector);
    const found = await this.#post<Record<string, string>>("element", {
      using: "css selector", value: selector,
    });
    return Object.values(found)[0] ?? "";
  }

  #post<T>(command: string, body: unknown): Promise<T> {
    return this.#session.post(command, body, this.#handle);
  }
}

/** WebDriver section 17.4.2: keys that are no characters. */
export const keys = {
  tab: "\uE004", enter: "\uE007", space: " ", left: "\uE012", right: "\uE014", down: "\uE015",
} as const;
