/**
 * GET /api/events (contract part 6): every durable change, live, to any number of streams: to a
 * fixed number of them in each turn of the event loop, so that nobody waits for the others.
 *
 * A stream knows how far it has got, and is given the next piece (event-text.ts) when its client
 * has taken the last one: one that does not read costs no more than a piece, and is dropped when
 * too much comes meanwhile. It can resume where it was.
 */

import type { Writable } from "node:stream";
import { type Audience, audienceOf, expiresAt, type OrderReads } from "../auth/access.ts";
import { type Answer, noCache } from "../http/answer.ts";
import type { Request } from "../http/request.ts";
import type { Operation, Route } from "../http/route.ts";
import { inTurn, turn } from "../http/turns.ts";
import type { Metrics } from "../http/metrics.ts";
import type { Changes } from "../store/changes.ts";
import { embed } from "./list-query.ts";
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
  readonly #pieces: EventPieces;
  readonly #streams = new Set<EventStream>();
  /** Whether streams are being told of changes, and whether there have been others since. */
  #isSending = false;
  #hasMore = false;
  #isClosed = false;

  constructor(options: EventsOptions) {
    this.#options = options;
    this.#pieces = new EventPieces(options.changes);
    options.changes.follow(() => this.#wake());
  }

  get routes(): readonly Route[] {
    const handle: Route["handle"] = (request) => this.#reply(request);
    const path = "/api/events";
    return [{ method: "GET", path, rule: "anyone", query: [embed], handle, operation }];
  }

  /** Sends what there is, ends every stream, and every later one at once. Idempotent. */
  closeAll(): void {
    this.#isClosed = true;
    for (const stream of this.#streams) {
      stream.goOn();
      stream.end();
    }
  }

  #reply({ query, headers, caller }: Request): Answer {
    const { orderReads, heartbeatMs = defaultHeartbeatMs, now = Date.now } = this.#options;
    const format = formatFor(headers.accept);
    const end = expiresAt(caller);
    const options = {
      format,
      withNames: query.get(embed) ?? false,
      audience: audienceOf(caller, orderReads),
      resumeAfter: parseEventId(headers["last-event-id"]),
      isExpired: () => now() >= end,
      heartbeatMs,
    };
    return {
      status: 200,
      headers: ["Content-Type", format.contentType, ...noCache, "X-Accel-Buffering", "no"],
      vary: orderReads === "public" ? "Accept" : "Accept, Authorization",
      // At its end there is nothing that the connection could be kept for.
      closes: true,
      body: (answer) => this.#open(options, answer),
    };
  }

  #open(options: StreamOptions, answer: Writable): void {
    if (this.#isClosed) return void answer.end();
    const stream = new EventStream(options, this.#pieces, answer);
    this.#streams.add(stream);
    this.#options.metrics.eventStreams = this.#streams.size;
    answer.once("close", () => {
      this.#streams.delete(stream);
      this.#options.metrics.eventStreams = this.#streams.size;
    });
    stream.goOn();
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
      let count = 0;
      // Those that are open now.
      for (const stream of [...this.#streams]) {
        count += 1;
        if (count % streamsPerTurn === 0) await turn();
        stream.goOn();
      }
    }
    this.#isSending = false;
  }
}

/** -1 for a text that is none of our ids. */
function parseEventId(text: unknown): number | undefined {
  if (text === undefined || text === "") return undefined;
  return typeof text === "string" && /^\d{1,15}$/.test(text) ? Number(text) : -1;
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
  success: {
    description: "Events, as they happen.",
    content: Object.fromEntries(
      [serverSentEvents, jsonLines].map((format) => [
        format.contentType,
        { type: "string", examples: [format.event(28, "orders.created", order)] },
      ]),
    ),
  },
};

interface StreamOptions {
  readonly format: EventFormat;
  /** Whether orders come with the names of what they refer to. */
  readonly withNames: boolean;
  readonly audience: Audience;
  /** The client's Last-Event-ID, -1 when it is none of ours; undefined for a new client. */
  readonly resumeAfter: number | undefined;
  /** Whether the client's token is no longer accepted. */
  readonly isExpired: () => boolean;
  readonly heartbeatMs: number;
}

/** Changes that may come while a client does not take what it was given. */
const untakenLimit = 500;

/** One client that is connected. */
class EventStream {
  readonly #options: StreamOptions;
  readonly #pieces: EventPieces;
  readonly #answer: Writable;
  /** Every change up to this one has been sent, where its audience may see it. */
  #position: number;
  /** Whether it goes on by itself, when its client has read or others have had their turn. */
  #isWaiting = false;
  /** The last change when it was given a piece that its client has not taken yet. */
  #untakenAt = Infinity;

  constructor(options: StreamOptions, pieces: EventPieces, answer: Writable) {
    this.#options = options;
    this.#pieces = pieces;
    this.#answer = answer;
    const { format, resumeAfter, heartbeatMs } = options;
    // Of many streams the timers fall together with time: node calls those that are late at once.
    const heartbeat = setInterval(() => inTurn(() => this.#beat()), heartbeatMs).unref();
    answer.once("close", () => clearInterval(heartbeat));
    this.#position = resumeAfter ?? pieces.last;
    const opening = format.opening(resumeAfter === undefined ? pieces.last : undefined);
    if (opening !== "") answer.write(opening);
  }

  /** Sends the next piece, if there is one and the client takes it; the rest in turns to come. */
  goOn(): void {
    if (this.#isWaiting) {
      if (this.#pieces.last - this.#untakenAt > untakenLimit) this.#answer.destroy();
      return;
    }
    if (this.#isOver()) return;
    const { format, audience, withNames } = this.#options;
    const piece = this.#pieces.after(this.#position, format, audience, withNames);
    if (piece === undefined) return;
    this.#position = piece.last;
    const isTaken = piece.bytes.length === 0 || this.#answer.write(piece.bytes);
    if (isTaken && this.#position === this.#pieces.last) return;
    this.#isWaiting = true;
    if (isTaken) return this.#goOnLater();
    this.#untakenAt = this.#pieces.last;
    this.#answer.once("drain", () => this.#goOnLater());
  }

  #goOnLater(): void {
    this.#untakenAt = Infinity;
    inTurn(() => {
      this.#isWaiting = false;
      this.goOn();
    });
  }

  #beat(): void {
    // Something is on its way already; without more, the socket's timeout ends a stuck one.
    if (this.#isOver() || this.#answer.writableLength > 0) return;
    this.#answer.write(this.#options.format.heartbeat);
  }

  /** Whether nothing may be sent any more. Ends it when its token has expired. */
  #isOver(): boolean {
    if (this.#options.isExpired()) this.end();
    return this.#answer.writableEnded || this.#answer.destroyed;
  }

  end(): void {
    this.#answer.end();
  }
}
