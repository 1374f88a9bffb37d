/**
 * Contract part 4: the words of a 401. Who may do what is in roles.test.ts, and every way in which
 * a token can be wrong is in test/auth.
 */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { type Response, startForno } from "../helpers/forno.ts";

const topping = { name: "Rocket", isVegetarian: true, isVegan: true };
const otherKey = "another key that is long enough to be one";
const now = Date.now() / 1000;
const hour = 3600;

const encode = (text: string): string => Buffer.from(text).toString("base64url");

function sign(key: string, payload: string, header: object = {}): string {
  const protectedHeader = JSON.stringify({ alg: "HS256", typ: "JWT", ...header });
  const input = `${encode(protectedHeader)}.${encode(payload)}`;
  return `${input}.${createHmac("sha256", key).update(input).digest("base64url")}`;
}

const staffClaims = { role: "staff", sub: "rosa-wx731", exp: now + hour };

const claims = (changes: object): string => JSON.stringify({ ...staffClaims, ...changes });

/** One of each kind. All of them are in test/auth. */
const badTokens: readonly [string, (key: string) => string, string | RegExp][] = [
  ["malformed", () => "gibberish-wx731", "malformed token: expected three parts separated by dots"],
  ["signed with another key", () => sign(otherKey, claims({})), /^the token is signed with/],
  ["alg none", (key) => sign(key, claims({}), { alg: "none" }), /^the token's algorithm \(alg\)/],
  ["expired", (key) => sign(key, claims({ exp: now - 90 })), /^the token expired at /],
  ["of a role that was renamed", (key) => sign(key, claims({ role: "metrics" })),
    "the token's role must be one of staff, customer, reader"],
  ["locked out", (key) => sign(key, claims({ sub: "tablet-wx731" })), "locked out"],
];

/** A 401 with this detail, and nothing of what was sent. */
function assertRefused(response: Response, detail: RegExp, sent = ""): void {
  assert.equal(response.status, 401, response.text);
  assert.match(response.headers.get("content-type") ?? "", /^application\/problem\+json/);
  assert.equal(response.json.type, "/problems/not-authenticated");
  assert.equal(response.json.status, 401);
  assert.match(response.json.detail, detail);
  assert.match(response.headers.get("www-authenticate") ?? "", /^Bearer\b/);
  const everything = response.text + JSON.stringify([...response.headers]);
  for (const part of [sent, ...sent.split("."), "wx731"].filter((text) => text.length > 3)) {
    assert.ok(!everything.includes(part), `${part} came back in ${everything}`);
  }
}

test("a bad token is 401, says what is wrong with it and nothing of what it holds", async (t) => {
  const forno = await startForno(t);
  await forno.asStaff("PUT", "/api/devices/tablet-wx731/lock");
  for (const [what, make, reason] of badTokens) {
    const token = make(forno.secret);
    await t.test(what, async () => {
      const response = await forno.call("POST", "/api/toppings", { token, body: topping });
      assertRefused(response, typeof reason === "string" ? startOf(reason) : reason, token);
      assert.match(response.headers.get("www-authenticate") ?? "", /error="invalid_token"/);
    });
  }
  assert.equal((await forno.asStaff("GET", "/api/toppings")).status, 200);
});

function startOf(reason: string): RegExp {
  return new RegExp(`^${reason.replaceAll(/[()]/g, "\\$&")}; get a token with: `);
}

test("the scheme is read in any case", async (t) => {
  const forno = await startForno(t);
  for (const scheme of ["Bearer", "bearer", "BEARER", "bEaReR"]) {
    const headers = { authorization: `${scheme} ${forno.staff}` };
    const response = await forno.call("POST", "/api/toppings", { headers, body: topping });
    assert.equal(response.status, 201, scheme);
  }
});

test("a missing Bearer, and a missing space after it, are named, on reads too", async (t) => {
  const forno = await startForno(t);
  for (const [authorization, reason] of [
    [forno.staff, '"Bearer " is missing before the token'],
    [`Bearer${forno.staff}`, 'the space after "Bearer" is missing'],
  ] as const) {
    for (const method of ["GET", "POST"]) {
      const response = await forno.call(method, "/api/toppings", { headers: { authorization } });
      assertRefused(response, startOf(reason), forno.staff);
    }
  }
});

test("Bearer with nothing after it, and no header at all, are 401 on a write", async (t) => {
  const forno = await startForno(t);
  const headers = { authorization: "Bearer" };
  assertRefused(await forno.call("POST", "/api/toppings", { headers, body: topping }), /token/i);
  const without = await forno.call("POST", "/api/toppings", { body: topping });
  assertRefused(without, /^expected a header "Authorization: Bearer TOKEN", got none; /);
});

test("another scheme counts as no token: reads go on, writes ask for one", async (t) => {
  const forno = await startForno(t);
  const others = ["Basic cm9zYTp3eDczMQ==", "Digest username=rosa", "Bearer-2 YQ=="];
  for (const authorization of others) {
    const headers = { authorization };
    assert.equal((await forno.call("GET", "/api/toppings", { headers })).status, 200);
    const response = await forno.call("POST", "/api/toppings", { headers, body: topping });
    const expected = /^expected a header "Authorization: Bearer TOKEN", got another scheme; /;
    assertRefused(response, expected, authorization.split(" ")[1]);
    assert.doesNotMatch(response.headers.get("www-authenticate") ?? "", /error=/);
  }
});

test("a token that strays into a path or a query is not echoed", async (t) => {
  const forno = await startForno(t);
  const { staff } = forno;
  for (const path of [`/${staff}`, `/${staff.replaceAll(".", "%2e")}`, `/api/toppings/${staff}`]) {
    assert.doesNotMatch((await forno.call("GET", path)).text, /eyJ/, path);
  }
  for (const query of [staff, `limit=${staff}`, `${staff}=1`]) {
    assert.doesNotMatch((await forno.call("GET", `/api/toppings?${query}`)).text, /eyJ/, query);
  }
});
