/** Who may do what, and the words of a 401 (contract part 4). */

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Response, startForno } from "../helpers/forno.ts";
import { bearer, requestText, responsesTo } from "../helpers/raw-http.ts";
import { itemPath, samples, topping } from "../helpers/samples.ts";
import { assertProblem } from "./assertions.ts";

/** A 401 with this detail, and nothing of what was sent. */
function assertRefused(response: Response, detail: RegExp, sent = ""): void {
  assert.match(assertProblem(response, "not-authenticated").detail, detail);
  const everything = response.text + JSON.stringify([...response.headers]);
  for (const part of [sent, ...sent.split(".")].filter((text) => text.length > 3)) {
    assert.ok(!everything.includes(part), `${part} came back in ${everything}`);
  }
}

test("a 401 says what is wrong with a token, and nothing of what it holds", async (t) => {
  const forno = await startForno(t);
  const { staff } = forno;
  const cure = "; get a token with: ";
  const none = (got: string): string =>
    `expected a header "Authorization: Bearer TOKEN", got ${got}; `;
  for (const [authorization, words, isToken = true] of [
    [`Bearer ${staff.slice(0, -4)}AAAA`, "the token is signed with another key"],
    [`Bearer ${forno.token({ role: "staff", exp: 1_700_000_000 })}`,
      "the token expired at 2023-11-14T22:13:20"],
    [`Bearer ${forno.token({ role: "staff", device: "lost" })}`, `this device was removed${cure}`],
    [staff, `"Bearer " is missing before the token${cure}`],
    ...[`Bearer${staff}`, `Bearer:${staff}`, `Bearer: ${staff}`, "Bearer"].map((authorization) =>
      [authorization, `expected "Bearer", a space and the token${cure}`] as const),
    // These count as no token: open reads are answered.
    [undefined, none("none"), false],
    ["Basic cm9zYTp3eDczMQ==", none("another scheme"), false],
    ["Bearer-2 YQ==", none("another scheme"), false],
  ] as const) {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    const read = await forno.call("GET", "/api/toppings", { headers });
    const write = await forno.call("POST", "/api/toppings", { headers, body: topping() });
    const sent = authorization?.replace(/^(Bearer|Basic)(-2)? ?/, "");
    assertRefused(write, new RegExp(`^${words}`), sent);
    if (isToken) assertRefused(read, new RegExp(`^${words}`), sent);
    else assert.equal(read.status, 200);
    assert.equal(/error=/.test(write.headers.get("www-authenticate") ?? ""), isToken);
  }
  const headers = { authorization: `bEaReR ${staff}` };
  assert.equal((await forno.call("GET", "/metrics", { headers })).status, 200);
});

test("a problem is JSON, and has no token, whatever it quotes", async (t) => {
  const forno = await startForno(t);
  const { staff } = forno;
  const dotless = staff.replaceAll(".", "%2e");
  for (const [line, fields, type] of [
    ["POST /api/toppings", `Content-Type: a\t${staff}\r\n`, "unsupported-media-type"],
    ["POST /api/toppings", `Content-Encoding: "\t${staff}\r\n`, "unsupported-media-type"],
    ["GET /api/toppings/a", `Host: \\${staff}\r\n`, "not-exposed"],
    [`GET /api/toppings?a%09${staff}=1`, "", "invalid-query"],
    [`GET /api/toppings?limit=${staff}`, "", "invalid-query"],
    [`GET /api/toppings/%22%09${staff}`, "", "not-found"],
    [`GET /${staff}`, "", "not-found"],
    [`GET /${dotless}`, "", "not-found"],
  ] as const) {
    const request = requestText(line, `${bearer(staff)}Connection: close\r\n${fields}`, "{}")
      .replace(/Host: localhost\r\n([^]*Host: )/, "$1");
    const [response = assert.fail()] = await responsesTo(forno.port, request);
    assertProblem(response, type);
    assert.doesNotMatch(response.text, /eyJ/);
  }
});

const who = ["owner", "staff", "customer", "reader", "nobody", "a bad token"] as const;
/** The first callers, as a 403 names them. */
const roles = ["owners", "staff", "customers", "readers"];
/** In the order of `who`. */
type Statuses = readonly [number, number, number, number, number, number];

const reads: Statuses = [200, 200, 200, 200, 200, 401];
const monitoring: Statuses = [200, 200, 403, 200, 401, 401];
const writes = (done: number): Statuses => [done, done, 403, 403, 401, 401];
/** A delete, which the last caller carries out. */
const removes: Statuses = [404, 204, 403, 403, 401, 401];
const owners = (done: number): Statuses => [done, 403, 403, 403, 401, 401];

const shop = { name: "Da Rosa", isOpen: true, notice: "",
  soldOut: { toppings: [], pizzasizes: [], beverages: [] } };
const device = { name: "Bar tablet", role: "reader", expires: "1d" };

type Row = readonly [method: string, path: string, Statuses, body?: unknown];

const rows: readonly Row[] = [
  ...samples.flatMap((sample): Row[] => {
    const { path, body: { id: _, ...body } } = sample;
    const item = itemPath(sample);
    const creates: Statuses = path === "/api/orders" ? [201, 201, 201, 403, 401, 401] : writes(201);
    return [
      ["GET", path, reads],
      ["HEAD", path, reads],
      ["POST", path, creates, body],
      ["GET", item, reads],
      ["PUT", item, writes(200), body],
      ["PATCH", item, writes(200), body],
      ["DELETE", item, removes],
    ];
  }),
  ["GET", "/api/shop", reads],
  ["PUT", "/api/shop", writes(200), shop],
  ["PATCH", "/api/shop", writes(200), { notice: "Fridays: fish" }],
  ["GET", "/api/events", reads],
  ["GET", "/api/backup", monitoring],
  ["GET", "/metrics", monitoring],
  ["GET", "/api/devices", owners(200)],
  ["POST", "/api/devices", owners(201), device],
  ["DELETE", "/api/devices/nobody", owners(404)],
];

/** A challenge names an error only where there is a token (RFC 6750 section 3.1). */
const challenges = [
  ...Array<RegExp>(4).fill(/insufficient_scope/), /^Bearer realm="forno"$/,
  /^Bearer .*error="invalid_token"/,
];

test("each route answers every caller as the table says", async (t) => {
  const forno = await startForno(t);
  for (const sample of samples) await forno.write("POST", sample.path, sample.body);
  const { owner, staff, customer, reader } = forno;
  const tokens = [owner, staff, customer, reader, undefined, `${staff.slice(0, -4)}AAAA`];
  for (const [method, path, statuses, body] of rows) {
    const before = await forno.asStaff("GET", "/api/backup");
    // Callers who may write come last.
    for (const [index, token] of [...tokens.entries()].reverse()) {
      // A stream has no end: ask for its header only.
      const asked = path === "/api/events" ? "HEAD" : method;
      const init = token === undefined ? { body } : { body, token };
      const response = await forno.call(asked, path, init);
      const status = statuses[index];
      assert.equal(response.status, status, `${method} ${path} ${who[index]} ${response.text}`);
      if (status !== 401 && status !== 403) continue;
      if (asked !== "HEAD") {
        const type = status === 401 ? "not-authenticated" : "forbidden";
        const { detail } = assertProblem(response, type);
        // A 403 names everyone who may.
        const named = roles.filter((role) => detail.split(";")[0]?.includes(role));
        const mayUse = roles.filter((_, role) => statuses[role] !== 403);
        if (status === 403) assert.deepEqual(named, mayUse, detail);
      }
      const challenge = response.headers.get("www-authenticate") ?? "";
      assert.match(challenge, challenges[index] ?? assert.fail());
      assert.equal((await forno.asStaff("GET", "/api/backup")).text, before.text);
    }
  }
});
