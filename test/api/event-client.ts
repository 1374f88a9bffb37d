/** A client of GET /api/events that hands the events on one by one, in either form. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import type { TestContext } from "node:test";
import { cleanUp, type Client } from "../helpers/forno.ts";

export interface StreamEvent {
  readonly id: string;
  readonly event: string;
  /** Any shape: a test says what it expects of it. */
  readonly data: any;
}

export interface StreamInit {
  readonly token?: string | undefined;
  readonly lastEventId?: string | undefined;
  readonly accept?: string;
  /** "?embed=names". */
  readonly query?: string;
}

export interface Stream {
  readonly status: number | undefined;
  readonly headers: ReadonlyMap<string, string | string[] | undefined>;
  /** The next event; waits for it. */
  next(): Promise<StreamEvent>;
  /** The next so many. */
  take(count: number): Promise<StreamEvent[]>;
  /** Resolves to the whole text when the server has ended the stream; rejects if it was cut. */
  ended(): Promise<string>;
  close(): void;
}

/** By node:http: fetch takes a cut stream for an ended one where the connection was to close. */
export async function openStream(
  t: TestContext,
  { origin }: Client,
  { token, lastEventId, accept, query = "" }: StreamInit = {},
): Promise<Stream> {
  const headers = {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(lastEventId !== undefined && { "last-event-id": lastEventId }),
    ...(accept !== undefined && { accept }),
  };
  const sent = request(`${origin}/api/events${query}`, { headers, agent: false });
  cleanUp(t, () => sent.destroy());
  sent.end();
  const [response]: IncomingMessage[] = await once(sent, "response");
  assert.equal(response?.statusCode, 200);
  return new Reading(response, () => sent.destroy());
}

class Reading implements Stream {
  readonly status: number | undefined;
  readonly headers: Stream["headers"];
  readonly close: () => void;
  readonly #pieces: AsyncIterator<string>;
  readonly #parse: (block: string) => StreamEvent | undefined;
  readonly #separator: string;
  #text = "";
  #rest = "";
  readonly #events: StreamEvent[] = [];

  constructor(response: IncomingMessage, close: () => void) {
    this.status = response.statusCode;
    this.headers = new Map(Object.entries(response.headers));
    this.close = close;
    response.on("error", () => {}); // A test that closes a stream reads no more of it.
    this.#pieces = response.setEncoding("utf8")[Symbol.asyncIterator]();
    const isLines = response.headers["content-type"] === "application/x-ndjson";
    this.#parse = isLines ? parseLine : parseBlock;
    this.#separator = isLines ? "\n" : "\n\n";
  }

  async next(): Promise<StreamEvent> {
    while (this.#events.length === 0) {
      if (!(await this.#read())) assert.fail(`the stream ended: ${this.#text}`);
    }
    return this.#events.shift() ?? assert.fail("there was one");
  }

  async take(count: number): Promise<StreamEvent[]> {
    const events: StreamEvent[] = [];
    while (events.length < count) events.push(await this.next());
    return events;
  }

  async ended(): Promise<string> {
    while (await this.#read()) { /* To the end. */ }
    return this.#text;
  }

  async #read(): Promise<boolean> {
    const { done, value = "" } = await this.#pieces.next();
    this.#text += value;
    const blocks = (this.#rest + value).split(this.#separator);
    this.#rest = blocks.pop() ?? "";
    this.#events.push(...blocks.flatMap((block) => this.#parse(block) ?? []));
    return done !== true;
  }
}

function parseLine(line: string): StreamEvent | undefined {
  return line === "" ? undefined : JSON.parse(line);
}

/** Undefined for what is no event: a comment, a hint. */
function parseBlock(block: string): StreamEvent | undefined {
  const fields = new Map(block.split("\n").map((line) => {
    const [name = "", ...value] = line.split(": ");
    return [name, value.join(": ")];
  }));
  const [id, event, data] = [fields.get("id"), fields.get("event"), fields.get("data")];
  if (id === undefined || event === undefined || data === undefined) return undefined;
  return { id, event, data: JSON.parse(data) };
}
