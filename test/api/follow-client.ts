/** A client of GET /api/backup?follow=true: what it was sent so far, as a file would hold it. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import type { TestContext } from "node:test";
import { cleanUp, type Client } from "../helpers/forno.ts";

export interface Copy {
  readonly response: IncomingMessage;
  /** Resolves to all that has come, once that is enough. */
  until(isEnough: (text: string) => boolean): Promise<string>;
  /** Resolves to all, when the server has ended it. */
  ended(): Promise<string>;
  close(): void;
}

/** `after`: the number of the last change that the client has. */
export async function follow(
  t: TestContext,
  { origin, staff }: Pick<Client, "origin" | "staff">,
  after?: number,
): Promise<Copy> {
  const headers = { authorization: `Bearer ${staff}` };
  const query = after === undefined ? "follow=true" : `follow=true&after=${after}`;
  const sent = request(`${origin}/api/backup?${query}`, { headers, agent: false });
  cleanUp(t, () => sent.destroy());
  sent.end();
  const [response]: IncomingMessage[] = await once(sent, "response");
  assert.ok(response);
  assert.equal(response.statusCode, 200);
  let text = "";
  let look = (): void => {};
  response.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
    look();
  });
  const ended = once(response, "end").then(() => text);
  ended.catch(() => {});
  response.on("error", () => {});
  return {
    response,
    until: (isEnough) =>
      new Promise((resolve) => {
        look = () => {
          if (isEnough(text)) resolve(text);
        };
        look();
      }),
    ended: () => ended,
    close: () => sent.destroy(),
  };
}

/** The changes among the lines of a copy. */
export function changesIn(text: string): any[] {
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line)).filter(({ after }) => after !== undefined);
}
