/** Clients that read an answer bit by bit: slow readers, and those of GET /api/events. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import type { TestContext } from "node:test";
import { cleanUp, type Client } from "../helpers/forno.ts";

/** Reads the first bytes of an answer, as staff. The function reads on, and resolves to all. */
export async function beginRead(
  { origin, staff }: Client, path: string,
): Promise<() => Promise<Buffer>> {
  const { body } = await fetch(origin + path, { headers: { authorization: `Bearer ${staff}` } });
  const reader = body?.getReader() ?? assert.fail("no body");
  const pieces = [(await reader.read()).value ?? assert.fail("no bytes")];
  return async () => {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      pieces.push(next.value);
    }
    return Buffer.concat(pieces);
  };
}

/** An answer as far as it has come. */
interface Endless {
  readonly headers: ReadonlyMap<string, string>;
  /** Resolves to all that has come, once that is enough; rejects if the server ends it before. */
  until(isEnough: (text: string) => boolean): Promise<string>;
  /** Resolves to all when the server has ended it; rejects if it was cut. */
  ended(): Promise<string>;
  close(): void;
}

/** Far more than any test takes: one that waits forever says nothing. */
const patienceMs = 30_000;

/** By node:http: fetch takes a cut stream for an ended one where the connection was to close. */
async function open(
  t: TestContext, url: string, headers: Readonly<Record<string, string | undefined>>,
): Promise<Endless> {
  const given = Object.entries(headers).filter(([, value]) => value !== undefined);
  const sent = request(url, { headers: Object.fromEntries(given), agent: false });
  const patience = setTimeout(() => sent.destroy(new Error("it did not end")), patienceMs);
  cleanUp(t, () => {
    clearTimeout(patience);
    sent.destroy();
  });
  sent.end();
  const [response]: IncomingMessage[] = await once(sent, "response");
  assert.equal(response?.statusCode, 200);
  let text = "";
  let look = (): void => {};
  response.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
    look();
  });
  const ended = once(response, "end").then(() => text);
  ended.catch(() => {}); // A test that closes a stream reads no more of it.
  const until: Endless["until"] = (isEnough) => new Promise((resolve, reject) => {
    look = () => {
      if (isEnough(text)) resolve(text);
    };
    look();
    ended.then(() => reject(new Error(`the stream ended: ${text}`)), reject);
  });
  return {
    headers: new Map(Object.entries(response.headers).map(([name, value]) => [name, `${value}`])),
    until,
    ended: () => ended,
    close: () => sent.destroy(),
  };
}

export interface StreamEvent {
  readonly id: string;
  readonly event: string;
  /** Any shape: a test says what it expects of it. */
  readonly data: any;
}

export interface EventStream extends Endless {
  /** The next event; waits for it. */
  next(): Promise<StreamEvent>;
  /** The next so many. */
  take(count: number): Promise<StreamEvent[]>;
}

export interface StreamInit {
  readonly token?: string | undefined;
  readonly lastEventId?: string | undefined;
  readonly accept?: string;
}

/** Events, one by one, in either form. */
export async function openStream(
  t: TestContext, { origin }: Client, { token, lastEventId, accept }: StreamInit = {},
): Promise<EventStream> {
  const stream = await open(t, `${origin}/api/events`, {
    authorization: token === undefined ? undefined : `Bearer ${token}`,
    "last-event-id": lastEventId,
    accept,
  });
  const isLines = accept === "application/x-ndjson";
  const [separator, parse] = isLines ? ["\n", parseLine] as const : ["\n\n", parseBlock] as const;
  const events: StreamEvent[] = [];
  let read = 0;
  const take = async (count: number): Promise<StreamEvent[]> => {
    await stream.until((text) => {
      const end = text.lastIndexOf(separator);
      const blocks = end < read ? [] : text.slice(read, end).split(separator);
      events.push(...blocks.flatMap((block) => parse(block) ?? []));
      read = Math.max(read, end + separator.length);
      return events.length >= count;
    });
    return events.splice(0, count);
  };
  const next = async (): Promise<StreamEvent> => (await take(1))[0] ?? assert.fail("there was one");
  return { ...stream, take, next };
}

function parseLine(line: string): StreamEvent | undefined {
  return line === "" ? undefined : JSON.parse(line);
}

/** Undefined for what is no event: a comment, a hint. */
function parseBlock(block: string): StreamEvent | undefined {
  const [, id, event, data] = /^id: (.+)\nevent: (.+)\ndata: (.+)$/.exec(block) ?? [];
  if (id === undefined || event === undefined || data === undefined) return undefined;
  return { id, event, data: JSON.parse(data) };
}
