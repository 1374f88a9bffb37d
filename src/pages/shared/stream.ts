/**
 * The live changes (contract part 6), read with fetch because EventSource cannot send a token.
 * Connects again by itself and resumes after the last event. A silent stream is probed, so that a
 * pulled cable is noticed within seconds.
 */

import { authorized, noteServerTime, serverNow } from "./api.ts";
import { endSession, session, token } from "./session.ts";

export interface Change {
  /** "orders.updated". */
  readonly event: string;
  /** The resource, with names in orders; only the id of a deleted one. */
  readonly data: unknown;
}

interface Follower {
  /** Reads everything and makes it the state: at the start, and after changes may be missing. */
  load(): Promise<void>;
  apply(changes: readonly Change[]): void;
  /** The stream is open again, and nothing is missed. */
  found(): void;
  /** It is lost, and connects again by itself. `heardAt`: its last sign of life, by `serverNow`. */
  lost(heardAt: number): void;
  /** How long a silent stream is trusted before the server is asked. */
  readonly quietMs: number;
  /** How long the server may take to answer then. */
  readonly answerWithinMs: number;
}

/** Heartbeats come every 15 s: after this the stream is dead even if the server answers. */
const deadAfterMs = 20_000;
const longestPauseMs = 4000;
/** Why a working stream is closed: another person may see other orders. */
const otherSession = "other session";

/** Follows for as long as the page lives. */
export async function follow(follower: Follower): Promise<never> {
  const { load, apply, found, lost } = follower;
  // The page came with the number of the last change before it. So the first load runs while the
  // stream opens, and the stream repeats what the load may have been too early for.
  let position = document.documentElement.dataset["upTo"];
  let loaded = load().then(() => true, () => false);
  let heardAt = serverNow();
  for (let failures = 0; ; failures += 1) {
    const connection = new AbortController();
    const { signal } = connection;
    const heard = watch(connection, follower);
    try {
      const body = await open(position, signal);
      if (!(await unlessAborted(signal, loaded))) await unlessAborted(signal, load());
      loaded = Promise.resolve(true);
      heardAt = heard();
      if (failures > 0) found();
      failures = 0;
      for await (const lines of linesOf(body)) {
        heardAt = heard();
        const changes = lines.map((line) => JSON.parse(line) as Change & { readonly id?: string });
        if (changes.some(({ event }) => event === "reset")) await unlessAborted(signal, load());
        else if (changes.length > 0) apply(changes);
        position = changes.at(-1)?.id ?? position;
      }
    } catch {
      // Server stopped, network gone, an answer that is no stream: all cured by trying again.
    }
    connection.abort();
    const isOther = signal.reason === otherSession;
    if (isOther) position = undefined;
    // Without a place to resume from, changes are missed until the stream is open again.
    if (position === undefined) loaded = Promise.resolve(false);
    if (isOther) continue;
    lost(heardAt);
    await onlineOrAfter(Math.min(500 * 2 ** failures, longestPauseMs));
  }
}

type Body = ReadableStream<Uint8Array<ArrayBuffer>>;

async function open(position: string | undefined, signal: AbortSignal): Promise<Body> {
  const carried = token();
  const headers = authorized();
  headers.set("accept", "application/x-ndjson");
  if (position !== undefined) headers.set("last-event-id", position);
  const url = "api/events";
  const response = await fetch(url, { headers, signal, cache: "no-store" });
  noteServerTime(response);
  const { status, body } = response;
  if (status === 401 && endSession(carried, response)) return open(position, signal);
  if (status !== 200 || body === null) throw new Error(`events: ${status}`);
  return body;
}

/** The lines that arrived together. */
async function* linesOf(body: Body): AsyncGenerator<readonly string[]> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = ""; ;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop() ?? "";
    yield lines.filter((line) => line.trim() !== "");
  }
}

/** Rejects when the connection is given up: `work` will not end then either. */
function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => { reject(signal.reason); });
  });
  return Promise.race([work, aborted]);
}

/** Ends early when the device is online again. */
export function onlineOrAfter(milliseconds: number): Promise<unknown> {
  const over = AbortSignal.timeout(milliseconds);
  return new Promise((resolve) => {
    over.addEventListener("abort", resolve);
    addEventListener("online", resolve, { signal: over });
  });
}

/**
 * Aborts the connection when the server does not answer, the device is offline, or somebody else
 * has signed in. The result is called with each sign of life, and answers when that was.
 */
function watch(
  connection: AbortController, { quietMs, answerWithinMs }: Follower,
): () => number {
  const { signal } = connection;
  const stop = (): void => { connection.abort(); };
  // By a clock that nobody sets.
  const at = { heard: performance.now(), answered: performance.now() };
  const timer = setInterval(() => {
    const now = performance.now();
    if (now - at.heard > deadAfterMs) return stop();
    if (now - Math.max(at.heard, at.answered) <= quietMs) return;
    // Counts as answered until it is known not to be: one probe at a time.
    at.answered = now + answerWithinMs;
    fetch("healthz", { cache: "no-store", signal: AbortSignal.timeout(answerWithinMs) })
      .then((response) => {
        at.answered = performance.now();
        noteServerTime(response);
      }, stop);
  }, 250);
  signal.addEventListener("abort", () => { clearInterval(timer); });
  addEventListener("offline", stop, { signal });
  session.addEventListener("change", () => { connection.abort(otherSession); }, { signal });
  return () => {
    at.heard = performance.now();
    return serverNow();
  };
}
