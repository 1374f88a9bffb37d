/**
 * The live changes (contract part 6), read with fetch because EventSource can send no token, and
 * the bar that says when they are lost. Connects again by itself and resumes after the last event
 * it saw. A stream that has gone silent is probed, so that a cable pulled out is noticed within
 * seconds and not by the heartbeat's absence.
 */

import { authorized, dropToken, session } from "./api.ts";
import { part, pause, setText } from "./dom.ts";
import { t } from "./words.ts";

export interface Change {
  /** "orders.updated". */
  readonly event: string;
  /** What it became; of what was deleted the id alone. The shop has none. */
  readonly data: { readonly id: string };
}

const probeWithinMs = 4000;
/** Heartbeats come every 15 s: past this the stream is dead although the server answers. */
const deadAfterMs = 20_000;
const longestPauseMs = 4000;
/** Why a working stream is closed: what it may tell depends on who is signed in. */
const otherSession = "other session";

/**
 * Follows for as long as the page lives, and shows the connection bar while it cannot. `load` reads
 * everything: once at the beginning, and again where changes may have been missed; `changed` is
 * told every change since. `quietMs`: how long a silent stream is trusted before the server is
 * asked.
 */
export async function follow(
  load: () => Promise<unknown>, changed: (change: Change) => Promise<unknown>, quietMs: number,
): Promise<never> {
  // The page came with the number of the last change before it. So everything is read while the
  // stream is being opened, and the stream tells what that reading may have been too early for.
  let lastEventId = document.documentElement.dataset["upTo"];
  let loaded = load().then(() => true, () => false);
  for (let failures = 0; ; failures += 1) {
    const watch = watchFor(quietMs);
    const { signal } = watch;
    try {
      const body = await open(lastEventId, signal);
      if (!(await whileAlive(loaded, signal))) {
        await whileAlive(load(), signal);
        loaded = Promise.resolve(true);
      }
      failures = 0;
      streamAlive();
      for await (const line of lines(body)) {
        const { id, event, data } = JSON.parse(line) as Change & { readonly id?: string };
        if (event === "reset") await whileAlive(load(), signal);
        else await whileAlive(changed({ event, data }), signal);
        // Only now: what failed above comes again.
        lastEventId = id ?? lastEventId;
      }
    } catch {
      // Server stopped, network gone, an answer that is no stream: all cured by trying again.
    }
    watch.abort();
    if (signal.reason === otherSession) {
      // Someone newly signed in, or no longer so, may see other orders: all is read again, once
      // the stream that tells of them is open.
      lastEventId = undefined;
      loaded = Promise.resolve(false);
      continue;
    }
    streamLost();
    await Promise.race([pause(Math.min(500 * 2 ** failures, longestPauseMs)), backOnline()]);
  }
}

async function open(lastEventId: string | undefined, signal: AbortSignal): Promise<Body> {
  const headers = authorized();
  headers.set("accept", "application/x-ndjson");
  if (lastEventId !== undefined) headers.set("last-event-id", lastEventId);
  const { status, body } = await fetch("api/events", { headers, signal, cache: "no-store" });
  if (status === 401 && dropToken()) return open(lastEventId, signal);
  if (status !== 200 || body === null) throw new Error(`events: ${status}`);
  return body;
}

type Body = ReadableStream<Uint8Array<ArrayBuffer>>;

async function* lines(body: Body): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    streamAlive();
    const parts = (rest + value).split("\n");
    rest = parts.pop() ?? "";
    yield* parts.filter((line) => line.trim() !== "");
  }
}

/** Rejects when the stream is given up: what is being read for it will not come either. */
async function whileAlive<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const over = new AbortController();
  const loss = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", reject, { signal: over.signal });
  });
  // A stream may live for weeks: nothing of each change is kept.
  return Promise.race([work, loss]).finally(() => { over.abort(); });
}

function backOnline(): Promise<void> {
  return new Promise((resolve) => {
    addEventListener("online", () => { resolve(); }, { once: true });
  });
}

/** Aborts when the server no longer answers, or the stream alone has died. */
function watchFor(quietMs: number): AbortController {
  const watch = new AbortController();
  const { signal } = watch;
  const begunAt = Date.now();
  let answeredAt = begunAt;
  const stop = () => { watch.abort(); };
  const probe = () => {
    // Counts as answered until it is known not to be: one probe at a time.
    answeredAt = Date.now() + probeWithinMs;
    fetch("healthz", { cache: "no-store", signal: AbortSignal.timeout(probeWithinMs) })
      .then(() => { answeredAt = Date.now(); }, stop);
  };
  const timer = setInterval(() => {
    const now = Date.now();
    if (now - Math.max(aliveAt, begunAt) > deadAfterMs) stop();
    else if (now - Math.max(aliveAt, answeredAt) > quietMs) probe();
  }, 1000);
  signal.addEventListener("abort", () => { clearInterval(timer); });
  addEventListener("offline", stop, { signal });
  session.addEventListener("change", () => { watch.abort(otherSession); }, { signal });
  return watch;
}

const bar = part("offline");
let aliveAt = Date.now();
setInterval(showAge, 1000);

/** What is shown is up to date, as of now. */
function streamAlive(): void {
  aliveAt = Date.now();
  if (bar.hidden) return;
  bar.hidden = true;
  setText(part("offline-alert"), "");
}

function streamLost(): void {
  if (!bar.hidden) return;
  showAge();
  bar.hidden = false;
  // The announcement is set once; the age beside it ticks outside the live region.
  setText(part("offline-alert"), t("Connection lost. Trying again by itself."));
}

function showAge(): void {
  const seconds = Math.round((Date.now() - aliveAt) / 1000);
  setText(part("offline-age"), seconds < 120 ? t("Last update {seconds} s ago", { seconds })
    : t("Last update {minutes} min ago", { minutes: Math.round(seconds / 60) }));
}
