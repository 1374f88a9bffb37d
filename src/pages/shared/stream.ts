/**
 * The live changes (contract part 6), read with fetch because EventSource cannot send a token. The
 * page is connected while lines come, and reads what it shows anew once a minute. Where none come,
 * it reads that every few seconds and tries the stream again. Only where that is not answered
 * either, the connection is lost.
 */

import { Refusal, request, serverNow } from "./api.ts";
import { isSilent, session } from "./session.ts";
import type { Change } from "./types.ts";

interface Follower {
  /** Reads the orders that the page shows, and the menu if it is due, and makes them the state. */
  load(isMenuDue: boolean): Promise<void>;
  apply(changes: readonly Change[]): void;
  /** The shop has another history, such as an older backup: the page may know newer orders. */
  forget(): void;
  /** The shop has answered. */
  connected(): void;
  /** The connection is lost. `heardAt`: the shop's last sign of life, by `serverNow`. */
  lost(heardAt: number): void;
}

/** The first line comes at once, then a heartbeat every four seconds. */
const firstLineWithinMs = 3000;
const nextLineWithinMs = 6000;
const answerWithinMs = 3000;
const readEveryMs = 5000;
const readMenuEveryMs = 30_000;
/** Also while lines come: an answer may have been wrong. */
const readAnewEveryMs = 60_000;
const longestPauseMs = 30_000;

/** The state that outlives a sign-in. */
interface Heard {
  /** The number of the last change. */
  lastEventId: string | undefined;
  at: number;
}

/** Follows for as long as the page lives. */
export async function follow(follower: Follower): Promise<never> {
  // The page came with the number of the last change before it: the stream goes on from there, and
  // repeats what a load may have been too early for.
  const heard: Heard = { lastEventId: document.documentElement.dataset["upTo"], at: serverNow() };
  for (;;) {
    const signedIn = new AbortController();
    const changed = new Promise<void>((resolve) => {
      session.addEventListener("change", () => {
        signedIn.abort();
        resolve();
      }, { once: true });
    });
    await (isSilent() ? changed : followAs(signedIn.signal, follower, heard));
  }
}

/** Until another person is signed in, who may see other orders. */
async function followAs(signedIn: AbortSignal, follower: Follower, heard: Heard): Promise<void> {
  let isLoaded = false;
  let loadedAt = -Infinity;
  let menuReadAt = -Infinity;
  /** The earliest moments of the next try of the stream, and of the next read. */
  let [tryAt, readAt] = [-Infinity, -Infinity];
  let failures = 0;

  const lose = (): void => { if (!signedIn.aborted) follower.lost(heard.at); };

  const load = async (): Promise<void> => {
    const now = performance.now();
    if (now < readAt || isLoaded && document.hidden) return;
    const isMenuDue = now - menuReadAt >= readMenuEveryMs;
    const late = setTimeout(lose, answerWithinMs);
    try {
      await follower.load(isMenuDue);
      heard.at = serverNow();
      if (isMenuDue) menuReadAt = now;
      isLoaded = true;
      loadedAt = performance.now();
      follower.connected();
    } catch (fault) {
      const isAnswer = fault instanceof Refusal && fault.status < 500;
      if (isAnswer) readAt = now + fault.retryAfterSeconds * 1000;
      else lose();
    } finally {
      clearTimeout(late);
    }
  };

  /** Until the stream ends. `loaded`: the read under way. */
  const listen = async (loaded: Promise<void>): Promise<void> => {
    const startedAt = performance.now();
    let retryAfterMs = 0;
    try {
      for await (const lines of linesOf(heard.lastEventId, signedIn)) {
        // Whatever is being read is older than these lines.
        await loaded;
        if (!isLoaded || signedIn.aborted) break;
        heard.at = serverNow();
        follower.connected();
        const changes = lines.map((line) => JSON.parse(line) as Change & { readonly id?: string });
        heard.lastEventId = changes.at(-1)?.id ?? heard.lastEventId;
        if (changes.some(({ event }) => event === "reset")) {
          follower.forget();
          [isLoaded, menuReadAt] = [false, -Infinity];
          break;
        }
        if (changes.length > 0) follower.apply(changes);
        if (performance.now() - startedAt > nextLineWithinMs) failures = 0;
        if (performance.now() - loadedAt >= readAnewEveryMs) await load();
      }
    } catch (fault) {
      if (fault instanceof Refusal) retryAfterMs = fault.retryAfterSeconds * 1000;
      // Server stopped, network gone, an answer that is no stream: all cured by trying again.
    }
    const pauseMs = Math.min(1000 * 2 ** failures, longestPauseMs);
    tryAt = performance.now() + Math.max(pauseMs, retryAfterMs);
    failures += 1;
  };

  while (!signedIn.aborted) {
    const turnAt = performance.now();
    const loaded = load();
    if (turnAt >= tryAt) await listen(loaded);
    await loaded;
    const nextAt = Math.min(tryAt, Math.max(turnAt + readEveryMs, readAt));
    if (await onlineOrAfter(nextAt - performance.now(), signedIn)) tryAt = -Infinity;
  }
}

/** The lines that arrived together, from the change after `lastEventId` on. */
async function* linesOf(
  lastEventId: string | undefined, signedIn: AbortSignal,
): AsyncGenerator<readonly string[]> {
  const connection = new AbortController();
  const giveUp = (): void => { connection.abort(); };
  for (const [target, type] of [[signedIn, "abort"], [window, "offline"]] as const) {
    target.addEventListener(type, giveUp, { signal: connection.signal });
  }
  let timer = setTimeout(giveUp, firstLineWithinMs);
  try {
    const body = await open(lastEventId, connection.signal);
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = ""; ;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + value).split("\n");
      rest = lines.pop() ?? "";
      if (lines.length === 0) continue;
      clearTimeout(timer);
      yield lines.filter((line) => line.trim() !== "");
      timer = setTimeout(giveUp, nextLineWithinMs);
    }
  } finally {
    clearTimeout(timer);
    giveUp();
  }
}

async function open(
  lastEventId: string | undefined, signal: AbortSignal,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const type = "application/x-ndjson";
  const resume = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
  const headers = { accept: type, ...resume };
  const response = await request("api/events", { headers, signal, cache: "no-store" });
  if (!response.ok) throw new Refusal(response);
  const { body } = response;
  const isStream = response.headers.get("content-type")?.startsWith(type);
  if (isStream !== true || body === null) throw new Error("no answer of the service");
  return body;
}

/** Ends early, and resolves to true, when the device is online again or its owner looks at it. */
export function onlineOrAfter(milliseconds: number, signal?: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const over = new AbortController();
    const end = (isEarly: boolean): void => {
      over.abort();
      resolve(isEarly);
    };
    const timer = setTimeout(end, signal?.aborted === true ? 0 : milliseconds, false);
    over.signal.addEventListener("abort", () => { clearTimeout(timer); });
    signal?.addEventListener("abort", () => { end(false); }, { signal: over.signal });
    for (const [target, type] of [[window, "online"], [document, "visibilitychange"]] as const) {
      target.addEventListener(type, () => { end(true); }, { signal: over.signal });
    }
  });
}
