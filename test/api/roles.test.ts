/** Contract part 4: every method that a path has, by every sort of caller. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { startForno } from "../helpers/forno.ts";
import type { Forno } from "../helpers/forno.ts";
import { assertProblem } from "./assertions.ts";
import type { ProblemType } from "./assertions.ts";
import { itemPath, samples } from "./kinds.ts";
import type { Sample } from "./kinds.ts";

const callers = ["staff", "customer", "reader", "nobody", "a bad token"] as const;
type Caller = (typeof callers)[number];
type Row = readonly [method: string, where: "list" | "item", statuses: readonly number[]];

const reads = [200, 200, 200, 200, 401];
const writes = (done: number): number[] => [done, 403, 403, 401, 401];

/** Statuses stand in the order of `callers`. */
function rowsOf(sample: Sample): readonly Row[] {
  return [
    ["GET", "list", reads],
    ["HEAD", "list", reads],
    ["POST", "list", sample.path === "/api/orders" ? [201, 201, 403, 401, 401] : writes(201)],
    ["GET", "item", reads],
    ["HEAD", "item", reads],
    ["PUT", "item", writes(200)],
    ["PATCH", "item", writes(200)],
    ["DELETE", "item", writes(204)],
  ];
}

const typeOf: Readonly<Record<number, ProblemType>> = {
  401: "not-authenticated",
  403: "forbidden",
};

for (const sample of samples) {
  test(`${sample.path}: every method answers every caller as the table says`, async (t) => {
    const forno = await startForno(t);
    for (const [method, where, expected] of rowsOf(sample)) {
      for (const [index, caller] of callers.entries()) {
        await forno.asStaff("POST", sample.path, sample.body);
        const status = expected[index] ?? assert.fail("a caller without a status");
        await assertCell(forno, sample, { method, where, caller, status });
      }
    }
  });
}

/** A challenge names an error only where there is a token (RFC 6750 section 3.1). */
const challenges: Readonly<Partial<Record<Caller, RegExp>>> = {
  nobody: /^Bearer realm="forno"$/,
  "a bad token": /^Bearer .*error="invalid_token"/,
};

interface Cell {
  readonly method: string;
  readonly where: "list" | "item";
  readonly caller: Caller;
  readonly status: number;
}

async function assertCell(forno: Forno, sample: Sample, cell: Cell): Promise<void> {
  const { method, where, caller, status } = cell;
  const token = tokenOf(forno, caller);
  const { id: _, ...withoutId } = sample.body;
  const body = ["POST", "PUT", "PATCH"].includes(method) ? withoutId : undefined;
  const response = await forno.call(method, where === "list" ? sample.path : itemPath(sample), {
    ...(token !== undefined && { token }),
    ...(body !== undefined && { body }),
  });
  assert.equal(response.status, status, `${method} ${where} by ${caller}: ${response.text}`);
  const type = typeOf[status];
  if (type !== undefined && method !== "HEAD") assertProblem(response, type);
  if (status === 401 || status === 403) {
    const challenge = response.headers.get("www-authenticate");
    assert.match(challenge ?? "", challenges[caller] ?? /^Bearer .*insufficient_scope/);
  }
}

function tokenOf(forno: Forno, caller: Caller): string | undefined {
  if (caller === "nobody") return undefined;
  if (caller === "a bad token") return `${forno.staff.slice(0, -4)}AAAA`;
  return forno[caller];
}

const others: readonly (readonly [method: string, path: string, statuses: readonly number[]])[] = [
  ["GET", "/api/shop", reads],
  ["PUT", "/api/shop", writes(200)],
  ["PATCH", "/api/shop", writes(200)],
  ["GET", "/api/backup", [200, 403, 200, 401, 401]],
  ["GET", "/metrics", [200, 403, 200, 401, 401]],
];

test("the shop is for all to read and staff to change; backup and metrics are not", async (t) => {
  const forno = await startForno(t);
  const { json: shop } = await forno.call("GET", "/api/shop");
  for (const [method, path, statuses] of others) {
    for (const [index, status] of statuses.entries()) {
      const token = tokenOf(forno, callers[index] ?? "nobody");
      const response = await forno.call(method, path, {
        ...(token !== undefined && { token }),
        ...(method !== "GET" && { body: shop }),
      });
      assert.equal(response.status, status, `${method} ${path} by ${callers[index]}`);
      const type = typeOf[status];
      if (type !== undefined) assertProblem(response, type);
    }
  }
});

test("a refused write leaves every list as it was", async (t) => {
  const forno = await startForno(t);
  for (const sample of samples) {
    await forno.asStaff("POST", sample.path, sample.body);
    const before = await forno.call("GET", sample.path);
    const item = itemPath(sample);
    const body = sample.changed;
    await forno.call("POST", sample.path, { body: { ...body, id: "sneaked" } });
    for (const token of [forno.customer, forno.reader, "not.a.token"]) {
      await forno.call("PUT", item, { token, body });
      await forno.call("PATCH", item, { token, body });
      await forno.call("DELETE", item, { token });
    }
    assert.equal((await forno.call("GET", sample.path)).text, before.text);
  }
});
