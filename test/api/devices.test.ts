/** Devices, their codes and their tokens (contract parts 3 and 4). */

import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { type Client, type Forno, type Response, startForno } from "../helpers/forno.ts";
import { holdTime } from "../helpers/patience.ts";
import { bearer, holdBody } from "../helpers/raw-http.ts";
import { assertFaults, assertProblem, ids } from "./assertions.ts";
import { topping } from "../helpers/samples.ts";
import { storeFile, type StoredLine } from "../helpers/store-file.ts";
import { beginRead, openStream, startLarge } from "./streams.ts";

const tablet = { name: "Küche / 2. Stock #1? 🍕", role: "staff", expires: "90m" };

function add(forno: Client, body: object = tablet, token = forno.owner): Promise<Response> {
  return forno.call("POST", "/api/devices", { token, body });
}

function redeem(forno: Client, code: unknown): Promise<Response> {
  return forno.call("POST", "/api/tokens", { body: { code } });
}

/** The id of a new device, and its token. */
async function added(
  forno: Client, body: object = tablet, by = forno.owner,
): Promise<{ id: string, token: string }> {
  const { json: { id, code } } = await add(forno, body, by);
  const { status, json: { token } } = await redeem(forno, code);
  assert.equal(status, 201);
  return { id, token };
}

function remove(forno: Client, id: string, token = forno.owner): Promise<Response> {
  return forno.call("DELETE", `/api/devices/${id}`, { token });
}

function list(forno: Client): Promise<Response> {
  return forno.call("GET", "/api/devices", { token: forno.owner });
}

async function assertRemoved(forno: Client, token: string): Promise<void> {
  const response = await forno.call("GET", "/api/toppings", { token });
  assert.match(assertProblem(response, "not-authenticated").detail, /^this device was removed; /);
}

async function assertSignedIn(forno: Client, token: string): Promise<void> {
  assert.equal((await forno.call("GET", "/metrics", { token })).status, 200);
}

/** Until the test ends, the clock stands still unless the test moves it. */
function holdClock(t: TestContext, now: string): void {
  t.mock.timers.enable({ apis: ["Date"], now: Date.parse(now) });
}

test("a device that is added has a code, which becomes its token once", async (t) => {
  holdClock(t, "2026-01-31T18:00:00.500Z");
  const forno = await startForno(t);
  const { status, headers, json } = await add(forno);
  const { id, code, ...rest } = json;
  assert.deepEqual([status, headers.get("cache-control")], [201, "no-store"]);
  assert.match(id, /^d[\w-]{16}$/);
  assert.match(code, /^[\w-]{22}$/);
  const device = { name: tablet.name, role: "staff", addedAt: "2026-01-31T18:00:00.500Z",
    expiresAt: "2026-01-31T19:30:00.000Z" };
  assert.deepEqual(rest, { ...device, codeExpiresAt: "2026-01-31T18:10:00.500Z" });
  assert.deepEqual((await list(forno)).json, [{ id, ...device }]);

  const both = await Promise.all([redeem(forno, code), redeem(forno, code)]);
  const made = both.find((one) => one.status === 201) ?? assert.fail("one of two gets it");
  assert.deepEqual(both.map((one) => one.status).sort(), [201, 401]);
  const { token, ...said } = made.json;
  assert.deepEqual(said, { role: "staff", sub: tablet.name, expiresAt: device.expiresAt });
  const iat = Date.parse("2026-01-31T18:00:00.000Z") / 1_000;
  const claims = { role: "staff", sub: tablet.name, exp: iat + 5_400, device: id, iat };
  const [, payload = ""] = token.split(".");
  assert.deepEqual(JSON.parse(String(Buffer.from(payload, "base64url"))), claims);
  await assertSignedIn(forno, token);
  for (const wrong of [code, "", "A".repeat(22), code.slice(1)]) {
    const refused = assertProblem(await redeem(forno, wrong), "not-authenticated");
    assert.match(refused.detail, /used, older than ten minutes or unknown/);
  }
});

test("a code ends after ten minutes, or when its device is removed or over", async (t) => {
  holdClock(t, "2026-01-31T18:00:00.000Z");
  const forno = await startForno(t);
  const [first, second, third] = [await add(forno), await add(forno), await add(forno)];
  const { json: longest } = await add(forno, { ...tablet, expires: "3650d" });
  assert.equal(longest.expiresAt, "2036-01-29T18:00:00.000Z");
  assert.equal((await remove(forno, first.json.id)).status, 204);
  assertProblem(await redeem(forno, first.json.code), "not-authenticated");
  const minute = { ...tablet, expires: "1m" };
  const brief = [await add(forno, minute), await add(forno, minute)];
  t.mock.timers.tick(59_999);
  assert.equal((await redeem(forno, brief[0]?.json.code)).status, 201);
  t.mock.timers.tick(1);
  const { detail } = assertProblem(await redeem(forno, brief[1]?.json.code), "not-authenticated");
  assert.match(detail, /its time is over/);
  t.mock.timers.tick(539_999);
  assert.equal((await redeem(forno, second.json.code)).status, 201);
  t.mock.timers.tick(1);
  assertProblem(await redeem(forno, third.json.code), "not-authenticated");
});

test("a bad device and a bad code are 400 that points at each fault", async (t) => {
  const forno = await startForno(t);
  for (const [body, ...pointers] of [
    [{}, "#/name", "#/role", "#/expires"],
    [{ ...tablet, role: "customer", sub: "x" }, "#/role", "#/sub"],
    ...["", " \u00a0", "two\nlines", "x".repeat(201), "\ud800", 7].map((name) =>
      [{ ...tablet, name }, "#/name"] as const),
    ...["3651d", "0d", "1.5h", 30].map((expires) => [{ ...tablet, expires }, "#/expires"] as const),
  ] as const) {
    assertFaults(await add(forno, body), pointers);
  }
  for (const code of [undefined, 1, null]) assertFaults(await redeem(forno, code), ["#/code"]);
  assert.deepEqual((await list(forno)).json, []);
});

test("the list says when a device was last seen, and leaves out what is over", async (t) => {
  holdClock(t, "2026-01-31T18:00:00.000Z");
  const forno = await startForno(t);
  const bar = await added(forno, { ...tablet, name: "bar" });
  const wall = await add(forno, { ...tablet, name: "wall", role: "reader", expires: "1h" });
  t.mock.timers.tick(60_000);
  await assertSignedIn(forno, bar.token);
  const seen = async (): Promise<unknown> => (await list(forno)).json.map(
    (one: { name: string, seenAt?: string }) => [one.name, one.seenAt]);
  const barSeen = ["bar", "2026-01-31T18:01:00.000Z"];
  assert.deepEqual(await seen(), [barSeen, ["wall", undefined]]);
  t.mock.timers.tick(3_539_999);
  assert.deepEqual(await seen(), [barSeen, ["wall", undefined]]);
  t.mock.timers.tick(1);
  assert.deepEqual(await seen(), [barSeen]);
  assert.equal((await remove(forno, wall.json.id)).status, 204);
});

test("a removed device is signed out at once and for good, and nobody else is", async (t) => {
  const first = await startForno(t);
  const thief = await added(first);
  const twin = await added(first);
  const heir = await added(first, { ...tablet, name: "heir", role: "owner" });
  const byHeir = await added(first, tablet, heir.token);
  const backup = await first.call("GET", "/api/backup", { token: first.reader });
  const stream = await openStream(t, first, { token: thief.token });
  const open = await openStream(t, first, { token: twin.token });
  assert.equal((await remove(first, heir.id)).status, 204);
  const removal = await remove(first, thief.id);
  assert.deepEqual([removal.status, removal.text], [204, ""]);
  assert.doesNotMatch(await stream.ended(), /device/);
  await first.write("POST", "/api/toppings", topping());
  assert.equal((await open.next()).event, "toppings.created", "no event of a device comes before");
  assertProblem(await remove(first, thief.id), "not-found");
  const check = async (forno: Forno): Promise<void> => {
    for (const token of [thief.token, heir.token]) await assertRemoved(forno, token);
    for (const token of [twin.token, byHeir.token]) await assertSignedIn(forno, token);
    assert.deepEqual(ids(await list(forno)), [twin.id, byHeir.id]);
  };
  await check(first);
  await first.close();
  await check(await startForno(t, { dataDir: first.dataDir }));
  // A backup that is restored has the devices of its time.
  const restored = await startForno(t, { store: backup.text });
  await assertSignedIn(restored, thief.token);
  await remove(restored, thief.id);
  await assertRemoved(restored, thief.token);
});

test("a removed device gets no further piece of a list or a backup", async (t) => {
  const forno = await startLarge(t);
  for (const path of ["/api/orders", "/api/backup"]) {
    const { id, token } = await added(forno);
    const readOn = await beginRead(forno, path, token);
    assert.equal((await remove(forno, id)).status, 204);
    await assert.rejects(readOn(), path);
  }
});

test("a device that is no owner may sign itself out, and removes no other", async (t) => {
  const forno = await startForno(t);
  const owner = await added(forno, { ...tablet, role: "owner" });
  for (const role of ["staff", "reader", "owner"]) {
    const { id, token } = await added(forno, { ...tablet, role });
    if (role !== "owner") assertProblem(await remove(forno, owner.id, token), "forbidden");
    assert.equal((await remove(forno, id, token)).status, 204);
    await assertRemoved(forno, token);
  }
});

test("a write whose body arrives after the removal of its device is refused", async (t) => {
  const forno = await startForno(t);
  for (const [path, value] of [["/api/devices", tablet], ["/api/toppings", topping()]] as const) {
    const { id, token } = await added(forno, { ...tablet, role: "owner" });
    const finish = await holdBody(t, forno.port, `POST ${path}`, bearer(token), value);
    await remove(forno, id);
    const { detail } = assertProblem(await finish(), "not-authenticated");
    assert.match(detail, /^this device was removed; /);
  }
  assert.deepEqual((await list(forno)).json, []);
});

test("beyond 500 devices those whose time is over make room, else it is 409", async (t) => {
  holdClock(t, "2026-01-31T18:00:00.000Z");
  const deviceLine = (index: number): StoredLine => ({
    event: "devices.created",
    data: {
      id: `d${index}`, name: "bar", role: "staff", addedAt: "2026-01-31T17:00:00.000Z",
      expiresAt: index === 0 ? "2026-01-31T18:01:00.000Z" : "2026-02-01T17:00:00.000Z",
    },
  });
  const store = storeFile(Array.from({ length: 495 }, (_, index) => deviceLine(index)));
  const forno = await startForno(t, { store });
  /** Adds so many at the same time, and counts the refusals. */
  const refusals = async (count: number): Promise<number> => {
    const all = await Promise.all(Array.from({ length: count }, () => add(forno)));
    const refused = all.filter(({ status }) => status !== 201);
    for (const one of refused) {
      assert.match(assertProblem(one, "too-many-devices").detail, /^there are 500 devices/);
    }
    return refused.length;
  };
  // The last ones are decided before the first ones are on disk.
  assert.deepEqual([await refusals(9), await refusals(1)], [4, 1]);
  t.mock.timers.tick(60_000);
  assert.equal(await refusals(2), 1);
  assertProblem(await remove(forno, "d0"), "not-found");
  const held = ids(await list(forno));
  assert.equal(held.length, 500);
  await remove(forno, held[0] ?? "");
  assert.equal(await refusals(1), 0);
});

/** The status of a read by a client behind the proxy. */
async function ask(forno: Client, token: string, address: string): Promise<number> {
  const headers = { "x-forwarded-for": address };
  return (await forno.call("GET", "/api/toppings/funghi", { token, headers })).status;
}

test("an open board is served while guests at its address are refused", async (t) => {
  holdClock(t, "2026-01-31T18:00:00.000Z");
  holdTime(t);
  const forno = await startForno(t, { env: { TRUST_PROXY: "on", RATE_LIMIT: "1" } });
  const [here, there] = ["192.0.2.1", "192.0.2.2"];
  const [first, second, removed] = [await added(forno), await added(forno), await added(forno)];
  const display = forno.token({ role: "reader", sub: "display" });
  const boards = [first.token, second.token, forno.owner, display];
  const short = forno.token({ role: "staff", sub: "rosa", exp: Date.now() / 1_000 + 1 });
  const gone = [removed.token, short];
  for (const one of [...boards, ...gone]) assert.equal(await ask(forno, one, there), 200);
  await remove(forno, removed.id);
  t.mock.timers.tick(61_000);
  for (const one of gone) assert.equal(await ask(forno, one, there), 401);
  while (await ask(forno, forno.customer, here) === 200);
  // Nothing is verified then.
  const unknown = forno.token({ role: "staff", sub: "new board" });
  const forged = `${first.token.slice(0, -4)}AAAA`;
  for (const one of [forno.customer, unknown, forged, ...gone]) {
    assert.equal(await ask(forno, one, here), 429);
  }
  for (const one of boards) {
    for (let asked = 0; asked < 10; asked += 1) {
      assert.equal(await ask(forno, one, here), 200, "its own rate");
    }
    assert.equal(await ask(forno, one, here), 429, "the same rate");
  }
});
