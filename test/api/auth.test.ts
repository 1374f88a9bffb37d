/**
 * Who may do what, and the words of a 401 (contract part 4). Then tokens as anybody could make them
 * (RFC 7515, 7519, 8725): the form, the algorithm, the signature, the claims, the devices.
 */

import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { test } from "node:test";
import { Callers } from "../../src/auth/callers.ts";
import { TokenError } from "../../src/auth/token.ts";
import { type CallInit, type Response, startForno } from "../helpers/forno.ts";
import { bearer, parseResponses, rawExchange, requestText } from "../helpers/raw-http.ts";
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

test("a bad token is 401, says what is wrong with it and nothing of what it holds", async (t) => {
  const forno = await startForno(t);
  const { staff } = forno;
  const cure = "; get a token with: ";
  for (const [authorization, words] of [
    [`Bearer ${staff.slice(0, -4)}AAAA`, "the token is signed with another key"],
    [`Bearer ${forno.token({ role: "staff", exp: 1_700_000_000 })}`,
      "the token expired at 2023-11-14T22:13:20"],
    [`Bearer ${forno.token({ role: "staff", device: "lost" })}`, `this device was removed${cure}`],
    [staff, `"Bearer " is missing before the token${cure}`],
    ...[`Bearer${staff}`, `Bearer:${staff}`, `Bearer: ${staff}`, "Bearer"].map((authorization) =>
      [authorization, `expected "Bearer", a space and the token${cure}`] as const),
  ] as const) {
    for (const method of ["GET", "POST"]) {
      const init: CallInit = { headers: { authorization }, body: topping() };
      const response = await forno.call(method, "/api/toppings", init);
      assertRefused(response, new RegExp(`^${words}`), authorization.replace(/Bearer ?/, ""));
    }
  }
});

test("another scheme counts as no token, and Bearer is read in any case", async (t) => {
  const forno = await startForno(t);
  for (const [authorization, got] of [
    [undefined, "none"],
    ["Basic cm9zYTp3eDczMQ==", "another scheme"],
    ["Bearer-2 YQ==", "another scheme"],
  ] as const) {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    assert.equal((await forno.call("GET", "/api/toppings", { headers })).status, 200);
    const response = await forno.call("POST", "/api/toppings", { headers, body: topping() });
    const words = `^expected a header "Authorization: Bearer TOKEN", got ${got}; `;
    assertRefused(response, new RegExp(words), authorization?.split(" ")[1]);
    assert.doesNotMatch(response.headers.get("www-authenticate") ?? "", /error=/);
  }
  const headers = { authorization: `bEaReR ${forno.staff}` };
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
    const [response = assert.fail()] = parseResponses(await rawExchange(forno.port, request));
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

const key = Buffer.from("the key of these tests, which is long enough");
const nowMs = Date.parse("2026-03-01T12:00:00Z");
const now = nowMs / 1000;
const callers = new Callers([key], { nowMs: () => nowMs });

const goodHeader = '{"alg":"HS256","typ":"JWT"}';
const good = { role: "customer", sub: "carla", exp: now + 600 };
const goodClaims = JSON.stringify(good);

/** A rightly signed token of these parts, however odd they are. */
function forge(header: string | Uint8Array, claims: string | Uint8Array, secret = key): string {
  const encoded = [header, claims].map((part) => Buffer.from(part).toString("base64url"));
  return sign(encoded.join("."), secret);
}

/** Whatever stands before the signature. */
function sign(signingInput: string, secret = key): string {
  const signature = createHmac("sha256", secret).update(signingInput).digest("base64url");
  return `${signingInput}.${signature}`;
}

const withClaims = (claims: object): string => forge(goodHeader, JSON.stringify(claims));

/** The refusal's words, which fit into WWW-Authenticate; fails when the token is believed. */
function refusal(token: string, by = callers): string {
  try {
    by.verify(token);
  } catch (error) {
    assert.ok(error instanceof TokenError, String(error));
    assert.match(error.message, /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
    return error.message;
  }
  return assert.fail(`believed: ${token}`);
}

test("tokens of other libraries are believed, with exactly the claims that count", () => {
  for (const header of [
    goodHeader, '{"alg":"HS256"}', '{ "typ" : "application/Jwt",\r\n"kid":"a","alg":"HS256" }',
  ]) {
    assert.deepEqual(callers.verify(forge(header, goodClaims)), good);
  }
  for (const claims of [
    { role: "staff", exp: now + 1 },
    ...["x", "🍕".repeat(200), " ."].map((sub) => ({ ...good, sub })),
    // Sixty seconds of leeway.
    ...[now - 59.999, now, now + 0.5].map((exp) => ({ ...good, exp })),
    ...[now + 60, now, 0, -1e300].map((nbf) => ({ ...good, nbf })),
  ]) {
    // The clock of the server that signed it may have been ahead.
    for (const iat of [now, now + 86_400, 1e300, -1e300]) {
      const others = { iss: "till", jti: "7", x: [1], by: null, iat };
      assert.deepEqual(callers.verify(withClaims({ ...claims, ...others })), claims);
    }
  }
  const twice = '{"role":"customer","r\\u006fle":"staff","exp":1,"exp":9e9}';
  assert.deepEqual(callers.verify(forge(goodHeader, twice)), { role: "staff", exp: 9e9 });
});

/** The message, and the claims that cause it. */
const wrongClaims: readonly (readonly [words: string | RegExp, ...claims: readonly object[]])[] = [
  ["the token has no role", { ...good, role: undefined },
    { exp: good.exp, ...JSON.parse('{"__proto__":{"role":"staff"}}') }],
  ["the token's role must be one of owner, staff, customer, reader",
    ...["", "Staff", "metrics", null, ["staff"]].map((role) => ({ ...good, role }))],
  ["a customer's token needs a sub", { ...good, sub: undefined }],
  ["the token's sub must be a string of 1 to 200 characters, without control characters or lone "
    + "surrogates",
    ...["", "x".repeat(201), "two\nlines", "\u009f", "\ud800", null, 7].map((sub) => (
      { ...good, role: "reader", sub }))],
  ["the token's device must be a string, the id of a device",
    ...[null, "", 7, ["x"], true].map((device) => ({ ...good, device }))],
  ["this device was removed", { ...good, device: "nobody" }, { ...good, device: "__proto__" }],
  ["the token has no expiry (exp)", { ...good, exp: undefined }],
  ["the token's dates (exp, nbf, iat) must be numbers of seconds",
    ...[null, true, [], `${good.exp}`].flatMap((date) => [
      { ...good, exp: date }, { ...good, nbf: date }, { ...good, iat: date }])],
  ["the token's iss and jti must be strings", { ...good, iss: 1 }, { ...good, jti: null }],
  ["the token is for another service (aud)",
    ...["x", [], null].map((aud) => ({ ...good, aud }))],
  ["the token expired at 2026-03-01T10:59:59.500Z; the server's time is 2026-03-01T12:00:00.000Z",
    { ...good, exp: now - 3600.5 }],
  [/^the token expired at /, { ...good, exp: now - 60 }, { ...good, exp: -1e300 }],
  [/^the token is not valid before \S+; the server's time is /,
    { ...good, nbf: now + 60.5 }, { ...good, nbf: 1e300 }],
];

test("wrong claims are refused with what is wrong", () => {
  for (const [words, ...all] of wrongClaims) {
    for (const claims of all) {
      const why = refusal(withClaims(claims));
      if (typeof words === "string") assert.equal(why, words);
      else assert.match(why, words);
    }
  }
  for (const date of ["1e400", "-1e400"]) {
    const why = refusal(forge(goodHeader, `{"role":"staff","exp":${date}}`));
    assert.match(why, /must be numbers of seconds$/);
  }
});

test("only HS256 is accepted, without extensions, as a JWT, whatever the header says", () => {
  for (const [words, member, ...values] of [
    ["the token's algorithm (alg) must be HS256", "alg",
      "none", "HS384", "RS256", "hs256", "", null, ["HS256"]],
    ["the token needs extensions (crit), which are not supported", "crit",
      ["exp"], [], "exp", null],
    ["the token's type (typ) must be JWT", "typ",
      "JWE", "at+jwt", "JWTs", "JWT\n", "", null, ["JWT"]],
  ] as const) {
    for (const value of values) {
      const header = JSON.stringify({ alg: "HS256", [member]: value });
      assert.equal(refusal(forge(header, goodClaims)), words);
      assert.equal(refusal(forge(header, goodClaims).replace(/[^.]*$/, "")), words, "unsigned");
    }
  }
  // A key in the header is none of ours. The algorithm is judged before the signature, and the
  // signature before the claims.
  const own = randomBytes(32);
  const jwk = { kty: "oct", k: own.toString("base64url") };
  const lure = JSON.stringify({ alg: "HS256", jwk, kid: "../../../dev/null" });
  assert.match(refusal(forge(lure, goodClaims, own)), /signed with another key/);
  assert.match(refusal(forge('{"alg":"none"}', "{}", own)), /algorithm/);
  assert.match(refusal(forge(goodHeader, "not JSON at all", own)), /another key/);
});

test("a signature that differs in any bit is refused, also once the token is remembered", () => {
  const token = forge(goodHeader, goodClaims);
  callers.verify(token);
  const [header, claims, signature = ""] = token.split(".");
  const octets = Buffer.from(signature, "base64url");
  for (let bit = 0; bit < 256; bit += 1) {
    const changed = Buffer.from(octets);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    const forged = `${header}.${claims}.${changed.toString("base64url")}`;
    assert.match(refusal(forged), /signed with another key/);
  }
});

test("any spelling of a part but the one canonical base64url is refused", () => {
  const [header = "", claims = "", signature = ""] = forge(goodHeader, goodClaims).split(".");
  // The last of 43 characters carries two bits that mean nothing: these decode to the same octets.
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const last = alphabet.indexOf(signature.at(-1) ?? "");
  const twins = [1, 2, 3].map((bits) => signature.slice(0, -1) + (alphabet[last ^ bits] ?? ""));
  callers.verify(`${header}.${claims}.${signature}`);
  for (const odd of [`${signature}=`, ` ${signature}`, `${signature}\n`, ...twins]) {
    assert.match(refusal(`${header}.${claims}.${odd}`), /signature is not base64url/);
  }
  for (const odd of [`${claims}=`, ` ${claims}`, `${claims}+/`, "é"]) {
    assert.match(refusal(sign(`${header}.${odd}`)), /payload is not base64url/);
  }
  assert.match(refusal(sign(`${header}!.${claims}`)), /header is not base64url/);
});

test("a token has three parts, of which the first two are JSON objects in UTF-8", () => {
  const token = forge(goodHeader, goodClaims);
  for (const odd of ["", token.replace(/\.[^.]*$/, ""), `${token}.`, `.${token}`]) {
    assert.equal(refusal(odd), "malformed token: expected three parts separated by dots");
  }
  for (const octets of [
    "", "null", "[]", "{}{}", "{,}", "[".repeat(1000),
    Buffer.from(goodClaims.replace("carla", "\xff"), "latin1"), Buffer.from(`\ufeff${goodClaims}`),
  ]) {
    const words = /^the token's \w+ is not (a JSON object|JSON in UTF-8)$/;
    assert.match(refusal(forge(goodHeader, octets)), words);
    assert.match(refusal(forge(octets, goodClaims)), words);
  }
});

test("a token longer than 4096 characters is refused unread, one as long is not", () => {
  const lengths = Array.from({ length: 100 }, (_, index) =>
    withClaims({ role: "staff", exp: now + 1, x: "x".repeat(2_900 + index) }));
  assert.ok(lengths.some(({ length }) => length === 4_096));
  for (const token of lengths) {
    if (token.length <= 4_096) assert.equal(callers.verify(token).role, "staff");
    else assert.match(refusal(token), /longer than 4096/);
  }
});

test("a remembered token's dates are checked again, and more than are remembered count", () => {
  let clock = nowMs;
  const own = new Callers([key], { nowMs: () => clock });
  const tokens = Array.from({ length: 1_200 }, (_, index) =>
    withClaims({ role: "customer", sub: `c${index}`, exp: now + 10 }));
  for (const at of [nowMs, nowMs + 69_999]) {
    clock = at;
    for (const [index, token] of tokens.entries()) assert.equal(own.verify(token).sub, `c${index}`);
  }
  const caller = own.verify(tokens[0] ?? "");
  assert.equal(own.mayGoOn(caller), true);
  clock = nowMs + 70_000;
  assert.equal(own.mayGoOn(caller), false);
  assert.match(refusal(tokens.at(-1) ?? "", own), /expired/);
});

test("a token with a device is good while its row is there, if it is in date", () => {
  const rows = new Map([["bar", {}]]);
  let clock = nowMs;
  const own = new Callers([key], { deviceOf: (id) => rows.get(id), nowMs: () => clock });
  const claims = { role: "staff", exp: now + 600, device: "bar" };
  const caller = own.verify(withClaims(claims));
  assert.deepEqual(caller, claims);
  assert.equal(own.mayGoOn(caller), true);
  const expired = withClaims({ ...claims, exp: now - 600 });
  rows.delete("bar");
  assert.equal(own.mayGoOn(caller), false);
  for (const at of [nowMs, nowMs - 50_000, nowMs + 50_000]) {
    clock = at;
    assert.equal(refusal(withClaims(claims), own), "this device was removed");
    assert.equal(own.verify(withClaims({ role: "staff", exp: now + 600 })).role, "staff");
  }
  assert.match(refusal(expired, own), /^the token expired/);
});
