/** A client of GET /api/events that hands the events on one by one, in either form. */

import assert from "node:assert/strict";
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
  readonly response: Response;
  /** The next event; waits for it. */
  next(): Promise<StreamEvent>;
  /** The next so many. */
  take(count: number): Promise<StreamEvent[]>;
  /** Resolves to the whole text, when the server has ended the stream. */
  ended(): Promise<string>;
  close(): void;
}

export async function openStream(
  t: TestContext,
  forno: Client,
  { token, lastEventId, accept, query = "" }: StreamInit = {},
): Promise<Stream> {
  const abort = new AbortController();
  cleanUp(t, () => abort.abort());
  const headers = new Headers();
  if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
  if (lastEventId !== undefined) headers.set("last-event-id", lastEventId);
  if (accept !== undefined) headers.set("accept", accept);
  const { signal } = abort;
  const response = await fetch(`${forno.origin}/api/events${query}`, { headers, signal });
  assert.equal(response.status, 200);
  return new Reading(response, abort);
}

class Reading implements Stream {
  readonly response: Response;
  readonly #abort: AbortController;
  readonly #reader: ReadableStreamDefaultReader<string>;
  readonly #parse: (block: string) => StreamEvent | undefined;
  readonly #separator: string;
  #text = "";
  #rest = "";
  readonly #events: StreamEvent[] = [];

  constructor(response: Response, abort: AbortController) {
    this.response = response;
    this.#abort = abort;
    const body = response.body ?? assert.fail("a stream has a body");
    this.#reader = body.pipeThrough(new TextDecoderStream()).getReader();
    const isLines = response.headers.get("content-type") === "application/x-ndjson";
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

  close(): void {
    this.#abort.abort();
  }

  async #read(): Promise<boolean> {
    const { done, value = "" } = await this.#reader.read();
    this.#text += value;
    const blocks = (this.#rest + value).split(this.#separator);
    this.#rest = blocks.pop() ?? "";
    this.#events.push(...blocks.flatMap((block) => this.#parse(block) ?? []));
    return !done;
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
