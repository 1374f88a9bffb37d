/** Invites, devices and locks (contract parts 3 and 4). */

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { type Client, type Response } from "../helpers/forno.ts";
import { spawnForno, startForno, temporaryFolder } from "../helpers/forno.ts";
import { openWire } from "../helpers/raw-http.ts";
import { assertFaults, assertProblem } from "./assertions.ts";
import { openStream } from "./event-client.ts";
import { topping } from "./kinds.ts";

const tablet = { role: "staff", sub: "Bar tablet", expires: "30d" };

function claimsOf(token: string): any {
  return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
}

async function codeFor(forno: Client, token: string, body: object = tablet): Promise<string> {
  const { status, json, text } = await forno.call("POST", "/api/invites", { token, body });
  assert.equal(status, 201, text);
  return json.code;
}

function redeem(forno: Client, code: unknown): Promise<Response> {
  return forno.call("POST", "/api/tokens", { body: { code } });
}

/** A device that `token` has invited: its own token. */
async function invited(forno: Client, token: string, sub: string): Promise<string> {
  const response = await redeem(forno, await codeFor(forno, token, { ...tablet, sub }));
  assert.equal(response.status, 201, response.text);
  return response.json.token;
}

function lock(forno: Client, sub: string, method = "PUT"): Promise<Response> {
  return forno.asStaff(method, `/api/devices/${encodeURIComponent(sub)}/lock`);
}

async function assertLockedOut(forno: Client, tokens: readonly string[]): Promise<void> {
  for (const token of tokens) {
    for (const [method, path] of [["GET", "/api/toppings"], ["POST", "/api/orders"]] as const) {
      const response = await forno.call(method, path, { token });
      assert.match(assertProblem(response, "not-authenticated").detail, /^locked out; /);
    }
  }
}

async function assertLetIn(forno: Client, tokens: readonly string[]): Promise<void> {
  for (const token of tokens) {
    assert.equal((await forno.call("GET", "/api/devices", { token })).status, 200);
  }
}

test("a code works once, and its token is what was invited", async (t) => {
  const forno = await startForno(t);
  const body = { ...tablet, expires: "90m" };
  const invite = await forno.asStaff("POST", "/api/invites", body);
  assert.deepEqual([invite.status, invite.headers.get("cache-control")], [201, "no-store"]);
  const { code, expiresAt, ...rest } = invite.json;
  assert.deepEqual(rest, {});
  assert.match(code, /^[\w-]{22}$/);
  assert.ok(Math.abs(Date.parse(expiresAt) - Date.now() - 600_000) < 60_000);
  const made = await redeem(forno, code);
  assert.deepEqual([made.status, made.headers.get("cache-control")], [201, "no-store"]);
  const claims = claimsOf(made.json.token);
  assert.deepEqual(Object.keys(made.json), ["token", "role", "sub", "expiresAt"]);
  assert.deepEqual([made.json.role, made.json.sub], ["staff", "Bar tablet"]);
  assert.equal(made.json.expiresAt, new Date(claims.exp * 1_000).toISOString());
  assert.deepEqual(claims, { ...claims, role: "staff", sub: "Bar tablet", by: ["rosa"] });
  assert.equal(claims.exp - claims.iat, 5_400);
  await assertLetIn(forno, [made.json.token]);
  for (const wrong of [code, "", "A".repeat(22), code.slice(1)]) {
    const refused = assertProblem(await redeem(forno, wrong), "not-authenticated");
    assert.match(refused.detail, /used, older than ten minutes or unknown/);
  }
});

test("a code ends after ten minutes", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: Date.now() });
  const forno = await startForno(t);
  const codes = [await codeFor(forno, forno.staff), await codeFor(forno, forno.staff)];
  t.mock.timers.tick(599_999);
  assert.equal((await redeem(forno, codes[0])).status, 201);
  t.mock.timers.tick(1);
  assertProblem(await redeem(forno, codes[1]), "not-authenticated");
});

test("a hundred codes are open at most, and a used one makes room", async (t) => {
  const forno = await startForno(t);
  const code = await codeFor(forno, forno.staff);
  for (let open = 1; open < 100; open += 1) await codeFor(forno, forno.staff);
  const full = await forno.asStaff("POST", "/api/invites", tablet);
  assertProblem(full, "rate-limited");
  const seconds = Number(full.headers.get("retry-after"));
  assert.ok(seconds > 500 && seconds <= 600, `${seconds}`);
  await redeem(forno, code);
  await codeFor(forno, forno.staff);
});

const badInvites: readonly (readonly [body: unknown, ...pointers: string[]])[] = [
  [[], "#"],
  [{}, "#/role", "#/sub", "#/expires"],
  [{ ...tablet, role: "owner" }, "#/role"],
  [{ ...tablet, sub: "x".repeat(201) }, "#/sub"],
  [{ ...tablet, sub: "" }, "#/sub"],
  [{ ...tablet, life: "30d" }, "#/life"],
  ...["0d", "400d", "30", "d", "1.5h", "-1d", "30 d", 30, null].map(
    (expires) => [{ ...tablet, expires }, "#/expires"] as const,
  ),
];

test("a bad invite, and a bad code, is 400 that points at each fault", async (t) => {
  const forno = await startForno(t);
  for (const [body, ...pointers] of badInvites) {
    assertFaults(await forno.asStaff("POST", "/api/invites", body), pointers);
  }
  for (const body of [{}, { code: 1 }, { code: null }]) {
    assertFaults(await forno.call("POST", "/api/tokens", { body }), ["#/code"]);
  }
  assertProblem(await forno.call("POST", "/api/tokens"), "invalid-json");
});

test("invites go over eight steps, and never from a token without a name", async (t) => {
  const forno = await startForno(t);
  const nameless = forno.token({ role: "staff" });
  const refused = await forno.call("POST", "/api/invites", { token: nameless, body: tablet });
  assert.match(assertProblem(refused, "forbidden").detail, /a name \(sub\)/);
  let token = forno.staff;
  for (let step = 1; step <= 8; step += 1) token = await invited(forno, token, `tablet ${step}`);
  assert.equal(claimsOf(token).by.length, 8);
  await assertLetIn(forno, [token]);
  const ninth = await forno.call("POST", "/api/invites", { token, body: tablet });
  assert.match(assertProblem(ninth, "forbidden").detail, /invited over 8 steps/);
});

const odd = "Küche / 2. Stock #1?";

test("devices are listed by name, with when they were seen and locked out", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: Date.parse("2026-01-31T18:00:00.000Z") });
  const forno = await startForno(t);
  const exp = Date.now() / 1_000 + 3_600;
  const [rosa, oven, wall] = [
    forno.token({ role: "staff", sub: "rosa", exp }),
    forno.token({ role: "staff", sub: odd, exp: 1e15 }),
    forno.token({ role: "reader", sub: "wall", exp }),
  ];
  const customer = forno.token({ role: "customer", sub: "carla", exp });
  const nameless = forno.token({ role: "reader", exp });
  for (const token of [oven, wall, customer, nameless]) {
    await forno.call("GET", "/api/toppings", { token });
    t.mock.timers.tick(1_000);
  }
  const path = `/api/devices/${encodeURIComponent(odd)}/lock`;
  const locked = await forno.call("PUT", path, { token: rosa });
  const lockedAt = "2026-01-31T18:00:04.000Z";
  assert.deepEqual([locked.status, locked.json], [200, { sub: odd, lockedAt }]);
  await forno.call("PUT", "/api/devices/never%20seen/lock", { token: rosa });
  const expiresAt = "2026-01-31T19:00:00.000Z";
  const { json } = await forno.call("GET", "/api/devices", { token: rosa });
  assert.deepEqual(json, [
    { sub: "rosa", role: "staff", expiresAt, seenAt: "2026-01-31T18:00:04.000Z" },
    { sub: "wall", role: "reader", expiresAt, seenAt: "2026-01-31T18:00:01.000Z" },
    {
      sub: odd, role: "staff", expiresAt: "9999-12-31T23:59:59.000Z",
      seenAt: "2026-01-31T18:00:00.000Z", lockedAt,
    },
    { sub: "never seen", lockedAt },
  ]);
  assert.equal((await forno.call("DELETE", path, { token: rosa })).status, 204);
  assertProblem(await forno.call("DELETE", path, { token: rosa }), "not-found");
  assert.equal((await forno.call("GET", "/api/devices", { token: oven })).status, 200);
});

test("the last thousand devices are remembered", async (t) => {
  const forno = await startForno(t);
  for (let index = 0; index < 1_001; index += 1) {
    const token = forno.token({ role: "staff", sub: `tablet ${index}` });
    await forno.call("GET", "/healthz", { token });
  }
  const { json } = await forno.asStaff("GET", "/api/devices");
  assert.deepEqual([json.length, json[0].sub, json.at(-1).sub], [1_000, "rosa", "tablet 2"]);
});

test("no device has a name of 201 characters, or none", async (t) => {
  const forno = await startForno(t);
  for (const sub of ["x".repeat(201), "%ff", ""]) {
    for (const method of ["PUT", "DELETE"]) {
      const response = await forno.asStaff(method, `/api/devices/${sub}/lock`);
      assertProblem(response, "not-found");
    }
  }
  assert.equal((await lock(forno, "🍕".repeat(200))).status, 200);
});

test("devices are for staff alone", async (t) => {
  const forno = await startForno(t);
  for (const [method, path] of [
    ["GET", "/api/devices"], ["PUT", "/api/devices/x/lock"], ["DELETE", "/api/devices/x/lock"],
    ["POST", "/api/invites"],
  ] as const) {
    assertProblem(await forno.call(method, path, { body: tablet }), "not-authenticated");
    for (const token of [forno.customer, forno.reader]) {
      assertProblem(await forno.call(method, path, { token, body: tablet }), "forbidden");
    }
  }
});

/** A stolen tablet, three that it invited, and one that the first of those invited. */
async function stolen(forno: Client): Promise<string[]> {
  const thief = await invited(forno, forno.staff, "stolen");
  const first = await invited(forno, thief, "one");
  return [
    thief,
    first,
    await invited(forno, thief, "two"),
    await invited(forno, thief, "three"),
    await invited(forno, first, "four"),
  ];
}

test("one lock ends all that a device invited: tokens, streams and codes", async (t) => {
  const forno = await startForno(t);
  const tokens = await stolen(forno);
  const other = await invited(forno, forno.staff, "other");
  const codes = [await codeFor(forno, tokens[0] ?? ""), await codeFor(forno, tokens[4] ?? "")];
  const good = await codeFor(forno, other);
  const streams = await Promise.all(tokens.map((token) => openStream(t, forno, { token })));
  const open = await openStream(t, forno, { token: other });
  assert.equal((await lock(forno, "stolen")).status, 200);
  await Promise.all(streams.map((stream) => stream.ended()));
  await assertLockedOut(forno, tokens);
  for (const code of codes) assertProblem(await redeem(forno, code), "not-authenticated");
  await assertLetIn(forno, [forno.staff, other]);
  assert.equal((await redeem(forno, good)).status, 201);
  await forno.asStaff("POST", "/api/toppings", topping());
  assert.equal((await open.next()).event, "toppings.created");
  assert.equal((await lock(forno, "stolen", "DELETE")).status, 204);
  await assertLetIn(forno, tokens);
});

test("a followed backup of a locked reader ends", async (t) => {
  const forno = await startForno(t);
  const token = forno.token({ role: "reader", sub: "copy" });
  const response = await fetch(`${forno.origin}/api/backup?follow=true`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const text = response.text();
  await lock(forno, "copy");
  assert.doesNotMatch(await text, /locks/);
});

test("a write whose body arrives after the lock is refused", async (t) => {
  const forno = await startForno(t);
  for (const [path, value] of [["/api/invites", tablet], ["/api/toppings", topping()]] as const) {
    const token = await invited(forno, forno.staff, path);
    const body = JSON.stringify(value);
    const wire = openWire(t, forno.port);
    wire.send(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: 100-continue\r\n` +
        `Authorization: Bearer ${token}\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    await wire.responses(1);
    await lock(forno, path);
    wire.send(body);
    const [, response] = await wire.closed();
    assert.deepEqual([response?.status, /locked out/.test(response?.text ?? "")], [401, true]);
  }
});

test("what was issued after a lock is let in, as for a new tablet by the old name", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: 1_800_000_000_500 });
  const forno = await startForno(t);
  const exp = 1_800_009_000;
  const staff = forno.token({ role: "staff", sub: "rosa", exp });
  const old = await invited(forno, staff, "Bar tablet");
  await forno.call("PUT", "/api/devices/Bar%20tablet/lock", { token: staff });
  await assertLockedOut(forno, [old]);
  t.mock.timers.tick(1_000);
  const fresh = await invited(forno, staff, "Bar tablet");
  await assertLetIn(forno, [fresh]);
  await assertLockedOut(forno, [old]);
});

test("locks hold after kill -9, after a clean stop, and in a backup", async (t) => {
  const dataDir = join(temporaryFolder(t), "store");
  const first = await spawnForno(t, { dataDir });
  const tokens = await stolen(first);
  await lock(first, "stolen");
  await lock(first, "let in again");
  await lock(first, "let in again", "DELETE");
  await assertLockedOut(first, tokens);
  await first.end("SIGKILL");
  const second = await spawnForno(t, { dataDir });
  await assertLockedOut(second, tokens);
  const { text } = await second.call("GET", "/api/backup", { token: second.reader });
  await second.end();
  const third = await startForno(t, { dataDir });
  await assertLockedOut(third, tokens);
  const { json } = await third.asStaff("GET", "/api/devices");
  assert.deepEqual(json.map(({ sub }: any) => sub), ["rosa", "stolen"]);
  assert.match(text, /"stolen"/);
});
