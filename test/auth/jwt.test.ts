import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { test } from "node:test";
import { createVerifier, signToken, TokenError, verifySignature } from "../../src/auth/jwt.ts";

const key = Buffer.from("the key of these tests, which is long enough");
const nowMs = Date.parse("2026-03-01T12:00:00Z");
const now = nowMs / 1000;
const verify = createVerifier([key], () => nowMs);

/** A rightly signed token of these parts, however odd they are. */
function forge(header: string | Uint8Array, claims: string | Uint8Array, secret = key): string {
  const encoded = [header, claims].map((part) => Buffer.from(part).toString("base64url"));
  return sign(encoded.join("."), secret);
}

function sign(signingInput: string, secret = key): string {
  const signature = createHmac("sha256", secret).update(signingInput).digest("base64url");
  return `${signingInput}.${signature}`;
}

const goodHeader = '{"alg":"HS256","typ":"JWT"}';
const goodClaims = JSON.stringify({ role: "customer", sub: "carla", exp: now + 600 });

/** The refusal's words; fails when the token is believed. */
function refusal(token: string, verifier = verify): string {
  try {
    verifier(token);
  } catch (error) {
    assert.ok(error instanceof TokenError, String(error));
    return error.message;
  }
  return assert.fail(`believed: ${token}`);
}

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

test("a token that was signed here is believed, with exactly the claims that count", () => {
  const claims = { role: "customer", sub: "carla", exp: now + 1 };
  const more = { iat: now, nbf: now, iss: "till", jti: "7", x: [1] };
  assert.deepEqual(verify(signToken({ ...claims, ...more }, key)), claims);
  const staff = verify(signToken({ role: "staff", exp: now + 1 }, key));
  assert.deepEqual(staff, { role: "staff", exp: now + 1 });
});

test("what another library signs is believed, whatever the order and spacing of its JSON", () => {
  const headers = ['{"alg":"HS256"}', '{ "typ" : "jwt",\r\n"kid":"a","alg":"HS256" }', goodHeader];
  for (const header of headers) assert.equal(verify(forge(header, goodClaims)).sub, "carla");
});

test("only HS256 is accepted, whatever the header says", () => {
  const names = ["none", "None", "HS384", "HS512", "RS256", "ES256", "hs256", " HS256", ""];
  for (const alg of [...names, null, 1, true, ["HS256"], undefined]) {
    const header = JSON.stringify({ alg, typ: "JWT" });
    assert.equal(refusal(forge(header, goodClaims)), "the token's algorithm (alg) is not HS256");
    const [unsigned] = forge(header, goodClaims).split(/(?<=\..*\.)/);
    assert.equal(refusal(unsigned ?? ""), "the token's algorithm (alg) is not HS256");
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

test("the algorithm is judged before the signature, and the signature before the claims", () => {
  const other = randomBytes(32);
  assert.match(refusal(forge('{"alg":"none"}', "{}", other)), /algorithm/);
  assert.match(refusal(forge(goodHeader, "not JSON at all", other)), /another key/);
  assert.match(refusal(forge(goodHeader, '{"role":"owner","exp":1}', other)), /another key/);
});

test("a signature that differs in any bit is refused, also once the token is remembered", () => {
  const token = forge(goodHeader, goodClaims);
  const fresh = createVerifier([key], () => nowMs);
  const [header, claims, signature = ""] = token.split(".");
  const octets = Buffer.from(signature, "base64url");
  for (const verifier of [fresh, verify]) {
    verify(token);
    for (let bit = 0; bit < 256; bit += 1) {
      const changed = Buffer.from(octets);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const forged = `${header}.${claims}.${changed.toString("base64url")}`;
      assert.match(refusal(forged, verifier), /signed with another key/);
    }
  }
});

test("any spelling of a part but the one canonical base64url is refused", () => {
  const [header = "", claims = "", signature = ""] = forge(goodHeader, goodClaims).split(".");
  // The last of 43 characters carries two bits that mean nothing: these decode to the same octets.
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const last = alphabet.indexOf(signature.at(-1) ?? "");
  const twins = [1, 2, 3].map((bits) => signature.slice(0, -1) + (alphabet[last ^ bits] ?? ""));
  for (const verifier of [verify, createVerifier([key], () => nowMs)]) {
    verify(`${header}.${claims}.${signature}`);
    const odds = [`${signature}=`, ` ${signature}`, `${signature}\n`, `${signature}é`, ...twins];
    for (const odd of odds) {
      assert.match(refusal(`${header}.${claims}.${odd}`, verifier), /signature is not base64url/);
    }
  }
  for (const odd of [`${claims}=`, ` ${claims}`, `${claims}\t`, `${claims}+/`, "é"]) {
    assert.match(refusal(sign(`${header}.${odd}`)), /payload is not base64url/);
  }
  for (const odd of [`${header}=`, `${header}\r\n`, `${header}!`, "=", "Ā"]) {
    assert.match(refusal(sign(`${odd}.${claims}`)), /header is not base64url/);
  }
});

test("what is not three parts is refused", () => {
  const token = forge(goodHeader, goodClaims);
  const [header = "", claims = ""] = token.split(".");
  const twoParts = `${header}.${claims}`;
  for (const odd of ["", ".", header, twoParts, `${token}.`, `.${token}`, "a.b.c.d.e"]) {
    assert.match(refusal(odd), /not three parts/);
  }
  assert.match(refusal(".."), /header is not JSON/);
});

test("a token longer than 4096 characters is refused unread, one as long is not", () => {
  const padded = (count: number): string =>
    forge(goodHeader, JSON.stringify({ role: "staff", exp: now + 1, x: "x".repeat(count) }));
  assert.equal(verify(padded(2947)).role, "staff");
  assert.ok(padded(2947).length <= 4096 && padded(3000).length > 4096);
  assert.match(refusal(padded(3000)), /longer than 4096/);
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

test("a name that stands twice is refused, in either part, at any depth, in any spelling", () => {
  const doubled = [
    '"role":"customer","role":"staff","exp":9e9',
    '"role":"staff","exp":9e9,"r\\u006fle":"customer"',
    '"role":"staff","exp":1,"exp" : 9e9',
    '"role":"staff","exp":9e9,"x":{"a":1,"b":[{"a":1,"a":2}]}',
    '"role":"staff","exp":9e9,"\\"":1,"\\u0022":2',
    '"role":"staff","exp":9e9,"__proto__":1,"__proto__":2',
  ];
  for (const members of doubled) {
    const why = refusal(forge(goodHeader, `{${members}}`));
    assert.equal(why, "a name stands twice in the token's payload");
  }
  const header = '{"alg":"HS256","alg":"HS256"}';
  assert.equal(refusal(forge(header, goodClaims)), "a name stands twice in the token's header");
});

test("one name in two objects, or in a string, is not taken for a repetition", () => {
  const others = '"a":{"role":1},"b":[{"role":1},{"role":1}],"c":"\\"role\\":{"';
  assert.equal(verify(forge(goodHeader, `{"role":"staff","exp":9e9,${others}}`)).role, "staff");
});

test("a missing or unknown role is refused", () => {
  const exp = now + 600;
  assert.equal(refusal(forge(goodHeader, `{"exp":${exp}}`)), "the token has no role");
  for (const role of ["", "Staff", "admin", "staff ", null, 1, true, ["staff"], {}]) {
    const claims = JSON.stringify({ role, sub: "x", exp });
    assert.match(refusal(forge(goodHeader, claims)), /role is neither staff nor customer/);
  }
  const inherited = `{"__proto__":{"role":"staff"},"exp":${exp}}`;
  assert.equal(refusal(forge(goodHeader, inherited)), "the token has no role");
});

test("a customer needs a subject, and a subject is a string of 1 to 200 characters", () => {
  const exp = now + 600;
  const withoutSub = signToken({ role: "customer", exp }, key);
  assert.equal(refusal(withoutSub), "the customer's token has no subject (sub)");
  for (const role of ["staff", "customer"]) {
    for (const sub of ["", "x".repeat(201), null, 7, true, ["carla"], {}]) {
      const why = refusal(signToken({ role, sub, exp }, key));
      assert.equal(why, "the token's subject (sub) is not a string of 1 to 200 characters");
    }
    for (const sub of ["x", "x".repeat(200), "🍕".repeat(200), "zwei\nZeilen"]) {
      assert.deepEqual(verify(signToken({ role, sub, exp }, key)), { role, sub, exp });
    }
  }
});

test("dates are finite numbers, and the expiry must be there", () => {
  assert.equal(refusal(signToken({ role: "staff" }, key)), "the token has no expiry (exp)");
  const later = now + 600;
  const odds = ["null", "true", "[]", "{}", "1e400", "-1e400", `"${later}"`, '"2999-01-01"'];
  for (const odd of odds) {
    for (const dates of [`"exp":${odd}`, `"exp":${later},"nbf":${odd}`, `"exp":9e9,"iat":${odd}`]) {
      const why = refusal(forge(goodHeader, `{"role":"staff",${dates}}`));
      assert.equal(why, "the token's dates (exp, nbf, iat) are not all numbers of seconds");
    }
  }
});

test("an iss or jti of a wrong type is refused, and so is a token for some audience", () => {
  const good = { role: "staff", exp: now + 600 };
  for (const odd of [1, null, true, ["x"], {}]) {
    assert.match(refusal(signToken({ ...good, iss: odd }, key)), /iss or jti is not a string/);
    assert.match(refusal(signToken({ ...good, jti: odd }, key)), /iss or jti is not a string/);
  }
  for (const aud of ["another-service", ["a", "b"], [], null, 1]) {
    assert.match(refusal(signToken({ ...good, aud }, key)), /\(aud\)/);
  }
  assert.equal(verify(signToken({ ...good, iss: "till", jti: "1" }, key)).role, "staff");
});

test("a token counts until 60 seconds after exp, and then says both times", () => {
  for (const exp of [now - 59.999, now - 59, now, now + 0.5]) {
    assert.equal(verify(signToken({ role: "staff", exp }, key)).exp, exp);
  }
  for (const exp of [now - 60, now - 60.001, now - 1e6, 0, -1, -1e300]) {
    assert.match(refusal(signToken({ role: "staff", exp }, key)), /^the token expired at /);
  }
  assert.equal(
    refusal(signToken({ role: "staff", exp: now - 3600.5 }, key)),
    "the token expired at 2026-03-01T10:59:59.500Z; the server's time is 2026-03-01T12:00:00.000Z",
  );
});

test("a token counts from 60 seconds before nbf and iat on, and before says both times", () => {
  const exp = now + 1e6;
  for (const name of ["nbf", "iat"]) {
    for (const date of [now + 60, now + 59.5, now, 0, -1e300]) {
      assert.equal(verify(signToken({ role: "staff", exp, [name]: date }, key)).exp, exp);
    }
    for (const date of [now + 60.5, now + 3600, 1e300]) {
      const why = refusal(signToken({ role: "staff", exp, [name]: date }, key));
      assert.match(why, /(is not valid before|says that it was issued at) \S+; the server's time is /);
    }
  }
});

test("a remembered token's dates are checked again on every use", () => {
  let clock = nowMs;
  const verifier = createVerifier([key], () => clock);
  const token = signToken({ role: "staff", nbf: now, exp: now + 10 }, key);
  assert.equal(verifier(token).role, "staff");
  clock = nowMs + 69_999;
  assert.equal(verifier(token).role, "staff");
  clock = nowMs + 70_000;
  assert.match(refusal(token, verifier), /expired/);
  clock = nowMs - 61_000;
  assert.match(refusal(token, verifier), /not valid before/);
});

test("more tokens than are remembered are all still believed, and forged ones are not", () => {
  const claims = (index: number) => ({ role: "customer", sub: `c${index}`, exp: now + 600 });
  const tokens = Array.from({ length: 1200 }, (_, index) => signToken(claims(index), key));
  for (const round of [1, 2]) {
    for (const [index, token] of tokens.entries()) {
      assert.equal(verify(token).sub, `c${index}`, `round ${round}`);
    }
  }
  const [own = "", other = ""] = tokens;
  assert.match(refusal(own.slice(0, -43) + other.slice(-43)), /another key/);
});

test("the previous key verifies too, and a key that is neither does not", () => {
  const previous = randomBytes(48);
  const verifier = createVerifier([key, previous], () => nowMs);
  for (const secret of [key, previous]) {
    assert.equal(verifier(forge(goodHeader, goodClaims, secret)).sub, "carla");
  }
  for (const secret of [randomBytes(48), Buffer.alloc(0), key.subarray(1)]) {
    const why = refusal(forge(goodHeader, goodClaims, secret), verifier);
    assert.equal(why, "the token is signed with another key, or was changed since");
  }
});

test("a refusal holds nothing of the token, and fits into WWW-Authenticate", () => {
  const secretText = "geheim-7391";
  const tokens = [
    secretText,
    forge(`{"alg":"${secretText}"}`, goodClaims),
    forge(`{"alg":"HS256","typ":"${secretText}"}`, goodClaims),
    forge(secretText, goodClaims),
    forge(goodHeader, secretText),
    forge(goodHeader, `{"role":"${secretText}","exp":9e9}`),
    forge(goodHeader, `{"role":"staff","exp":"${secretText}"}`),
    forge(goodHeader, `{"role":"staff","exp":9e9,"aud":"${secretText}"}`),
    forge(goodHeader, `{"role":"staff","exp":1,"sub":"${secretText}"}`),
    forge(goodHeader, `{"role":"staff","${secretText}":1,"${secretText}":2}`),
  ];
  for (const token of tokens) {
    const why = refusal(token);
    assert.ok(!why.includes(secretText), why);
    assert.match(why, /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
  }
});
