/**
 * The live changes (contract part 6), read with fetch because EventSource cannot send a token.
 * Connects again by itself and resumes after the last event. A silent stream is probed, so that a
 * pulled cable is noticed within seconds.
 */

import { authorized } from "./api.ts";
import { dropToken, session, token } from "./session.ts";

export interface Change {
  /** "orders.updated". */
  readonly event: string;
  /** The resource, with names in orders; only the id of a deleted one. */
  readonly data: unknown;
}

export interface Follower {
  /** Reads everything and makes it the state: at the start, and after changes may be missing. */
  load(): Promise<void>;
  apply(changes: readonly Change[]): void;
  /** Called with each sign of life. */
  alive(): void;
  /** The stream is lost; it connects again by itself. */
  lost(): void;
  /** How long a silent stream is trusted before the server is asked. */
  readonly quietMs: number;
}

const probeWithinMs = 4000;
/** Heartbeats come every 15 s: after this the stream is dead even if the server answers. */
const deadAfterMs = 20_000;
const longestPauseMs = 4000;
/** Why a working stream is closed: another person may see other orders. */
const otherSession = "other session";

/** Follows for as long as the page lives. */
export async function follow(follower: Follower): Promise<never> {
  // The page came with the number of the last change before it. So the first load runs while the
  // stream opens, and the stream repeats what the load may have been too early for.
  const seen = { id: document.documentElement.dataset["upTo"], isLoaded: false };
  const first = follower.load().then(() => true, () => false);
  for (let failures = 0; ; failures += 1) {
    const watch = new Watch(follower);
    try {
      const body = await open(seen.id, watch.signal);
      seen.isLoaded ||= await watch.orAbort(first) && seen.id !== undefined;
      if (!seen.isLoaded) await watch.orAbort(follower.load());
      seen.isLoaded = true;
      failures = 0;
      watch.heard();
      for await (const lines of linesOf(body, watch)) {
        const changes = lines.map((line) => JSON.parse(line) as Change & { readonly id?: string });
        if (changes.some(({ event }) => event === "reset")) await watch.orAbort(follower.load());
        else if (changes.length > 0) follower.apply(changes);
        seen.id = changes.at(-1)?.id ?? seen.id;
      }
    } catch {
      // Server stopped, network gone, an answer that is no stream: all cured by trying again.
    }
    watch.stop();
    if (watch.signal.reason === otherSession) {
      Object.assign(seen, { id: undefined, isLoaded: false });
      continue;
    }
    // Without a place to resume from, changes are missed until the stream is open again.
    if (seen.id === undefined) seen.isLoaded = false;
    follower.lost();
    await onlineOrAfter(Math.min(500 * 2 ** failures, longestPauseMs));
  }
}

async function open(lastEventId: string | undefined, signal: AbortSignal): Promise<Body> {
  const carried = token();
  const headers = authorized();
  headers.set("accept", "application/x-ndjson");
  if (lastEventId !== undefined) headers.set("last-event-id", lastEventId);
  const url = "api/events?embed=names";
  const { status, body } = await fetch(url, { headers, signal, cache: "no-store" });
  if (status === 401 && dropToken(carried)) return open(lastEventId, signal);
  if (status !== 200 || body === null) throw new Error(`events: ${status}`);
  return body;
}

type Body = ReadableStream<Uint8Array<ArrayBuffer>>;

/** The lines that arrived together. */
async function* linesOf(body: Body, watch: Watch): AsyncGenerator<readonly string[]> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = ""; ;) {
    const { done, value } = await reader.read();
    if (done) return;
    watch.heard();
    const lines = (rest + value).split("\n");
    rest = lines.pop() ?? "";
    yield lines.filter((line) => line.trim() !== "");
  }
}

/** Ends early when the device is online again. */
async function onlineOrAfter(milliseconds: number): Promise<void> {
  const over = new AbortController();
  await new Promise<void>((resolve) => {
    setTimeout(resolve, milliseconds);
    addEventListener("online", () => { resolve(); }, { signal: over.signal });
  });
  over.abort();
}

/** Watches one connection: its signal aborts when the server no longer answers. */
class Watch {
  readonly #follower: Follower;
  readonly #abort = new AbortController();
  #heardAt = Date.now();
  #answeredAt = Date.now();

  constructor(follower: Follower) {
    this.#follower = follower;
    const { signal } = this;
    const timer = setInterval(() => { this.#look(); }, 1000);
    signal.addEventListener("abort", () => { clearInterval(timer); });
    addEventListener("offline", () => { this.stop(); }, { signal });
    session.addEventListener("change", () => { this.#abort.abort(otherSession); }, { signal });
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  stop(): void {
    this.#abort.abort();
  }

  heard(): void {
    this.#heardAt = Date.now();
    this.#follower.alive();
  }

  /** Rejects when the connection is given up: `work` will not end then either. */
  async orAbort<T>(work: Promise<T>): Promise<T> {
    const over = new AbortController();
    const loss = new Promise<never>((_, reject) => {
      this.signal.addEventListener("abort", reject, { signal: over.signal });
    });
    return Promise.race([work, loss]).finally(() => { over.abort(); });
  }

  #look(): void {
    const now = Date.now();
    if (now - this.#heardAt > deadAfterMs) return this.stop();
    if (now - Math.max(this.#heardAt, this.#answeredAt) <= this.#follower.quietMs) return;
    // Counts as answered until it is known not to be: one probe at a time.
    this.#answeredAt = now + probeWithinMs;
    fetch("healthz", { cache: "no-store", signal: AbortSignal.timeout(probeWithinMs) })
      .then(() => { this.#answeredAt = Date.now(); }, () => { this.stop(); });
  }
}
