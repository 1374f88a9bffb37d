/**
 * GET /api/events (contract part 6): every durable change, live, to any number of streams: to a
 * fixed number of them in each turn of the event loop, so that nobody waits for the others.
 *
 * A stream knows how far it has got, and is given the next piece (event-text.ts) when its client
 * has taken the last one: one that does not read costs no more than a piece, and is dropped when
 * too much comes meanwhile. It can resume where it was.
 */

import {
  type Audience,
  audienceOf,
  type Caller,
  expiresAt,
  type OrderReads,
} from "../auth/access.ts";
import { headLine, type Live, noCache, type Outlet, type Reply } from "../http/reply.ts";
import type { Operation, Request, Route } from "../http/route.ts";
import { inTurn, turn } from "../http/turns.ts";
import type { Metrics } from "../metrics.ts";
import type { Changes } from "../store/changes.ts";
import {
  type EventFormat,
  EventPieces,
  formatFor,
  jsonLines,
  serverSentEvents,
} from "./event-text.ts";

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
/** Below a millisecond, most of it for the system calls. */
const streamsPerTurn = 16;

/** GET /api/events: all streams. */
export class Events {
  readonly #options: EventsOptions;
  readonly #now: () => number;
  readonly #pieces: EventPieces;
  readonly #streams = new Set<EventStream>();
  /** Whether streams are being told of changes, and whether there have been others since. */
  #isSending = false;
  #hasMore = false;
  #isClosed = false;
  #heartbeat: NodeJS.Timeout | undefined;

  constructor(options: EventsOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#pieces = new EventPieces(options.changes);
    options.changes.follow(() => this.#wake());
  }

  get routes(): readonly Route[] {
    const handle: Route["handle"] = (request) => this.#reply(request);
    return [{ method: "GET", path: "/api/events", rule: "anyone", handle, operation }];
  }

  /** Sends what there is, ends every stream, and every later one at once. Idempotent. */
  closeAll(): void {
    this.#isClosed = true;
    for (const stream of this.#streams) {
      stream.goOn();
      stream.end();
    }
  }

  #reply(request: Request): Reply {
    return {
      status: 200,
      type: formatFor(request.fields.accept).contentType,
      head: noCache + headLine("X-Accel-Buffering", "no"),
      vary: this.#options.orderReads === "public" ? "Accept" : "Accept, Authorization",
      // At its end there is nothing that the connection could be kept for.
      closes: true,
      body: this.#answerTo(request),
    };
  }

  #answerTo({ fields, caller }: Request): Live {
    const options = {
      format: formatFor(fields.accept),
      audience: audienceOf(caller, this.#options.orderReads),
      resumeAfter: parseEventId(fields.lastEventId),
      isExpired: this.#expiryOf(caller),
    };
    return (outlet) => this.#open(options, outlet);
  }

  #expiryOf(caller: Caller): () => boolean {
    const end = expiresAt(caller);
    return () => this.#now() >= end;
  }

  #open(options: StreamOptions, outlet: Outlet): void {
    if (this.#isClosed) return outlet.end();
    const stream = new EventStream(options, this.#pieces, outlet);
    this.#streams.add(stream);
    this.#options.metrics.eventStreams = this.#streams.size;
    this.#heartbeat ??= setInterval(
      () => void this.#each((one) => one.beat()),
      this.#options.heartbeatMs ?? defaultHeartbeatMs,
    ).unref();
    outlet.onClose(() => this.#forget(stream));
    stream.goOn();
  }

  #forget(stream: EventStream): void {
    this.#streams.delete(stream);
    this.#options.metrics.eventStreams = this.#streams.size;
    if (this.#streams.size > 0) return;
    clearInterval(this.#heartbeat);
    this.#heartbeat = undefined;
  }

  #wake(): void {
    this.#hasMore = true;
    if (this.#isSending || this.#streams.size === 0) return;
    this.#isSending = true;
    void this.#send();
  }

  async #send(): Promise<void> {
    while (this.#hasMore) {
      // A turn later, so that the changes of one batch go out together.
      await turn();
      this.#hasMore = false;
      await this.#each((stream) => stream.goOn());
    }
    this.#isSending = false;
  }

  /** A fixed number of them in each turn: those that are open now. */
  async #each(act: (stream: EventStream) => void): Promise<void> {
    let count = 0;
    for (const stream of [...this.#streams]) {
      count += 1;
      if (count % streamsPerTurn === 0) await turn();
      act(stream);
    }
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
    "names `application/x-ndjson` alone. Events are `orders.created`, `orders.updated`, " +
    "`orders.deleted` and the same for the menu's kinds, and `shop.updated`; `data` is the " +
    "resource, of a deleted one its `id`. `reset` says that what came in between is no longer " +
    "known: read everything again. A heartbeat, a comment or an empty line, comes every 15 s. A " +
    "caller that may not read an order does not get its events.",
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

export interface StreamOptions {
  readonly format: EventFormat;
  readonly audience: Audience;
  /** The client's Last-Event-ID, -1 when it is none of ours; undefined for a new client. */
  readonly resumeAfter: number | undefined;
  /** Whether the client's token is no longer accepted. */
  readonly isExpired: () => boolean;
}

/** Changes that may come while a client does not take what it was given. */
const untakenLimit = 500;

/** One client that is connected. */
export class EventStream {
  readonly #options: StreamOptions;
  readonly #pieces: EventPieces;
  readonly #outlet: Outlet;
  /** Every change up to this one has been sent, where its audience may see it. */
  #position: number;
  /** Whether it goes on by itself, when its client has read or others have had their turn. */
  #isWaiting = false;
  /** The last change when it was given a piece that its client has not taken yet. */
  #untakenAt = Infinity;
  #isClosed = false;

  constructor(options: StreamOptions, pieces: EventPieces, outlet: Outlet) {
    this.#options = options;
    this.#pieces = pieces;
    this.#outlet = outlet;
    outlet.onClose(() => (this.#isClosed = true));
    const { format, resumeAfter } = options;
    this.#position = resumeAfter ?? pieces.last;
    const opening = format.opening(resumeAfter === undefined ? pieces.last : undefined);
    if (opening !== "") outlet.write(opening);
  }

  /** Sends the next piece, if there is one and the client takes it; the rest in turns to come. */
  goOn(): void {
    if (this.#isClosed) return;
    if (this.#isWaiting) {
      if (this.#pieces.last - this.#untakenAt > untakenLimit) this.#outlet.drop();
      return;
    }
    const { format, audience, isExpired } = this.#options;
    if (isExpired()) return this.end();
    const piece = this.#pieces.after(this.#position, format, audience);
    if (piece === undefined) return;
    this.#position = piece.last;
    const isTaken = piece.bytes.length === 0 || this.#outlet.write(piece.bytes);
    if (isTaken && this.#position === this.#pieces.last) return;
    this.#isWaiting = true;
    if (isTaken) return this.#goOnLater();
    this.#untakenAt = this.#pieces.last;
    this.#outlet.onDrain(() => this.#goOnLater());
  }

  #goOnLater(): void {
    this.#untakenAt = Infinity;
    inTurn(() => {
      this.#isWaiting = false;
      this.goOn();
    });
  }

  /** A heartbeat, or the end when the token has expired. */
  beat(): void {
    if (this.#isClosed) return;
    if (this.#options.isExpired()) this.end();
    // Something is on its way already; without more, the socket's timeout ends a stuck one.
    else if (this.#outlet.waitingBytes === 0) this.#outlet.write(this.#options.format.heartbeat);
  }

  end(): void {
    this.#outlet.end();
  }
}
