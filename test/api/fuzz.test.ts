/**
 * Valid requests with bytes flipped, cut, inserted and spliced, through raw sockets. Seeded, so a
 * failure comes again. At the end the server is alive, nothing was a 5xx, and the store holds what
 * the 2xx answers said and nothing else.
 *
 * Every case has a topping of its own, with an id that no mutation turns into another's, so that
 * cases may run side by side and still say what the store must hold.
 */

import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { seededRandom } from "../helpers/crash-states.ts";
import { type Client, type Response, startForno } from "../helpers/forno.ts";
import { splitResponses } from "../helpers/raw-http.ts";
import { order, topping } from "./kinds.ts";

const caseCount = 2_000;
const sideBySide = 200;
/** Short, so that a request cut in the middle is given up at once. */
const timeouts = { headersMs: 250, requestMs: 250 };

type Random = (below: number) => number;

function randomFrom(seed: number): Random {
  const random = seededRandom(seed);
  return (below) => Math.floor(random() * below);
}

function idOf(index: number): string {
  const random = randomFrom(index + 77);
  return `fixture-${Array.from({ length: 16 }, () => random(16).toString(16)).join("")}`;
}

function requestText(forno: Client, line: string, body?: object, fields = close): string {
  const text = body === undefined ? "" : JSON.stringify(body);
  const length = body === undefined ? "" : `Content-Length: ${Buffer.byteLength(text)}\r\n`;
  return `${line} HTTP/1.1\r\nHost: localhost\r\n${length}${fields}`
    + `Authorization: Bearer ${forno.staff}\r\n\r\n${text}`;
}

const close = "Connection: close\r\n";

/** The valid request that a case starts from. */
function validRequest(forno: Client, index: number): string {
  const id = idOf(index);
  const path = `/api/toppings/${id}`;
  const requests: readonly (readonly [line: string, body?: object])[] = [
    ["POST /api/toppings", topping({ id: undefined })],
    ["PUT", topping({ id })],
    ["POST /api/orders", order({ id: undefined })],
    ["PATCH", { name: "Patched" }],
    ["DELETE"],
    ["GET"],
    ["GET /api/toppings?limit=2&sort=newest&name=Rocket"],
  ];
  const [line, body] = requests[index % 8] ?? [];
  if (line !== undefined) return requestText(forno, line.replace(/^\w+$/, `$& ${path}`), body);
  return requestText(forno, `PATCH ${path}`, { name: "Piped" }, "")
    + requestText(forno, `DELETE ${path}`);
}

/** One change to the bytes: where it falls is drawn from the part before or after the token. */
function mutate(bytes: Buffer, random: Random): Buffer {
  const token = Math.max(0, bytes.indexOf("Authorization"));
  const at = random(8) === 0 ? random(bytes.length) : random(2) === 0 ? random(token + 1)
    : Math.min(bytes.length - 1, bytes.length - random(80));
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
  const piece = bytes.subarray(random(bytes.length)).subarray(0, 1 + random(12));
  const flipped = (mask: number): Buffer => Buffer.from([(bytes[at] ?? 0) ^ mask]);
  switch (random(6)) {
    case 0: return Buffer.concat([before, flipped(1 << random(8)), after.subarray(1)]);
    case 1: return Buffer.concat([before, flipped(1 + random(255)), after.subarray(1)]);
    case 2: return Buffer.concat([before, after.subarray(piece.length)]);
    case 3: return before;
    case 4: return Buffer.concat([before, Buffer.from([random(256)]), after]);
    default: return Buffer.concat([before, piece, after]);
  }
}

function mutated(forno: Client, index: number): Buffer {
  const random = randomFrom(0x5eed + index);
  let bytes: Buffer = Buffer.from(validRequest(forno, index));
  for (let left = 1 + (random(2) & random(2)); left > 0 && bytes.length > 1; left -= 1) {
    bytes = mutate(bytes, random);
  }
  return bytes;
}

/** A request that ends the connection, for a case that asked for nothing of the kind. */
const goodbye = `\r\n\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\n${close}\r\n`;

/** All answers to `bytes`. To one that leaves the connection open it says goodbye. */
function exchange(port: number, bytes: Buffer): Promise<Response[]> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    let received = Buffer.alloc(0);
    let partings = 3;
    socket.on("data", (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      const { responses, rest } = splitResponses(received);
      if (responses.length === 0 || rest > 0) return;
      // The server may go on reading a body that never comes; nothing more is answered.
      if (responses.at(-1)?.headers.get("connection")?.toLowerCase() === "close") socket.destroy();
      else if ((partings -= 1) >= 0) socket.write(goodbye);
    });
    socket.on("error", reject);
    socket.on("close", () => {
      const { responses, rest } = splitResponses(received);
      if (rest === 0) resolve(responses);
      else reject(new Error(`Expected whole answers, got ${String(received)}`));
    });
  });
}

/** By path. */
type Stored = Map<string, unknown>;

async function storeOf(forno: Client): Promise<Stored> {
  const store: Stored = new Map();
  for (const path of ["/api/toppings", "/api/orders"]) {
    for (const resource of (await forno.call("GET", path)).json) {
      store.set(`${path}/${resource.id}`, resource);
    }
  }
  return store;
}

test("mutilated requests get no 5xx and change nothing but what was answered", async (t) => {
  const toppings = Array.from({ length: caseCount }, (_, index) => topping({ id: idOf(index) }));
  toppings.push(topping({ id: "funghi" }), topping({ id: "rucola" }));
  const pizzasizes = [{ id: "grande", name: "Large", diameterInInches: 14.5 }];
  const beverages = [{ id: "chinotto", name: "Chinotto", isCarbonated: true, sizeOptions: [] }];
  const forno = await startForno(t, { timeouts, menu: { toppings, pizzasizes, beverages } });
  const expected = await storeOf(forno);
  const statuses = new Set<number>();
  const unknown = new Set<string>();
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < caseCount) {
      const index = next++;
      const own = `/api/toppings/${idOf(index)}`;
      const bytes = mutated(forno, index);
      for (const { status, headers, text, json } of await exchange(forno.port, bytes)) {
        assert.ok(status < 500, `case ${index}: ${String(bytes)}\n${text}`);
        statuses.add(status);
        if (status === 204) assert.ok(expected.delete(own), "deleted twice");
        if (status === 201) expected.set(headers.get("location") ?? "", json);
        if (status === 200 && json?.id === idOf(index)) expected.set(own, json);
        // Node's refusal of what follows a request, in place of the request's own answer: whether
        // the request was carried out is not known.
        if (status >= 400 && !headers.has("content-type")) unknown.add(own);
      }
    }
  };
  await Promise.all(Array.from({ length: sideBySide }, worker));
  assert.equal((await forno.call("GET", "/healthz")).status, 200);
  const stored = await storeOf(forno);
  for (const path of unknown) for (const store of [stored, expected]) store.delete(path);
  assert.deepEqual(Object.fromEntries(stored), Object.fromEntries(expected));
  for (const status of [200, 201, 204, 400]) assert.ok(statuses.has(status), `no ${status}`);
});
