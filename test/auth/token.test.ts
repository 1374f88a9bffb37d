/**
 * Tokens as anybody could make them (RFC 7515, 7519, 8725): the form, the algorithm, the signature,
 * the claims, the devices.
 */

import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { test } from "node:test";
import { Callers } from "../../src/auth/callers.ts";
import { TokenError } from "../../src/auth/token.ts";

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

test("a thousand guests do not make the server forget an open board", () => {
  const own = new Callers([key], { nowMs: () => nowMs });
  const board = withClaims({ role: "staff", sub: "board", exp: now + 10 });
  own.verify(board);
  for (let index = 0; index < 1_001; index += 1) {
    own.verify(withClaims({ ...good, sub: `guest ${index}` }));
  }
  assert.equal(own.rememberedAccount(board), "sub board");
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
