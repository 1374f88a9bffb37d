/** Clients that read an answer bit by bit: slow readers, and those of GET /api/events. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import type { TestContext } from "node:test";
import { cleanUp, type Client } from "../helpers/forno.ts";
import { startPatience } from "../helpers/patience.ts";

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

export interface StreamEvent {
  readonly id: string;
  readonly event: string;
  /** Any shape: a test says what it expects of it. */
  readonly data: any;
}

export interface EventStream {
  /** The next event; waits for it, and rejects if the server ends the stream before. */
  next(): Promise<StreamEvent>;
  /** The next so many. */
  take(count: number): Promise<StreamEvent[]>;
  /** Resolves to the whole text when the server has ended it; rejects if it was cut. */
  ended(): Promise<string>;
}

export interface StreamInit {
  readonly token?: string | undefined;
  readonly lastEventId?: string | undefined;
  readonly accept?: string;
}

/**
 * Events, one by one, in either form. By node:http: fetch takes a cut stream for an ended one where
 * the connection was to close.
 */
export async function openStream(
  t: TestContext, { origin }: Client, { token, lastEventId, accept }: StreamInit = {},
): Promise<EventStream> {
  const headers = {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(lastEventId !== undefined && { "last-event-id": lastEventId }),
    ...(accept !== undefined && { accept }),
  };
  const sent = request(`${origin}/api/events`, { headers, agent: false });
  const patience = startPatience(() => sent.destroy(new Error("nothing more comes")));
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
    patience.refresh();
    look();
  });
  const ended = once(response, "end").then(() => text);
  ended.catch(() => {}); // A test that closes a stream reads no more of it.
  const isLines = accept === "application/x-ndjson";
  const [separator, parse] = isLines ? ["\n", parseLine] as const : ["\n\n", parseBlock] as const;
  const events: StreamEvent[] = [];
  let read = 0;
  const readEvents = (): void => {
    const end = text.lastIndexOf(separator);
    if (end < read) return;
    events.push(...text.slice(read, end).split(separator).flatMap((one) => parse(one) ?? []));
    read = end + separator.length;
  };
  const take = (count: number): Promise<StreamEvent[]> => new Promise((resolve, reject) => {
    look = () => {
      readEvents();
      if (events.length < count) return;
      look = () => {};
      resolve(events.splice(0, count));
    };
    look();
    ended.then(() => reject(new Error(`the stream ended: ${text}`)), reject);
  });
  const next = async (): Promise<StreamEvent> => (await take(1))[0] ?? assert.fail("there was one");
  return { take, next, ended: () => ended };
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
