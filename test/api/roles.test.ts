/** Contract part 4: every method that a path has, by every sort of caller. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { startForno } from "../helpers/forno.ts";
import { assertProblem } from "./assertions.ts";
import { itemPath, samples } from "../helpers/samples.ts";

const callers = ["owner", "staff", "customer", "reader", "nobody", "a bad token"] as const;
/** In the order of `callers`. */
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
  /insufficient_scope/, /insufficient_scope/, /insufficient_scope/, /insufficient_scope/, /^Bearer realm="forno"$/,
  /^Bearer .*error="invalid_token"/,
];

for (const [method, path, statuses, body] of rows) {
  test(`${method} ${path} answers every caller as the table says`, async (t) => {
    const forno = await startForno(t);
    for (const sample of samples) await forno.write("POST", sample.path, sample.body);
    const before = await forno.asStaff("GET", "/api/backup");
    const { owner, staff, customer, reader } = forno;
    const tokens = [owner, staff, customer, reader, undefined, `${staff.slice(0, -4)}AAAA`];
    // Callers who may write come last.
    for (const [index, token] of [...tokens.entries()].reverse()) {
      // A stream has no end: ask for its header only.
      const asked = path === "/api/events" ? "HEAD" : method;
      const init = token === undefined ? { body } : { body, token };
      const response = await forno.call(asked, path, init);
      const status = statuses[index];
      assert.equal(response.status, status, `${callers[index]}: ${response.text}`);
      if (status !== 401 && status !== 403) continue;
      if (asked !== "HEAD") {
        assertProblem(response, status === 401 ? "not-authenticated" : "forbidden");
      }
      const challenge = response.headers.get("www-authenticate") ?? "";
      assert.match(challenge, challenges[index] ?? assert.fail());
      assert.equal((await forno.asStaff("GET", "/api/backup")).text, before.text);
    }
  });
}
