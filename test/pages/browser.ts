/** A real browser for the tests of one file. Without one a test says that it was skipped. */

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { after, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { cleanUp } from "../helpers/forno.ts";
import { needsBuild } from "../helpers/node.ts";
import { patienceMs } from "../helpers/patience.ts";
import { DevTools, type Params } from "./devtools.ts";

export interface View {
  readonly width?: number;
  readonly height?: number;
  /** The language that the person wants, as in Accept-Language. */
  readonly language?: string;
  /** A script that runs before those of a page. */
  readonly before?: string;
  /** A window of the same device: what one keeps, the other finds. */
  readonly beside?: Window;
}

/** Opens windows, each on a device of its own unless the view says otherwise. */
export interface Browser {
  open(url: string, view?: View): Promise<Window>;
  /** Errors of scripts, and what a page's policy forbade, in any window. */
  readonly faults: readonly string[];
}

let started: DevTools | undefined;

after(() => started?.end());

/** Undefined where there is no browser or no page: the test is skipped, with the reason. */
export function findBrowser(t: TestContext): Browser | undefined {
  if (needsBuild !== false) {
    t.skip(needsBuild);
    return undefined;
  }
  // The shell alone, where it is, costs half of what the whole browser does.
  const usual = "chromium-headless-shell,chrome-headless-shell,chromium,google-chrome";
  const names = (process.env["FORNO_BROWSER"] ?? usual).split(",");
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const files = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  const binary = files.find(existsSync);
  if (binary === undefined) {
    t.skip(`needs a browser, one of ${names.join(", ")}`);
    return undefined;
  }
  const devtools = started ??= DevTools.start(binary);
  const faults: string[] = [];
  return { faults, open: (url, view = {}) => openWindow(t, devtools, faults, url, view) };
}

async function openWindow(
  t: TestContext, devtools: DevTools, faults: string[], url: string, view: View,
): Promise<Window> {
  const device = view.beside?.device ?? await newDevice(t, devtools);
  const { targetId } = await devtools.call<{ targetId: string }>("Target.createTarget", {
    url: "about:blank", newWindow: true, browserContextId: device,
  });
  const { sessionId } = await devtools.call<{ sessionId: string }>("Target.attachToTarget", {
    targetId, flatten: true,
  });
  const window = new Window(devtools, sessionId, device, faults);
  const { width = 1280, height = 900, language, before = "" } = view;
  await Promise.all([
    ...["Page", "Runtime", "Log"].map((domain) => window.devtools(`${domain}.enable`)),
    window.resize(width, height),
    window.devtools("Emulation.setTimezoneOverride", { timezoneId: eveningZone() }),
    window.devtools("Page.addScriptToEvaluateOnNewDocument", { source: `${shorthand}${before}` }),
    // Every window behaves as if it were the one in front.
    window.devtools("Emulation.setFocusEmulationEnabled", { enabled: true }),
  ]);
  if (language !== undefined) await window.speak(language);
  await window.go(url);
  return window;
}

/** The id of a browser context, whose windows close at the end of the test. */
async function newDevice(t: TestContext, devtools: DevTools): Promise<string> {
  const device = await devtools.call<{ browserContextId: string }>("Target.createBrowserContext");
  cleanUp(t, () => devtools.call("Target.disposeBrowserContext", device));
  return device.browserContextId;
}

/**
 * For the scripts of tests. `named` is the button, link or summary of that name that takes presses.
 * `letPass` lets time pass for the page and its shop; what happens every
 * few seconds happens then alone. `setClock` sets the device's clock ahead. So that a test may be
 * as slow as it likes, what would come after ten seconds waits for `endTen`, and a page waits a
 * minute for a slow server before it takes it for lost.
 */
const shorthand = `{
  window.$ = (selector) => document.querySelector(selector);
  window.$$ = (selector) => [...document.querySelectorAll(selector)];
  window.seen = (selector) => $$(selector).filter((one) =>
    one.checkVisibility({ visibilityProperty: true }));
  window.texts = (selector) => seen(selector).map((one) => one.textContent);
  window.boxOf = (selector) => $(selector).getBoundingClientRect();
  window.named = (name, place) => {
    const front = $$("dialog:modal").at(-1) ?? null;
    return seen("button, a, summary").find((one) => one.ariaDisabled !== "true"
      && one.closest("dialog") === front && place.contains(one)
      && (one.ariaLabel ?? one.textContent).replace(/\\s+/g, " ").trim() === name);
  };
  const [now, steady] = [Date.now, performance.now.bind(performance)];
  const { get } = Object.getOwnPropertyDescriptor(Event.prototype, "timeStamp");
  const [passed, set] = [{ ms: 0 }, { ms: 0 }];
  Date.now = () => now() + passed.ms + set.ms;
  performance.now = () => steady() + passed.ms;
  Object.defineProperty(Event.prototype, "timeStamp", {
    get() { return get.call(this) + passed.ms; },
  });
  const dateOf = Headers.prototype.get;
  Headers.prototype.get = function (name) {
    const text = dateOf.call(this, name);
    return name === "date" ? \`\${new Date(Date.parse(text) + passed.ms)}\` : text;
  };
  const repeated = [];
  window.setInterval = (act, ms) => { repeated.push({ act, ms }); };
  window.letPass = (ms) => {
    passed.ms += ms;
    for (const each of repeated) if (each.ms <= ms) each.act();
  };
  window.setClock = (ms) => { set.ms += ms; };
  const [wait, ten] = [setTimeout, []];
  window.setTimeout = (act, ms, ...more) => ms === 10_000 ? ten.push(act)
    : wait(act, ms === 3000 ? 60_000 : ms, ...more);
  window.endTen = () => { for (const act of ten.splice(0)) act(); };
}`;

/** For `before`: short pauses are a twentieth as long. */
export const hasty = `{
  const wait = setTimeout;
  window.setTimeout = (act, ms, ...more) => wait(act, ms < 3000 ? ms / 20 : ms, ...more);
}`;

/** For `before`: no event comes, so answers alone tell the page what has become of an order. */
export const deaf = `{
  const real = fetch;
  window.fetch = (path, request) => path !== "api/events" ? real(path, request)
    : new Promise((_, reject) => { request.signal.onabort = reject; });
}`;

/**
 * Where it is between 10 and 11 p.m. now: a test then runs into no midnight, and times are as long
 * as they get.
 */
function eveningZone(): string {
  const hoursAhead = ((22 - new Date().getUTCHours() + 36) % 24) - 12;
  // The sign of these names is the opposite of the usual one.
  return `Etc/GMT${hoursAhead > 0 ? "-" : "+"}${Math.abs(hoursAhead)}`;
}

export class Window {
  /** Its browser context. */
  readonly device: string;
  readonly #devtools: DevTools;
  readonly #session: string;
  #onLoad: () => void = () => {};
  /** In seconds since 1970. */
  #pressedAt = 0;

  constructor(devtools: DevTools, session: string, device: string, faults: string[]) {
    this.device = device;
    this.#devtools = devtools;
    this.#session = session;
    this.#on("Page.loadEventFired", () => this.#onLoad());
    this.#on("Log.entryAdded", ({ entry: { level, source, url, text } }) => {
      // A request may be refused, and a test may cut the network.
      const isFault = source === "security" || level === "error" && source !== "network";
      if (isFault) faults.push(`${url} ${text}`);
    });
    this.#on("Runtime.exceptionThrown", ({ exceptionDetails }) => {
      faults.push(messageOf(exceptionDetails));
    });
    this.#on("Runtime.consoleAPICalled", ({ type, args }) => {
      if (type === "error" || type === "assert") faults.push(JSON.stringify(args));
    });
  }

  async go(url: string): Promise<void> {
    const loaded = this.#loaded();
    const { loaderId, errorText } = await this.devtools<Record<string, string>>("Page.navigate", {
      url,
    });
    assert.equal(errorText, undefined, url);
    // There is none where only the fragment differs.
    if (loaderId !== undefined) await loaded;
  }

  async reload(): Promise<void> {
    const loaded = this.#loaded();
    await this.devtools("Page.reload");
    await loaded;
  }

  /** The language that the person wants from now on, as in Accept-Language. */
  async speak(acceptLanguage: string): Promise<void> {
    const userAgent = await this.run<string>("return navigator.userAgent");
    await this.devtools("Emulation.setUserAgentOverride", { userAgent, acceptLanguage });
  }

  /** `text`: its size, as in "200%". */
  async resize(width: number, height: number, text = ""): Promise<void> {
    await this.devtools("Emulation.setDeviceMetricsOverride", {
      width, height, deviceScaleFactor: 1, mobile: width < 600,
    });
    await this.run("document.documentElement.style.fontSize = arguments[0];", text);
  }

  /** Media features, such as `{ "prefers-color-scheme": "dark" }`. */
  async emulateMedia(media: Readonly<Record<string, string>>): Promise<void> {
    const features = Object.entries(media).map(([name, value]) => ({ name, value }));
    await this.devtools("Emulation.setEmulatedMedia", { features });
  }

  /** The value of a function body, evaluated in the page with `args` as `arguments`. */
  async run<T>(script: string, ...args: unknown[]): Promise<T> {
    const { result, exceptionDetails } = await this.devtools<Params>("Runtime.evaluate", {
      expression: `(function () { ${script} }).apply(undefined, ${JSON.stringify(args)})`,
      returnByValue: true, awaitPromise: true,
    });
    if (exceptionDetails !== undefined) throw new Error(messageOf(exceptionDetails));
    return result.value;
  }

  /** Waits until the expression is truthy in the page, and answers its value. */
  async until<T>(expression: string, ...args: unknown[]): Promise<T> {
    const { value, isMet } = await this.#poll(expression, args, Boolean);
    if (isMet) return value as T;
    throw new Error(`Never came true: ${expression}\nThe page says: ${await this.text()}`);
  }

  /** Waits until the expression has that value in the page. */
  async is(expression: string, expected: unknown, about = expression): Promise<void> {
    const isMeant = (value: unknown): boolean => isDeepStrictEqual(value, expected);
    const { value } = await this.#poll(expression, [], isMeant);
    assert.deepEqual(value, expected, about);
  }

  /** Waits until these texts are in sight. */
  says(...texts: readonly string[]): Promise<unknown> {
    return this.until("arguments[0].every((one) => document.body.innerText.includes(one))", texts);
  }

  /**
   * Runs `act` instead of each request whose method and path hold `piece`: `send()` sends it, and
   * does so where `act` returns nothing; `count` tells how many there were, with this one.
   */
  intercept(piece: string, act: string): Promise<void> {
    return this.run(`const real = fetch;
      let count = 0;
      const act = async (send, count, request) => { ${act} };
      window.fetch = async (path, request) => {
        const send = () => real(path, request);
        if (!\`\${request?.method ?? "GET"} \${path}\`.includes(arguments[0])) return send();
        return await act(send, ++count, request) ?? send();
      };`, piece);
  }

  /** The text in sight, as a person would read it. */
  text(): Promise<string> {
    return this.run("return document.body.innerText;");
  }

  /** The words of such elements that are in sight and stand in two lines: hyphens may end one. */
  brokenWords(selector: string): Promise<string[]> {
    return this.run(wordsInTwoLines, selector);
  }

  /** Clicks as a mouse does: scrolled into view, and refused where something else lies above. */
  async click(selector: string, times = 1): Promise<void> {
    const [x, y] = await this.pointOf(selector);
    await this.#pressSeen(x, y, times);
  }

  /** Scrolls an element into view. Resolves to its middle once it is painted and not covered. */
  async pointOf(selector: string): Promise<[x: number, y: number]> {
    await this.until(pointAt, selector);
    return this.until(`new Promise(requestAnimationFrame).then(() => ${pointAt})`, selector);
  }

  /** Waits until a person can see what is there now. */
  painted(): Promise<void> {
    return this.run("return new Promise(requestAnimationFrame).then(() => {});");
  }

  /** The page's own time, in seconds since 1970, as in `pressAt`. */
  now(): Promise<number> {
    return this.run("return (performance.timeOrigin + performance.now()) / 1000;");
  }

  /**
   * `at`: when the finger is put down. Otherwise a person has seen what is there for a while, and
   * has pressed nothing in the last second.
   */
  async pressAt(x: number, y: number, times = 1, at?: number): Promise<void> {
    if (at === undefined) await this.painted();
    await this.#pressSeen(x, y, times, at);
  }

  async #pressSeen(x: number, y: number, times: number, at?: number): Promise<void> {
    const timestamp = at
      ?? (this.#pressedAt = Math.max(this.#pressedAt + 1, Date.now() / 1000 + 0.5));
    const presses = Array.from({ length: times }, (_, time) =>
      ["mousePressed", "mouseReleased"].map((type) => ({ type, clickCount: time + 1 })));
    await Promise.all([{ type: "mouseMoved" }, ...presses.flat()].map((event) =>
      this.devtools("Input.dispatchMouseEvent", { x, y, button: "left", timestamp, ...event })));
  }

  /** Clicks what people press of these names, one after the other, as `click` does. */
  tap(...names: readonly string[]): Promise<void> {
    return this.tapIn("document", ...names);
  }

  /** The same within the element of that expression: in a row or on a card. */
  async tapIn(place: string, ...names: readonly string[]): Promise<void> {
    for (const name of names) {
      await this.tapOn(`named(${JSON.stringify(name)}, ${place})`);
    }
  }

  /** Clicks the element of that expression, as `click` does. */
  async tapOn(element: string): Promise<void> {
    await this.until(`(({ dataset } = {}) => {
      for (const one of $$("[data-tapped]")) delete one.dataset.tapped;
      if (dataset) dataset.tapped = "";
      return dataset !== undefined;
    })(${element} ?? undefined)`);
    await this.click("[data-tapped]");
  }

  /** Width and height of each page that is printed, in millimeters. `paper`: what is there. */
  async printedPages(paper: Params = {}): Promise<readonly (readonly number[])[]> {
    const { data } = await this.devtools<{ data: string }>("Page.printToPDF", {
      preferCSSPageSize: true, ...paper,
    });
    const text = Buffer.from(data, "base64").toString("latin1");
    return [...text.matchAll(/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/g)].map(([, ...sides]) =>
      sides.map((points) => Math.round(Number(points) / 72 * 25.4)));
  }

  /** Presses keys one after the other, wherever the focus is: characters, or one of `keys`. */
  async press(...pressed: readonly (string | Params)[]): Promise<void> {
    for (const key of pressed) {
      await this.painted();
      const timestamp = this.#pressedAt = Math.max(this.#pressedAt + 1, Date.now() / 1000 + 0.5);
      const described = { timestamp, ...typeof key === "string" ? { key, text: key } : key };
      await this.devtools("Input.dispatchKeyEvent", { type: "keyDown", ...described });
      await this.devtools("Input.dispatchKeyEvent", { type: "keyUp", ...described });
    }
  }

  async type(selector: string, text: string): Promise<void> {
    await this.until("document.querySelector(arguments[0])?.checkVisibility()", selector);
    await this.run("document.querySelector(arguments[0]).focus();", selector);
    await this.devtools("Input.insertText", { text });
  }

  /** Replaces what a field holds. */
  async fill(selector: string, text: string): Promise<void> {
    await this.type(selector, "");
    await this.run(`document.activeElement.select();
      document.execCommand("delete");`);
    await this.devtools("Input.insertText", { text });
  }

  /** A command of the protocol, for what the others lack. */
  devtools<T>(method: string, params: Params = {}): Promise<T> {
    return this.#devtools.call<T>(method, params, this.#session);
  }

  #on(method: string, listener: (params: Params) => void): void {
    this.#devtools.on(method, this.#session, listener);
  }

  #loaded(): Promise<void> {
    return new Promise((resolve) => {
      this.#onLoad = resolve;
    });
  }

  /** A page that is not all there yet, as after a click, has another value or none. */
  async #poll(
    expression: string, args: unknown[], isMeant: (value: unknown) => boolean,
  ): Promise<{ value: unknown; isMet: boolean }> {
    const script = `return document.readyState !== "loading" && (${expression});`;
    const last = { text: "", at: Date.now() };
    for (; ; await delay(25)) {
      const value = await this.run(script, ...args).catch((error: Error) => error);
      const isMet = !(value instanceof Error) && isMeant(value);
      const text = `${value instanceof Error ? value.message : JSON.stringify(value)}`;
      if (text !== last.text) Object.assign(last, { text, at: Date.now() });
      if (!isMet && Date.now() - last.at < patienceMs) continue;
      if (value instanceof Error) throw value;
      return { value, isMet };
    }
  }
}

/** Scrolls an element into view, and is the point in its middle once nothing else covers it. */
const pointAt = `((element) => {
  element?.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
  const [box] = element?.getClientRects() ?? [];
  if (box === undefined) return false;
  const point = [box.x + box.width / 2, box.y + box.height / 2];
  return element.contains(document.elementFromPoint(...point)) && point;
})(document.querySelector(arguments[0]))`;

/** Most words have one box. In two lines, letters have boxes of different heights. */
const wordsInTwoLines = `
  const range = document.createRange();
  const topsOf = (text, start, end) => {
    range.setStart(text, start);
    range.setEnd(text, end);
    return [...range.getClientRects()].map(({ top }) => Math.round(top));
  };
  // The box before a letter's may be that of a hyphen, at the end of the line above.
  const topOf = (text, index) => topsOf(text, index, index + 1).at(-1);
  const isBroken = (text, { index, 0: word }) => topsOf(text, index, index + word.length).length > 1
    && new Set(Array.from(word, (_, at) => topOf(text, index + at))).size > 1;
  return seen(arguments[0]).filter((one) => !one.closest(".unseen"))
    .flatMap(({ childNodes }) => [...childNodes]).filter(({ nodeType }) => nodeType === 3)
    .flatMap((text) => [...text.data.matchAll(/[^\\s\\u00ad-]+/g)]
      .filter((match) => isBroken(text, match)).map(([word]) => word));`;

function messageOf({ text, exception }: Params): string {
  return exception?.description ?? text;
}

/** Elements whose words must not be broken between two lines. */
export const words = "h1, h2, h3, button, .button, summary, .steps li";

/** Keys that are no characters, and characters that do more. */
export const keys = {
  tab: { key: "Tab", code: "Tab", windowsVirtualKeyCode: 9 },
  enter: { key: "Enter", code: "Enter", windowsVirtualKeyCode: 13, text: "\r" },
  space: { key: " ", code: "Space", windowsVirtualKeyCode: 32, text: " " },
  escape: { key: "Escape", code: "Escape", windowsVirtualKeyCode: 27 },
  down: { key: "ArrowDown", code: "ArrowDown", windowsVirtualKeyCode: 40 },
} as const;
