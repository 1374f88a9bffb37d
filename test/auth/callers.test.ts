/** Callers: the order of its checks, its keys and locks; and issued tokens. */

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { signToken, verifySignature } from "../../dist/auth/jws.js";
import { Callers } from "../../dist/auth/callers.js";
import { forge, goodClaims, goodHeader, key, now, nowMs, refusal, verify } from "./forged.ts";
import { issueToken, signInLink } from "../../dist/auth/issue.js";

test("a token that was signed here is believed, with exactly the claims that count", () => {
  const claims = { role: "customer", sub: "carla", exp: now + 1 };
  const more = { iat: now, nbf: now, iss: "till", jti: "7", x: [1] };
  assert.deepEqual(verify(signToken({ ...claims, ...more }, key)), { ...claims, iat: now, nbf: now });
  const staff = verify(signToken({ role: "staff", exp: now + 1 }, key));
  assert.deepEqual(staff, { role: "staff", exp: now + 1 });
});

test("tokens of other libraries are believed, in any order and spacing of JSON", () => {
  const headers = ['{"alg":"HS256"}', '{ "typ" : "jwt",\r\n"kid":"a","alg":"HS256" }', goodHeader];
  for (const header of headers) assert.equal(verify(forge(header, goodClaims)).sub, "carla");
});

test("the algorithm is judged before the signature, and the signature before the claims", () => {
  const other = randomBytes(32);
  assert.match(refusal(forge('{"alg":"none"}', "{}", other)), /algorithm/);
  assert.match(refusal(forge(goodHeader, "not JSON at all", other)), /another key/);
  assert.match(refusal(forge(goodHeader, '{"role":"owner","exp":1}', other)), /another key/);
});

test("a signature that differs in any bit is refused, also once the token is remembered", () => {
  const token = forge(goodHeader, goodClaims);
  verify(token);
  const [header, claims, signature = ""] = token.split(".");
  const octets = Buffer.from(signature, "base64url");
  for (let bit = 0; bit < 256; bit += 1) {
    const changed = Buffer.from(octets);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    const forged = `${header}.${claims}.${changed.toString("base64url")}`;
    assert.match(refusal(forged), /signed with another key/);
  }
});

test("of two claims with one name the last counts", () => {
  const role = '"role":"customer","r\\u006fle":"staff"';
  const token = forge(goodHeader, `{${role},"exp":${now - 99},"exp":${now + 9}}`);
  assert.deepEqual(verify(token), { role: "staff", exp: now + 9 });
});

test("a token longer than 4096 characters is refused unread, one as long is not", () => {
  const padded = (count: number): string =>
    forge(goodHeader, JSON.stringify({ role: "staff", exp: now + 1, x: "x".repeat(count) }));
  const lengths = Array.from({ length: 100 }, (_, index) => padded(2900 + index));
  for (const token of lengths.filter(({ length }) => length <= 4096)) {
    assert.equal(verify(token).role, "staff", `${token.length} characters`);
  }
  assert.ok(lengths.some(({ length }) => length === 4096));
  for (const token of lengths.filter(({ length }) => length > 4096)) {
    assert.match(refusal(token), /longer than 4096/);
  }
});

test("a remembered token's dates are checked again, and more than are remembered count", () => {
  let clock = nowMs;
  const callers = new Callers([key], { nowMs: () => clock });
  const tokens = Array.from({ length: 1_200 }, (_, index) =>
    signToken({ role: "customer", sub: `c${index}`, exp: now + 10 }, key));
  for (const at of [nowMs, nowMs + 69_999]) {
    clock = at;
    for (const [index, token] of tokens.entries()) {
      assert.equal(callers.verify(token).sub, `c${index}`);
    }
  }
  clock = nowMs + 70_000;
  assert.match(refusal(tokens.at(-1) ?? "", callers), /expired/);
  const [own = "", other = ""] = tokens;
  assert.match(refusal(own.slice(0, -43) + other.slice(-43), callers), /another key/);
});

/** 0 stands for a token that does not say when it was issued. */
const issued = [[0, true], [now - 10, true], [now, true], [now + 1, false]] as const;

test("a lock refuses what was issued until then, and what that invited", () => {
  const lockedAt = (sub: string): number | undefined => (sub === "tablet" ? nowMs : undefined);
  const callers = new Callers([key], { lockedAt, nowMs: () => nowMs });
  for (const role of ["staff", "customer", "reader"]) {
    for (const [iat, isRefused] of issued) {
      const claims = { role, exp: now + 600, ...(iat > 0 && { iat }) };
      for (const own of [{ sub: "tablet" }, { sub: "bar", by: ["rosa", "tablet", "oven"] }]) {
        const token = signToken({ ...claims, ...own }, key);
        if (isRefused) assert.equal(refusal(token, callers), "locked out");
        else assert.deepEqual(callers.verify(token), { ...claims, ...own });
      }
      const other = signToken({ ...claims, sub: "tablet-2", by: ["rosa"] }, key);
      assert.equal(callers.verify(other).role, role);
    }
  }
  assert.equal(callers.verify(signToken({ role: "staff", exp: now + 600 }, key)).role, "staff");
});

test("the claims are judged before the locks", () => {
  const callers = new Callers([key], { lockedAt: () => nowMs, nowMs: () => nowMs });
  const token = signToken({ role: "staff", sub: "tablet", exp: now - 600 }, key);
  assert.match(refusal(token, callers), /^the token expired/);
});

test("an older key verifies too, and a key that is neither does not", () => {
  const previous = randomBytes(48);
  const callers = new Callers([key, previous], { nowMs: () => nowMs });
  for (const secret of [key, previous]) {
    assert.equal(callers.verify(forge(goodHeader, goodClaims, secret)).sub, "carla");
  }
  for (const secret of [randomBytes(48), Buffer.alloc(0), key.subarray(1)]) {
    const why = refusal(forge(goodHeader, goodClaims, secret), callers);
    assert.match(why, /^the token is signed with another key, .* DATA_DIR or TOKEN_SECRET /);
  }
});

test("a refusal holds nothing of the token, and fits into WWW-Authenticate", () => {
  const secretText = "geheim-7391";
  const tokens = [
    secretText, forge(`{"alg":"${secretText}"}`, goodClaims),
    forge(`{"alg":"HS256","typ":"${secretText}"}`, goodClaims), forge(secretText, goodClaims),
    forge(goodHeader, secretText), forge(goodHeader, `{"role":"${secretText}","exp":9e9}`),
    forge(goodHeader, `{"role":"staff","exp":"${secretText}"}`),
    forge(goodHeader, `{"role":"staff","exp":9e9,"aud":"${secretText}"}`),
    forge(goodHeader, `{"role":"staff","exp":1,"sub":"${secretText}"}`),
  ];
  for (const token of tokens) {
    const why = refusal(token);
    assert.ok(!why.includes(secretText), why);
    assert.match(why, /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
  }
});

test("an issued token is believed here, and ends as long after its issue as it should", () => {
  const customer = { role: "customer", sub: "carla", lifetimeSeconds: 90 } as const;
  const { token, exp: end } = issueToken(customer, key);
  const claims = JSON.parse(Buffer.from(verifySignature(token, [key])).toString());
  assert.deepEqual(Object.keys(claims), ["role", "sub", "iat", "exp"]);
  assert.equal(claims.exp - claims.iat, 90);
  assert.ok(Math.abs(claims.iat - Date.now() / 1000) < 60 && Number.isInteger(claims.iat));
  assert.equal(claims.exp, end);
  assert.deepEqual(new Callers([key]).verify(token), claims);
});

test("a link leads to the page of the role, with the token in its fragment", () => {
  const base = "https://x.example/y";
  for (const role of ["staff", "reader"] as const) {
    assert.equal(signInLink(base, role, "a.b.c"), `${base}/board#token=a.b.c`);
  }
  assert.equal(signInLink(base, "customer", "a.b.c"), `${base}/#token=a.b.c`);
});
