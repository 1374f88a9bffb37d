/** The form of a token, its algorithm and its signature: RFC 7515 and RFC 8725. */

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { TokenError, verifySignature } from "../../dist/auth/jws.js";
import { Callers } from "../../dist/auth/callers.js";
import {
  callers, forge, goodClaims, goodHeader, key, nowMs, refusal, sign, verify,
} from "./forged.ts";

test("the example of RFC 7515 appendix A.1 verifies, and its payload comes back as it was", () => {
  const k =
    "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow";
  const token =
    "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9" +
    ".eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNv" +
    "bS9pc19yb290Ijp0cnVlfQ" +
    ".dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
  const payload = '{"iss":"joe",\r\n "exp":1300819380,\r\n "http://example.com/is_root":true}';
  const octets = verifySignature(token, [Buffer.from(k, "base64url")]);
  assert.equal(Buffer.from(octets).toString(), payload);
  assert.throws(() => verifySignature(token, [key]), TokenError);
});

test("only HS256 is accepted, whatever the header says", () => {
  const names = ["none", "None", "HS384", "HS512", "RS256", "ES256", "hs256", " HS256", ""];
  for (const alg of [...names, null, 1, true, ["HS256"], undefined]) {
    const header = JSON.stringify({ alg, typ: "JWT" });
    assert.equal(refusal(forge(header, goodClaims)), "the token's algorithm (alg) must be HS256");
    const [unsigned] = forge(header, goodClaims).split(/(?<=\..*\.)/);
    assert.equal(refusal(unsigned ?? ""), "the token's algorithm (alg) must be HS256");
  }
});

test("a key that the token brings along is not looked at", () => {
  const own = randomBytes(32);
  const jwk = { kty: "oct", k: own.toString("base64url") };
  const lures = { jwk, jku: "http://127.0.0.1/", kid: "../../../dev/null" };
  const header = JSON.stringify({ alg: "HS256", ...lures });
  assert.match(refusal(forge(header, goodClaims, own)), /signed with another key/);
});

test("crit and any type but JWT are refused", () => {
  for (const crit of [["exp"], [], ["b64"], "exp", null, {}]) {
    assert.match(refusal(forge(JSON.stringify({ alg: "HS256", crit }), goodClaims)), /\(crit\)/);
  }
  for (const typ of ["JWE", "at+jwt", "JWTs", "JWT\n", " JWT", "", null, 1, ["JWT"]]) {
    assert.match(refusal(forge(JSON.stringify({ alg: "HS256", typ }), goodClaims)), /\(typ\)/);
  }
});

test("the type JWT may be spelled as a media type, and in any case", () => {
  for (const typ of ["JWT", "jwt", "application/jwt", "Application/JWT"]) {
    verify(forge(JSON.stringify({ alg: "HS256", typ }), goodClaims));
  }
});

test("any spelling of a part but the one canonical base64url is refused", () => {
  const [header = "", claims = "", signature = ""] = forge(goodHeader, goodClaims).split(".");
  // The last of 43 characters carries two bits that mean nothing: these decode to the same octets.
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const last = alphabet.indexOf(signature.at(-1) ?? "");
  const twins = [1, 2, 3].map((bits) => signature.slice(0, -1) + (alphabet[last ^ bits] ?? ""));
  for (const one of [callers, new Callers([key], { nowMs: () => nowMs })]) {
    verify(`${header}.${claims}.${signature}`);
    const odds = [`${signature}=`, ` ${signature}`, `${signature}\n`, `${signature}é`, ...twins];
    for (const odd of odds) {
      assert.match(refusal(`${header}.${claims}.${odd}`, one), /signature is not base64url/);
    }
  }
  for (const odd of [`${claims}=`, ` ${claims}`, `${claims}\t`, `${claims}+/`, "é"]) {
    assert.match(refusal(sign(`${header}.${odd}`)), /payload is not base64url/);
  }
  for (const odd of [`${header}=`, `${header}\r\n`, `${header}!`, "=", "Ā"]) {
    assert.match(refusal(sign(`${odd}.${claims}`)), /header is not base64url/);
  }
});

test("a token that does not have three parts is refused", () => {
  const token = forge(goodHeader, goodClaims);
  const [header = "", claims = ""] = token.split(".");
  const twoParts = `${header}.${claims}`;
  for (const odd of ["", ".", header, twoParts, `${token}.`, `.${token}`, "a.b.c.d.e"]) {
    assert.match(refusal(odd), /^malformed token: expected three parts separated by dots$/);
  }
  assert.match(refusal(".."), /header is not JSON/);
});

test("a header or claims that are not one JSON object in UTF-8 are refused", () => {
  const odd = [
    "", " ", "null", "1", '"staff"', "[]", '["role"]', "{", "{}{}", "{'role':'staff'}", "{,}",
    Buffer.from([0x7b, 0xff, 0x7d]),
    Buffer.from('{"a":"\xc3"}', "latin1"),
    Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(goodClaims)]),
    Buffer.from(goodClaims, "utf16le"),
    "[".repeat(1000),
  ];
  for (const octets of odd) {
    assert.match(refusal(forge(goodHeader, octets)), /^the token's payload is not (a )?JSON/);
    assert.match(refusal(forge(octets, goodClaims)), /^the token's header is not (a )?JSON/);
  }
});
