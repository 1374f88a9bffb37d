/**
 * GET /api/events (contract part 6): every durable change, live, to any number of streams.
 *
 * Changes go out in rounds, each in slices of streams with other work in between, and after a round
 * comes a pause of nine times as long: however many streams are open, they take a tenth of the
 * time, and writers the rest. With few streams a change goes out at once.
 */

import { setImmediate, setTimeout as pause } from "node:timers/promises";
import { audienceOf, type Caller, type OrderReads } from "../auth/access.ts";
import { leewaySeconds } from "../auth/claims.ts";
import { headLine } from "../http/head.ts";
import { type Live, noCache, type Outlet, type Reply } from "../http/reply.ts";
import type { Metrics } from "../metrics.ts";
import type { Change, Changes } from "../store/changes.ts";
import { jsonLines, preferredFormat, serverSentEvents } from "./event-format.ts";
import { Round } from "./event-round.ts";
import { EventStream, type Source, type StreamOptions } from "./event-stream.ts";
import type { Operation } from "../http/operation.ts";
import type { Request, Route } from "../http/route.ts";

export interface EventsOptions {
  readonly changes: Changes;
  readonly orderReads: OrderReads;
  readonly metrics: Metrics;
  readonly heartbeatMs?: number;
  /** Like Date.now. */
  readonly now?: () => number;
}

/** Proxies and clients give up on streams that are silent for longer. */
const defaultHeartbeatMs = 15_000;
/** How long requests wait for one slice; the number of streams in it follows from that. */
const sliceMostMs = 1;
const pausePerBusyMs = 9;

/** GET /api/events: all streams, and the rounds in which changes go out to them. */
export class Events implements Source {
  readonly changes: Changes;
  sentTo: number;
  readonly #options: EventsOptions;
  readonly #now: () => number;
  readonly #streams = new Set<EventStream>();
  /** Changes after `sentTo`. */
  #pending: Change[] = [];
  #isSending = false;
  #sliceLength = 1;
  #isClosed = false;
  #heartbeat: NodeJS.Timeout | undefined;

  constructor(options: EventsOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.changes = options.changes;
    this.sentTo = this.changes.last;
    this.changes.follow((change) => this.#take(change));
  }

  get routes(): readonly Route[] {
    const handle: Route["handle"] = (request) => this.#reply(request);
    return [{ method: "GET", path: "/api/events", rule: "anyone", handle, operation }];
  }

  /** Sends what is pending, ends every stream, and every later one at once. Idempotent. */
  closeAll(): void {
    this.#isClosed = true;
    const round = this.#nextRound();
    for (const stream of this.#streams) {
      stream.send(round);
      stream.end();
    }
  }

  #reply(request: Request): Reply {
    return {
      status: 200,
      type: preferredFormat(request.fields.accept).contentType,
      head: noCache + headLine("X-Accel-Buffering", "no"),
      vary: this.#options.orderReads === "public" ? "Accept" : "Accept, Authorization",
      // At its end there is nothing that the connection could be kept for.
      closes: true,
      body: this.#answerTo(request),
    };
  }

  #answerTo({ fields, caller }: Request): Live {
    const options = {
      format: preferredFormat(fields.accept),
      audience: audienceOf(caller, this.#options.orderReads),
      resumeAfter: parseEventId(fields.lastEventId),
      isExpired: this.#expiryOf(caller),
    };
    return (outlet) => this.#open(options, outlet);
  }

  #expiryOf(caller: Caller): () => boolean {
    if (caller === undefined) return () => false;
    // A token that would be accepted once more is no reason to end.
    const expiresAt = (caller.exp + leewaySeconds) * 1_000;
    return () => this.#now() >= expiresAt;
  }

  #open(options: StreamOptions, outlet: Outlet): void {
    if (this.#isClosed) return outlet.end();
    const stream = new EventStream(options, this, outlet);
    this.#streams.add(stream);
    this.#options.metrics.eventStreams = this.#streams.size;
    this.#heartbeat ??= setInterval(
      () => void this.#each((one) => one.beat()),
      this.#options.heartbeatMs ?? defaultHeartbeatMs,
    ).unref();
    outlet.onClose(() => this.#forget(stream));
  }

  #forget(stream: EventStream): void {
    this.#streams.delete(stream);
    this.#options.metrics.eventStreams = this.#streams.size;
    if (this.#streams.size > 0) return;
    clearInterval(this.#heartbeat);
    this.#heartbeat = undefined;
  }

  #take(change: Change): void {
    if (this.#streams.size === 0 && this.#pending.length === 0) {
      this.sentTo = change.seq;
      return;
    }
    this.#pending.push(change);
    if (this.#isSending) return;
    this.#isSending = true;
    void this.#sendRounds();
  }

  async #sendRounds(): Promise<void> {
    // A turn later, so that all changes of one batch share the round.
    await setImmediate();
    while (this.#pending.length > 0) {
      const round = this.#nextRound();
      const busyMs = await this.#each((stream) => stream.send(round));
      await pause(busyMs * pausePerBusyMs, undefined, { ref: false });
    }
    this.#isSending = false;
  }

  #nextRound(): Round {
    const changes = this.#pending;
    const from = this.sentTo;
    this.#pending = [];
    this.sentTo = changes.at(-1)?.seq ?? from;
    return new Round(changes, from, this.sentTo);
  }

  /** Resolves to the milliseconds that it took, without what was done in between. */
  async #each(act: (stream: EventStream) => void): Promise<number> {
    const streams = [...this.#streams];
    let busyMs = 0;
    for (let index = 0; index < streams.length; ) {
      const began = performance.now();
      const slice = streams.slice(index, (index += this.#sliceLength));
      for (const stream of slice) act(stream);
      // What was written goes to the sockets in ticks of node's own, which come before this one.
      await new Promise<void>((resolve) => process.nextTick(resolve));
      const sliceMs = performance.now() - began;
      busyMs += sliceMs;
      if (sliceMs > sliceMostMs) this.#sliceLength = Math.ceil(slice.length / 2);
      else if (slice.length === this.#sliceLength) this.#sliceLength += 1;
      await setImmediate();
    }
    return busyMs;
  }
}

/** -1 for a text that is none of our ids. */
function parseEventId(text: string | undefined): number | undefined {
  if (text === undefined || text === "") return undefined;
  return /^\d{1,15}$/.test(text) ? Number(text) : -1;
}

const order =
  '{"id":"tavolo-4","pizzaSize":{"id":"grande"},"toppings":[],"beverages":[],' +
  '"status":"Preparing","placedAt":"2026-01-31T18:00:00.000Z",' +
  '"updatedAt":"2026-01-31T18:00:00.000Z"}';

/** OpenAPI 3.1 has no words for what is in a stream: examples are. */
const operation: Operation = {
  id: "getEvents",
  tag: { name: "events", description: "Changes as they happen." },
  summary: "Follow every change",
  description:
    "A stream without an end: server-sent events, or one JSON object per line where `Accept` " +
    "prefers `application/x-ndjson`. Events are `orders.created`, `orders.updated`, " +
    "`orders.deleted` and the same for the menu's kinds, and `shop.updated`; `data` is the " +
    "resource, of a deleted one its `id`. `reset` says that what came in between is no longer " +
    "known: read everything again. A heartbeat, a comment or an empty line, comes every 15 s. A caller " +
    "that may not read an order does not get its events.",
  parameters: [
    {
      $component: "parameters/LastEventId",
      name: "Last-Event-ID",
      in: "header",
      description: "The id of the last event that the client has: the stream goes on after it.",
      schema: { type: "string" },
    },
  ],
  answers: {
    200: {
      description: "Events, as they happen.",
      headers: ["X-Accel-Buffering"],
      content: Object.fromEntries(
        [serverSentEvents, jsonLines].map((format) => [
          format.contentType,
          { type: "string", examples: [format.event(28, "orders.created", order)] },
        ]),
      ),
    },
  },
};
