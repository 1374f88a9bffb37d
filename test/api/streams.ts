/** Clients that read an answer bit by bit: slow readers, and those of GET /api/events. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import type { TestContext } from "node:test";
import { cleanUp, type Client, type Forno, startForno } from "../helpers/forno.ts";
import { orderLine, storeFile } from "../helpers/store-file.ts";
import { until } from "../helpers/patience.ts";

/** A server with 17 MB of orders, more than the sockets hold. */
export function startLarge(t: TestContext, env: Record<string, string> = {}): Promise<Forno> {
  const toppings = Array(50).fill({ id: "i".repeat(128), name: "n".repeat(200) });
  const orders = Array.from({ length: 1_000 }, (_, index) =>
    orderLine(`o${index}`, "2026-01-31T18:00:00.000Z", { toppings }));
  return startForno(t, { store: storeFile(orders), env });
}

/** Reads the first bytes of an answer. The function reads on, and resolves to all. */
export async function beginRead(
  { origin, staff }: Client, path: string, token = staff,
): Promise<() => Promise<Buffer>> {
  const { body } = await fetch(origin + path, { headers: { authorization: `Bearer ${token}` } });
  assert.ok(body);
  const reader = body.getReader();
  const first = (await reader.read()).value ?? assert.fail("no bytes");
  reader.releaseLock();
  return async () => Buffer.concat([first, await buffer(body)]);
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
  const sent = get(`${origin}/api/events`, { headers, agent: false });
  cleanUp(t, () => sent.destroy());
  const [response]: IncomingMessage[] = await once(sent, "response");
  assert.ok(response?.statusCode === 200);
  const isLines = accept === "application/x-ndjson";
  const [separator, parse] = isLines ? ["\n", parseLine] as const : ["\n\n", parseBlock] as const;
  const events: StreamEvent[] = [];
  let text = "";
  let unparsed = "";
  response.on("error", () => {}); // The server has cut it.
  response.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
    const parts = (unparsed + piece).split(separator);
    unparsed = parts.pop() ?? "";
    events.push(...parts.flatMap((part) => parse(part) ?? []));
  });
  const take = async (count: number): Promise<StreamEvent[]> => {
    await until(() => events.length >= count || response.closed);
    assert.ok(events.length >= count, `the stream ended: ${text}`);
    return events.splice(0, count);
  };
  return {
    take,
    next: async () => (await take(1))[0] ?? assert.fail("there was one"),
    ended: async () => {
      await until(() => response.closed);
      assert.ok(response.complete, `the stream was cut: ${text}`);
      return text;
    },
  };
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
