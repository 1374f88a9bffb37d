/**
 * Contract part 4: who is let in, and the words of 401 and 403. Tokens are made here by hand
 * (RFC 7515 section 3, RFC 7519 section 4), so that every way of being wrong can be said.
 */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { startForno, type Answer, type Forno } from "../helpers/forno.ts";

const topping = { name: "Rocket", isVegetarian: true, isVegan: true };
const size = { name: "Slice", diameterInInches: 4 };
const beverage = { name: "Cola", isCarbonated: true, sizeOptions: ["0.33 l"] };
const order = { pizzaSize: { id: "grande" }, toppings: [], beverages: [] };
const otherKey = "another key that is long enough to be one";
const now = Date.now() / 1000;
const hour = 3600;

const encode = (text: string | Buffer): string => Buffer.from(text).toString("base64url");

function sign(key: string, payload: string | Buffer, header: object = {}, hash = "sha256"): string {
  const protectedHeader = JSON.stringify({ alg: "HS256", typ: "JWT", ...header });
  const input = `${encode(protectedHeader)}.${encode(payload)}`;
  return `${input}.${createHmac(hash, key).update(input).digest("base64url")}`;
}

const staffClaims = { role: "staff", sub: "rosa-wx731", exp: now + hour };

const claims = (changes: object): string => JSON.stringify({ ...staffClaims, ...changes });

/** What is wrong, the token that is, and what the detail must speak of. */
const badTokens: readonly [string, (key: string) => string, RegExp][] = [
  ["not three parts", () => "gibberish-wx731", /token/i],
  ["only two parts", (key) => sign(key, claims({})).split(".").slice(0, 2).join("."), /token/i],
  ["four parts", (key) => `${sign(key, claims({}))}.wx731`, /token/i],
  ["an empty signature", (key) => sign(key, claims({})).replace(/[^.]+$/, ""), /./],
  ["a signature cut short", (key) => sign(key, claims({})).slice(0, -3), /./],
  ["base64 padding", (key) => `${sign(key, claims({}))}=`, /./],
  ["a character outside base64url", (key) => `${sign(key, claims({})).slice(0, -1)}*`, /./],
  ["another key", () => sign(otherKey, claims({})), /key/i],
  ["alg none", (key) => `${encode('{"alg":"none"}')}.${encode(claims({}))}.${key ? "" : "x"}`, /./],
  ["alg none with a true signature", (key) => sign(key, claims({}), { alg: "none" }), /./],
  ["alg HS512", (key) => sign(key, claims({}), { alg: "HS512" }, "sha512"), /HS256/],
  ["alg HS512 over SHA-256", (key) => sign(key, claims({}), { alg: "HS512" }), /HS256/],
  ["alg RS256", (key) => sign(key, claims({}), { alg: "RS256" }), /HS256/],
  ["alg in lower case", (key) => sign(key, claims({}), { alg: "hs256" }), /HS256/],
  ["no alg", (key) => sign(key, claims({}), { alg: undefined }), /./],
  ["an alg that is no string", (key) => sign(key, claims({}), { alg: ["HS256"] }), /./],
  ["a crit header", (key) => sign(key, claims({}), { crit: ["exp"] }), /crit/],
  ["an empty crit header", (key) => sign(key, claims({}), { crit: [] }), /crit/],
  ["another typ", (key) => sign(key, claims({}), { typ: "at+jwt" }), /typ/],
  ["a typ that is no string", (key) => sign(key, claims({}), { typ: 7 }), /typ/],
  ["claims that are an array", (key) => sign(key, `[${claims({})}]`), /./],
  ["claims that are not JSON", (key) => sign(key, "wx731"), /./],
  ["claims that are null", (key) => sign(key, "null"), /./],
  ["claims that are not UTF-8", (key) => sign(key, Buffer.from("7b22c328227d", "hex")), /./],
  ["expired", (key) => sign(key, claims({ exp: now - 90 })), /expired/i],
  ["no exp", (key) => sign(key, claims({ exp: undefined })), /exp/],
  ["a null exp", (key) => sign(key, claims({ exp: null })), /exp/],
  ["a text exp", (key) => sign(key, claims({ exp: String(now + hour) })), /exp/],
  ["an infinite exp", (key) => sign(key, '{"role":"staff","sub":"rosa","exp":1e400}'), /exp/],
  ["not yet valid", (key) => sign(key, claims({ nbf: now + 300 })), /nbf|not|valid from/i],
  ["a text nbf", (key) => sign(key, claims({ nbf: "0" })), /nbf/],
  ["issued in the future", (key) => sign(key, claims({ iat: now + 300 })), /iat|issued/i],
  ["a text iat", (key) => sign(key, claims({ iat: "0" })), /iat/],
  ["an unknown role", (key) => sign(key, claims({ role: "wizard-wx731" })), /role/],
  ["a role in capitals", (key) => sign(key, claims({ role: "STAFF" })), /role/],
  ["a list of roles", (key) => sign(key, claims({ role: ["staff"] })), /role/],
  ["no role", (key) => sign(key, claims({ role: undefined })), /role/],
  ["a role by way of __proto__", (key) =>
    sign(key, `{"__proto__":{"role":"staff"},"sub":"rosa","exp":${now + hour}}`), /role/],
  ["a customer without sub", (key) =>
    sign(key, claims({ role: "customer", sub: undefined })), /sub/],
  ["an empty sub", (key) => sign(key, claims({ sub: "" })), /sub/],
  ["a sub of 201 characters", (key) => sign(key, claims({ sub: "x".repeat(201) })), /sub/],
  ["a number as sub", (key) => sign(key, claims({ sub: 731 })), /sub/],
  ["the role twice", (key) =>
    sign(key, `{"role":"customer","role":"staff","sub":"rosa","exp":${now + hour}}`), /./],
  ["the same role twice, once escaped", (key) =>
    sign(key, `{"role":"staff","r\\u006fle":"staff","sub":"rosa","exp":${now + hour}}`), /./],
  ["the exp twice", (key) =>
    sign(key, `{"role":"staff","sub":"rosa","exp":1,"exp":${now + hour}}`), /./],
];

const goodTokens: readonly [string, string, object?][] = [
  ["as the service makes them", claims({})],
  ["without typ", claims({}), { typ: undefined }],
  ["with a key id", claims({}), { kid: "2031-07" }],
  ["staff without sub", claims({ sub: undefined })],
  ["with a sub of 200 characters", claims({ sub: "x".repeat(200) })],
  ["with fractional dates", claims({ exp: now + 0.25 + hour, iat: now - 0.5, nbf: now - 0.5 })],
  ["expired within the leeway", claims({ exp: now - 20 })],
  ["valid from within the leeway", claims({ nbf: now + 20 })],
  ["issued within the leeway", claims({ iat: now + 20 })],
  ["with claims of somebody else's", claims({ jti: "a", name: "Rosa", nested: { role: "none" } })],
];

/** A 401 or 403 that says what it must and nothing of what was sent. */
function assertRefused(answer: Answer, status: 401 | 403, detail: RegExp, sent = ""): void {
  assert.equal(answer.status, status, answer.text);
  assert.match(answer.headers.get("content-type") ?? "", /^application\/problem\+json/);
  const type = status === 401 ? "not-authenticated" : "forbidden";
  assert.equal(answer.json.type, `/problems/${type}`);
  assert.equal(answer.json.status, status);
  assert.match(answer.json.detail, detail);
  assert.match(answer.headers.get("www-authenticate") ?? "", /^Bearer\b/);
  const everything = answer.text + JSON.stringify([...answer.headers]);
  for (const part of [sent, ...sent.split("."), "wx731"].filter((text) => text.length > 3)) {
    assert.ok(!everything.includes(part), `${part} came back in ${everything}`);
  }
}

const writes: readonly [string, string, object | undefined][] = [
  ...Object.entries({ toppings: topping, pizzasizes: size, beverages: beverage, orders: order })
    .flatMap(([kind, body]): [string, string, object | undefined][] => [
      ["POST", `/api/${kind}`, body],
      ["PUT", `/api/${kind}/nobody-has-this`, body],
      ["PATCH", `/api/${kind}/nobody-has-this`, {}],
      ["DELETE", `/api/${kind}/nobody-has-this`, undefined],
    ]),
];

test("every write without a token is 401 with a challenge that names no error", async (t) => {
  const forno = await startForno(t);
  for (const [method, path, body] of writes) {
    const answer = await forno.call(method, path, { body });
    assertRefused(answer, 401, /token/i);
    assert.doesNotMatch(answer.headers.get("www-authenticate") ?? "", /error=/);
  }
});

test("a customer places orders, and every other write is 403 in words", async (t) => {
  const forno = await startForno(t);
  for (const [method, path, body] of writes) {
    const answer = await forno.call(method, path, { body, token: forno.customer });
    if (method === "POST" && path === "/api/orders") assert.equal(answer.status, 201);
    else {
      assertRefused(answer, 403, /staff/i, forno.customer);
      assert.match(answer.headers.get("www-authenticate") ?? "", /insufficient_scope/);
    }
  }
});

test("staff may write everything: only an unknown id stands in the way", async (t) => {
  const forno = await startForno(t);
  for (const [method, path, body] of writes) {
    const answer = await forno.call(method, path, { body, token: forno.staff });
    assert.equal(answer.status, method === "POST" ? 201 : 404, `${method} ${path}`);
  }
});

test("a bad token is 401, says what is wrong with it and nothing of what it holds", async (t) => {
  const forno = await startForno(t);
  for (const [what, make, detail] of badTokens) {
    const token = make(forno.secret);
    await t.test(what, async () => {
      const answer = await forno.call("POST", "/api/toppings", { token, body: topping });
      assertRefused(answer, 401, detail, token);
      assert.match(answer.headers.get("www-authenticate") ?? "", /error="invalid_token"/);
    });
  }
});

test("a good token of any make is let in", async (t) => {
  const forno = await startForno(t);
  for (const [what, payload, header] of goodTokens) {
    const token = sign(forno.secret, payload, header);
    const answer = await forno.call("POST", "/api/toppings", { token, body: topping });
    assert.equal(answer.status, 201, `${what}: ${answer.text}`);
  }
});

test("an expired token is told when it expired and what time the server has", async (t) => {
  const forno = await startForno(t);
  const exp = Math.floor(now) - hour;
  const token = sign(forno.secret, claims({ exp }));
  const { json } = await forno.call("POST", "/api/toppings", { token, body: topping });
  const times: string[] = json.detail.match(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g) ?? [];
  assert.equal(times.length, 2, json.detail);
  assert.equal(Date.parse(times[0] ?? ""), exp * 1000);
  assert.ok(Date.parse(times[1] ?? "") > exp * 1000);
});

test("the scheme is read in any case", async (t) => {
  const forno = await startForno(t);
  for (const scheme of ["Bearer", "bearer", "BEARER", "bEaReR"]) {
    const headers = { authorization: `${scheme} ${forno.staff}` };
    const answer = await forno.call("POST", "/api/toppings", { headers, body: topping });
    assert.equal(answer.status, 201, scheme);
  }
});

test("a missing space after Bearer is said to be missing", async (t) => {
  const forno = await startForno(t);
  const headers = { authorization: `Bearer${forno.staff}` };
  const answer = await forno.call("POST", "/api/toppings", { headers, body: topping });
  assertRefused(answer, 401, /space/i, forno.staff);
});

test("Bearer with nothing after it is 401 on a write", async (t) => {
  const forno = await startForno(t);
  const headers = { authorization: "Bearer" };
  const answer = await forno.call("POST", "/api/toppings", { headers, body: topping });
  assertRefused(answer, 401, /token/i);
});

test("another scheme counts as no token: reads go on, writes ask for one", async (t) => {
  const forno = await startForno(t);
  const others = ["Basic cm9zYTp3eDczMQ==", "Digest username=rosa", "Negotiate YQ==", "Bearer-2 YQ=="];
  for (const authorization of others) {
    const headers = { authorization };
    assert.equal((await forno.call("GET", "/api/toppings", { headers })).status, 200);
    const answer = await forno.call("POST", "/api/toppings", { headers, body: topping });
    assertRefused(answer, 401, /token/i, authorization.split(" ")[1]);
    assert.doesNotMatch(answer.headers.get("www-authenticate") ?? "", /error=/);
  }
});

test("a bad token on an open read is 401 and not silently ignored", async (t) => {
  const forno = await startForno(t);
  const token = sign(forno.secret, claims({ exp: now - hour }));
  for (const path of ["/api/toppings", "/api/toppings/funghi", "/api/orders"]) {
    assertRefused(await forno.call("GET", path, { token }), 401, /expired/i, token);
    const head = await forno.call("HEAD", path, { token });
    assert.deepEqual([head.status, head.text], [401, ""]);
  }
});

test("path and method are judged before the token, id and body after", async (t) => {
  const forno = await startForno(t);
  const token = sign(otherKey, claims({}));
  const status = async (method: string, path: string): Promise<number> =>
    (await forno.call(method, path, { token, body: "not json" })).status;
  assert.equal(await status("POST", "/api/nothing-here"), 404);
  assert.equal(await status("DELETE", "/api/toppings"), 405);
  assert.equal(await status("PUT", "/api/toppings/nobody-has-this"), 401);
  assert.equal(await status("PUT", "/api/toppings/%20"), 401);
  assert.equal(await status("PUT", "/api/toppings/%zz"), 401);
  assert.equal(await status("POST", "/api/toppings/%zz"), 405);
  assert.equal(await status("POST", "/api/toppings"), 401);
});

test("TOKEN_SECRET_PREVIOUS still verifies, and a third key does not", async (t) => {
  const forno = await startForno(t, { env: { TOKEN_SECRET_PREVIOUS: otherKey } });
  const status = async (key: string): Promise<number> => {
    const token = sign(key, claims({}));
    return (await forno.call("POST", "/api/toppings", { token, body: topping })).status;
  };
  assert.deepEqual(
    [await status(forno.secret), await status(otherKey), await status(`${otherKey}!`)],
    [201, 201, 401],
  );
});

test("TOKEN_SECRET is measured and used as its UTF-8 bytes", async (t) => {
  const secret = "è".repeat(16);
  const forno: Forno = await startForno(t, { env: { TOKEN_SECRET: secret } });
  const token = sign(secret, claims({}));
  assert.equal((await forno.call("POST", "/api/toppings", { token, body: topping })).status, 201);
});

test("ORDER_READS=authenticated asks for a token to read orders and nothing else", async (t) => {
  const forno = await startForno(t, { env: { ORDER_READS: "authenticated" } });
  for (const path of ["/api/orders", "/api/orders/nobody-has-this"]) {
    assertRefused(await forno.call("GET", path), 401, /token/i);
  }
  for (const token of [forno.staff, forno.customer]) {
    assert.equal((await forno.call("GET", "/api/orders", { token })).status, 200);
  }
  for (const kind of ["toppings", "pizzasizes", "beverages"]) {
    assert.equal((await forno.call("GET", `/api/${kind}`)).status, 200);
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
