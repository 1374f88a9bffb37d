/** Invites, devices and locks (contract parts 3 and 4). */

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Client, type Response, startForno } from "../helpers/forno.ts";
import { bearer, holdBody } from "../helpers/raw-http.ts";
import { assertFaults, assertProblem } from "./assertions.ts";
import { topping } from "../helpers/samples.ts";
import { openStream } from "./streams.ts";

const tablet = { role: "staff", sub: "Bar tablet", expires: "90m" };

function claimsOf(token: string): any {
  return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
}

async function codeFor(forno: Client, token = forno.staff, sub = tablet.sub): Promise<string> {
  const body = { ...tablet, sub };
  const { status, json, text } = await forno.call("POST", "/api/invites", { token, body });
  assert.equal(status, 201, text);
  return json.code;
}

function redeem(forno: Client, code: unknown): Promise<Response> {
  return forno.call("POST", "/api/tokens", { body: { code } });
}

/** A device that `token` has invited: its own token. */
async function invited(forno: Client, token: string, sub: string): Promise<string> {
  const response = await redeem(forno, await codeFor(forno, token, sub));
  assert.equal(response.status, 201, response.text);
  return response.json.token;
}

function lock(
  forno: Client, sub: unknown, token = forno.staff, isLocked = true,
): Promise<Response> {
  return forno.call("PATCH", "/api/devices", { token, body: { sub, isLocked } });
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
  const { status, json: { code, expiresAt, ...rest } } =
    await forno.write("POST", "/api/invites", tablet);
  assert.deepEqual([status, rest], [201, {}]);
  assert.match(code, /^[\w-]{22}$/);
  assert.ok(Math.abs(Date.parse(expiresAt) - Date.now() - 600_000) < 60_000);
  const made = await redeem(forno, code);
  assert.equal(made.status, 201);
  const { token } = made.json;
  const { iat, exp, ...claims } = claimsOf(token);
  assert.deepEqual(claims, { role: "staff", sub: "Bar tablet", by: ["rosa"] });
  assert.equal(exp, Math.floor(iat) + 5_400);
  const end = new Date(exp * 1_000).toISOString();
  assert.deepEqual(made.json, { token, role: "staff", sub: "Bar tablet", expiresAt: end });
  await assertLetIn(forno, [token]);
  for (const wrong of [code, "", "A".repeat(22), code.slice(1)]) {
    const refused = assertProblem(await redeem(forno, wrong), "not-authenticated");
    assert.match(refused.detail, /used, older than ten minutes or unknown/);
  }
});

test("a code ends after ten minutes, or when a hundred newer ones are open", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: Date.now() });
  const forno = await startForno(t);
  const [first, second, third] =
    [await codeFor(forno), await codeFor(forno), await codeFor(forno)];
  for (let open = 3; open < 101; open += 1) await codeFor(forno);
  assertProblem(await redeem(forno, first), "not-authenticated");
  t.mock.timers.tick(599_999);
  assert.equal((await redeem(forno, second)).status, 201);
  t.mock.timers.tick(1);
  assertProblem(await redeem(forno, third), "not-authenticated");
});

test("a bad invite, a bad code and a bad lock are 400 that points at each fault", async (t) => {
  const forno = await startForno(t);
  for (const [body, ...pointers] of [
    [{}, "#/role", "#/sub", "#/expires"],
    [{ ...tablet, role: "owner", sub: "x".repeat(201), life: 1 }, "#/role", "#/sub", "#/life"],
    ...["", " \u00a0", "two\nlines"].map((sub) => [{ ...tablet, sub }, "#/sub"] as const),
    ...["367d", "1.5h", 30].map((expires) => [{ ...tablet, expires }, "#/expires"] as const),
  ] as const) {
    assertFaults(await forno.asStaff("POST", "/api/invites", body), pointers);
  }
  for (const code of [undefined, 1, null]) assertFaults(await redeem(forno, code), ["#/code"]);
  for (const sub of ["", "x".repeat(201), "two\nlines", "\ud800", 7, undefined]) {
    assertFaults(await lock(forno, sub), ["#/sub"]);
  }
  for (const isLocked of [undefined, "yes", null]) {
    const body = { sub: "x", isLocked };
    assertFaults(await forno.asStaff("PATCH", "/api/devices", body), ["#/isLocked"]);
  }
});

test("a token has a name, at most eight inviters and 4096 characters", async (t) => {
  const forno = await startForno(t);
  const ask = async (token: string, sub: string, refusal: RegExp): Promise<void> => {
    const body = { ...tablet, sub };
    const response = await forno.call("POST", "/api/invites", { token, body });
    assert.match(assertProblem(response, "forbidden").detail, refusal);
  };
  await ask(forno.token({ role: "staff" }), "tablet", /a name \(sub\)/);
  let token = forno.staff;
  for (let step = 1; step <= 7; step += 1) {
    token = await invited(forno, token, `${"م".repeat(199)}${step}`);
  }
  await ask(token, "م".repeat(200), /longer than 4096 characters/);
  const last = await invited(forno, token, "tablet 8");
  assert.equal(claimsOf(last).by.length, 8);
  await assertLetIn(forno, [last]);
  await ask(last, "tablet 9", /at most 8 inviters, and yours has 8/);
});

const odd = "Küche / 2. Stock #1?";

test("devices are listed by name, with when they were seen and locked out", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: Date.parse("2026-01-31T18:00:00.000Z") });
  const forno = await startForno(t);
  const exp = Date.now() / 1_000 + 3_600;
  const rosa = forno.token({ role: "staff", sub: "rosa", exp });
  const oven = forno.token({ role: "staff", sub: odd, exp: 1e15 });
  for (const token of [
    oven,
    forno.token({ role: "reader", sub: "wall", exp }),
    forno.token({ role: "customer", sub: "carla", exp }),
    forno.token({ role: "reader", exp }),
    oven,
  ]) {
    await forno.call("GET", "/api/toppings", { token });
    t.mock.timers.tick(1_000);
  }
  const expiresAt = "2026-01-31T19:00:00.000Z";
  const ovenSeen = {
    sub: odd, isLocked: true, role: "staff", expiresAt: "9999-12-31T23:59:59.000Z",
    seenAt: "2026-01-31T18:00:04.000Z",
  };
  const locked = await lock(forno, odd, rosa);
  assert.deepEqual([locked.status, locked.json], [200, ovenSeen]);
  const unseen = { sub: "never seen", isLocked: true };
  assert.deepEqual((await lock(forno, "never seen", rosa)).json, unseen);
  const { json } = await forno.call("GET", "/api/devices", { token: rosa });
  assert.deepEqual(json, [
    { sub: "rosa", isLocked: false, role: "staff", expiresAt, seenAt: "2026-01-31T18:00:05.000Z" },
    ovenSeen,
    { sub: "wall", isLocked: false, role: "reader", expiresAt, seenAt: "2026-01-31T18:00:01.000Z" },
    unseen,
  ]);
  for (const isAgain of [false, true]) {
    const { status, json } = await lock(forno, odd, forno.staff, false);
    assert.deepEqual([status, json], [200, { ...ovenSeen, isLocked: false }], `${isAgain}`);
  }
  await assertLetIn(forno, [oven]);
});

test("any name that a token can have can be locked out", async (t) => {
  const forno = await startForno(t);
  for (const sub of [".", "..", "/", "%2e", " ", "🍕".repeat(200)]) {
    const token = forno.token({ role: "staff", sub });
    await assertLetIn(forno, [token]);
    assert.equal((await lock(forno, sub)).status, 200);
    await assertLockedOut(forno, [token]);
  }
});

test("nobody locks out who invited them, but anyone themselves", async (t) => {
  const forno = await startForno(t);
  const first = await invited(forno, forno.staff, "first");
  const second = await invited(forno, first, "second");
  // Two that bear the name of who invited them.
  const likeRosa = await invited(forno, first, "rosa");
  const likeFirst = await invited(forno, second, "first");
  for (const [token, sub] of [
    [first, "rosa"], [second, "rosa"], [second, "first"], [likeRosa, "rosa"], [likeFirst, "first"],
  ] as const) {
    const { detail } = assertProblem(await lock(forno, sub, token), "forbidden");
    assert.match(detail, new RegExp(`^"${sub}" has invited your device, and nobody can lock out`));
  }
  await assertLetIn(forno, [forno.staff, first]);
  assert.equal((await lock(forno, "second", first)).status, 200);
  assert.equal((await lock(forno, "first", first)).status, 200);
  await assertLockedOut(forno, [first, second]);
});

/** A stolen tablet, two that it invited, and one that the first of those invited. */
async function stolen(forno: Client): Promise<string[]> {
  const thief = await invited(forno, forno.staff, "stolen");
  const first = await invited(forno, thief, "one");
  return [thief, first, await invited(forno, thief, "two"), await invited(forno, first, "three")];
}

test("one lock ends all that a device invited: tokens, streams and codes", async (t) => {
  const forno = await startForno(t);
  const tokens = await stolen(forno);
  const other = await invited(forno, forno.staff, "other");
  const codes = [await codeFor(forno, tokens[0]), await codeFor(forno, tokens[3])];
  const good = await codeFor(forno, other);
  const streams = await Promise.all(tokens.map((token) => openStream(t, forno, { token })));
  const open = await openStream(t, forno, { token: other });
  assert.equal((await lock(forno, "stolen")).status, 200);
  const ended = await Promise.all(streams.map((stream) => stream.ended()));
  assert.doesNotMatch(ended.join(), /locks/);
  await assertLockedOut(forno, tokens);
  for (const code of codes) assertProblem(await redeem(forno, code), "not-authenticated");
  await assertLetIn(forno, [forno.staff, other]);
  assert.equal((await redeem(forno, good)).status, 201);
  await forno.write("POST", "/api/toppings", topping());
  assert.equal((await open.next()).event, "toppings.created");
  assert.equal((await lock(forno, "stolen", forno.staff, false)).status, 200);
  await assertLetIn(forno, tokens);
});

test("a write whose body arrives after the lock is refused", async (t) => {
  const forno = await startForno(t);
  for (const [path, value] of [["/api/invites", tablet], ["/api/toppings", topping()]] as const) {
    const token = await invited(forno, forno.staff, path);
    const finish = await holdBody(t, forno.port, `POST ${path}`, bearer(token), value);
    await lock(forno, path);
    const { detail } = assertProblem(await finish(), "not-authenticated");
    assert.match(detail, /^locked out; /);
  }
});

test("a token issued after a lock is let in, as for a new tablet by the old name", async (t) => {
  const nowMs = 1_800_000_000_500;
  t.mock.timers.enable({ apis: ["Date"], now: nowMs });
  const forno = await startForno(t);
  const claims = { role: "staff", sub: "Bar tablet" };
  const staff = forno.token({ role: "staff", sub: "rosa" });
  const old = [
    await invited(forno, staff, "Bar tablet"),
    forno.token(claims),
    // By a clock that is 55 s ahead.
    forno.token({ ...claims, iat: nowMs / 1_000 + 55 }),
  ];
  await assertLetIn(forno, old);
  await lock(forno, "Bar tablet", staff);
  t.mock.timers.tick(1);
  const isLocked = async (): Promise<unknown> => {
    const { json } = await forno.call("GET", "/api/devices", { token: staff });
    return json.find(({ sub }: { sub: string }) => sub === "Bar tablet").isLocked;
  };
  assert.equal(await isLocked(), true);
  await assertLetIn(forno, [await invited(forno, staff, "Bar tablet")]);
  assert.equal(await isLocked(), false);
  await assertLockedOut(forno, old);
});

test("locks hold after a restart, and are in a backup", async (t) => {
  const first = await startForno(t);
  const tokens = await stolen(first);
  await lock(first, "stolen");
  await lock(first, "let in again");
  await lock(first, "let in again", first.staff, false);
  assert.match((await first.asStaff("GET", "/api/backup")).text, /"stolen"/);
  await first.close();
  const second = await startForno(t, { dataDir: first.dataDir });
  await assertLockedOut(second, tokens);
  const { json } = await second.asStaff("GET", "/api/devices");
  assert.deepEqual(json.map(({ sub }: { sub: string }) => sub), ["rosa", "stolen"]);
});
