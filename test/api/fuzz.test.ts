/**
 * Valid requests with bytes flipped, cut, inserted and spliced, through raw sockets. Seeded, so a
 * failure comes again. At the end the server is alive, nothing was a 5xx, and the store holds what
 * the 2xx answers said and nothing else.
 *
 * Every case has a resource of its own, with an id that no mutation turns into another's, so that
 * cases may run side by side and still say what the store must hold.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { seededRandom } from "../helpers/crash-states.ts";
import { startForno, temporaryFolder, type Forno } from "../helpers/forno.ts";
import { splitResponses, type RawResponse } from "../helpers/raw-http.ts";

const seed = 0x5eed;
const caseCount = 2000;
const sideBySide = 200;
/** Short, so that a request cut in the middle is given up at once. */
const timeouts = { headersMs: 250, requestMs: 250 };

type Random = (below: number) => number;

/** Whole numbers below what is asked. */
function randomFrom(start: number): Random {
  const random = seededRandom(start);
  return (below) => Math.floor(random() * below);
}

const idOf = (index: number): string => {
  const random = randomFrom(index + 77);
  return `fixture-${Array.from({ length: 16 }, () => random(16).toString(16)).join("")}`;
};

const kinds = ["toppings", "pizzasizes", "beverages"] as const;
type FixtureKind = (typeof kinds)[number];
const kindOf = (index: number): FixtureKind => kinds[index % 3] ?? "toppings";

interface Stored {
  readonly id: string;
  readonly [field: string]: unknown;
}

const contents: Readonly<Record<FixtureKind | "orders", object>> = {
  toppings: { name: "Rocket", isVegetarian: true, isVegan: true },
  pizzasizes: { name: "Slice", diameterInInches: 4.5 },
  beverages: { name: "Cola", isCarbonated: true, sizeOptions: ["0.33 l", "1 l"] },
  orders: { pizzaSize: { id: "any-size" }, toppings: [], beverages: [], status: "Pending" },
};

/** A menu with one resource for each case, which is loaded at start. */
function fixtureMenu(): Record<FixtureKind, Stored[]> {
  const menu: Record<FixtureKind, Stored[]> = {
    toppings: [], beverages: [],
    pizzasizes: [{ id: "any-size", name: "Any", diameterInInches: 10 }],
  };
  for (let index = 0; index < caseCount; index += 1) {
    menu[kindOf(index)].push({ id: idOf(index), ...contents[kindOf(index)] });
  }
  return menu;
}

function requestText(forno: Forno, method: string, path: string, body?: object): string {
  const text = body === undefined ? "" : JSON.stringify(body);
  const framing = body === undefined ? "" : "Content-Type: application/json\r\n"
    + `Content-Length: ${Buffer.byteLength(text)}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nHost: forno\r\n${framing}Connection: close\r\n`
    + `Authorization: Bearer ${forno.staff}\r\n\r\n${text}`;
}

/** The valid request that a case starts from. */
function validRequest(forno: Forno, index: number): string {
  const [kind, id] = [kindOf(index), idOf(index)];
  const path = `/api/${kind}/${id}`;
  const bases: readonly (() => string)[] = [
    () => requestText(forno, "POST", `/api/${kind}`, contents[kind]),
    () => requestText(forno, "PUT", path, { id, ...contents[kind], name: "Changed" }),
    () => requestText(forno, "POST", "/api/orders", contents.orders),
    () => requestText(forno, "PATCH", path, { name: "Patched" }),
    () => requestText(forno, "DELETE", path),
    () => requestText(forno, "GET", path),
    () => requestText(forno, "GET", `/api/${kind}?limit=2&sort=newest&name=Cola`),
    () => requestText(forno, "PATCH", path, { name: "Piped" }).replace("Connection: close\r\n", "")
      + requestText(forno, "DELETE", path),
  ];
  return bases[Math.floor(index / 3) % bases.length]?.() ?? "";
}

/** One change to the bytes: where it falls is drawn from the part before or after the token. */
function mutate(bytes: Buffer, random: Random): Buffer {
  const token = Math.max(0, bytes.indexOf("Authorization"));
  const at = random(8) === 0 ? random(bytes.length) : random(2) === 0 ? random(token + 1)
    : Math.min(bytes.length - 1, bytes.length - random(80));
  const length = 1 + random(12);
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
  switch (random(6)) {
    case 0: return flipped(bytes, at, 1 << random(8));
    case 1: return flipped(bytes, at, 1 + random(255));
    case 2: return Buffer.concat([before, after.subarray(length)]);
    case 3: return Buffer.from(before);
    case 4: return Buffer.concat([before, Buffer.from([random(256)]), after]);
    default: return Buffer.concat([before, anyOf(bytes, length, random), after]);
  }
}

function anyOf(bytes: Buffer, length: number, random: Random): Buffer {
  return bytes.subarray(random(bytes.length)).subarray(0, length);
}

function flipped(bytes: Buffer, at: number, mask: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ mask;
  return copy;
}

function mutated(forno: Forno, index: number): Buffer {
  const random = randomFrom(seed + index);
  let bytes: Buffer = Buffer.from(validRequest(forno, index));
  for (let left = 1 + (random(2) & random(2)); left > 0 && bytes.length > 1; left -= 1) {
    bytes = mutate(bytes, random);
  }
  return bytes;
}

/** A request that ends the connection, for a case that asked for nothing of the kind. */
const goodbye = "\r\n\r\nGET /healthz HTTP/1.1\r\nHost: forno\r\nConnection: close\r\n\r\n";

/** All answers to `bytes`. To one that leaves the connection open it says goodbye. */
function exchange(port: number, bytes: Buffer): Promise<RawResponse[]> {
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

/**
 * Node's refusal of what follows a request, sent in place of the request's own response: whether
 * the request was carried out is not known.
 */
function isInPlace({ status, headers }: RawResponse): boolean {
  return status >= 400 && !headers.has("content-type");
}

/** Notes the effect of an answer on the store: `kind/id` to the resource. */
function note(store: Map<string, Stored>, index: number, response: RawResponse): void {
  const fixture = `${kindOf(index)}/${idOf(index)}`;
  if (response.status === 204) assert.ok(store.delete(fixture), "deleted twice");
  const resource = response.json as Stored | undefined; // Compared with the whole store at the end.
  if (response.status === 201 && resource !== undefined) {
    store.set((response.headers.get("location") ?? "").replace(/^.*\/api\//, ""), resource);
  }
  if (response.status === 200 && resource?.id === idOf(index)) store.set(fixture, resource);
}

async function storeOf(forno: Forno): Promise<Map<string, Stored>> {
  const store = new Map<string, Stored>();
  for (const kind of [...kinds, "orders"]) {
    const { json } = await forno.call("GET", `/api/${kind}`);
    for (const resource of json as Stored[]) store.set(`${kind}/${resource.id}`, resource);
  }
  return store;
}

const sorted = (store: Map<string, Stored>): [string, Stored][] =>
  [...store].sort(([a], [b]) => (a < b ? -1 : 1));

test("mutilated requests get no 5xx and change nothing but what was answered", async (t) => {
  const MENU_FILE = join(temporaryFolder(t), "menu.json");
  writeFileSync(MENU_FILE, JSON.stringify(fixtureMenu()));
  const forno = await startForno(t, { timeouts, env: { MENU_FILE } });
  const expected = await storeOf(forno);
  const statuses = new Map<number, number>();
  const unknown = new Set<string>();
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < caseCount) {
      const index = next;
      next += 1;
      const bytes = mutated(forno, index);
      for (const response of await exchange(forno.port, bytes)) {
        assert.ok(response.status < 500, `case ${index}: ${String(bytes)}\n${response.body}`);
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
        note(expected, index, response);
        if (isInPlace(response)) unknown.add(`${kindOf(index)}/${idOf(index)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: sideBySide }, worker));
  t.diagnostic(`${caseCount} cases: ${JSON.stringify(Object.fromEntries(statuses))}`);
  assert.equal((await forno.call("GET", "/healthz")).status, 200);
  const stored = await storeOf(forno);
  for (const key of unknown) for (const store of [stored, expected]) store.delete(key);
  assert.deepEqual(sorted(stored), sorted(expected));
  for (const status of [200, 201, 204, 400]) assert.ok(statuses.has(status), `no ${status}`);
});
