/** The claims of a token, rightly signed: RFC 7519 section 4. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { signToken } from "../../dist/auth/jws.js";
import { forge, goodHeader, key, now, refusal, verify } from "./forged.ts";

test("a missing or unknown role is refused", () => {
  const exp = now + 600;
  assert.equal(refusal(forge(goodHeader, `{"exp":${exp}}`)), "the token has no role");
  for (const role of ["", "Staff", "admin", "metrics", "staff ", null, 1, true, ["staff"], {}]) {
    const claims = JSON.stringify({ role, sub: "x", exp });
    assert.match(refusal(forge(goodHeader, claims)), /must be one of staff, customer, reader$/);
  }
  const inherited = `{"__proto__":{"role":"staff"},"exp":${exp}}`;
  assert.equal(refusal(forge(goodHeader, inherited)), "the token has no role");
});

test("a customer needs a subject, and a subject is a string of 1 to 200 characters", () => {
  const exp = now + 600;
  const withoutSub = signToken({ role: "customer", exp }, key);
  assert.equal(refusal(withoutSub), "a customer's token needs a subject (sub)");
  for (const role of ["staff", "customer", "reader"]) {
    for (const sub of ["", "x".repeat(201), null, 7, true, ["carla"], {}]) {
      const why = refusal(signToken({ role, sub, exp }, key));
      assert.equal(why, "the token's subject (sub) must be a string of 1 to 200 characters");
    }
    for (const sub of ["x", "x".repeat(200), "🍕".repeat(200), "zwei\nZeilen"]) {
      assert.deepEqual(verify(signToken({ role, sub, exp }, key)), { role, sub, exp });
    }
  }
});

test("inviters are at most eight subjects, and an invited token has one itself", () => {
  const good = { role: "staff", sub: "bar", exp: now + 600 };
  const eight = Array.from({ length: 8 }, (_, index) => `tablet ${index}`);
  for (const by of [[], ["🍕".repeat(200)], eight]) {
    assert.deepEqual(verify(signToken({ ...good, by }, key)), { ...good, by });
  }
  for (const by of [null, "rosa", {}, 1, [""], [1], [null], ["x".repeat(201)], [...eight, "x"]]) {
    const why = refusal(signToken({ ...good, by }, key));
    assert.equal(why, "the token's inviters (by) must be at most 8 subjects");
  }
  const nameless = signToken({ role: "staff", exp: now + 600, by: ["rosa"] }, key);
  assert.equal(refusal(nameless), "an invited token needs a subject (sub)");
});

test("dates are finite numbers, and the expiry must be there", () => {
  assert.equal(refusal(signToken({ role: "staff" }, key)), "the token has no expiry (exp)");
  const later = now + 600;
  const odds = ["null", "true", "[]", "{}", "1e400", "-1e400", `"${later}"`, '"2999-01-01"'];
  for (const odd of odds) {
    for (const dates of [`"exp":${odd}`, `"exp":${later},"nbf":${odd}`, `"exp":9e9,"iat":${odd}`]) {
      const why = refusal(forge(goodHeader, `{"role":"staff",${dates}}`));
      assert.equal(why, "the token's dates (exp, nbf, iat) must be numbers of seconds");
    }
  }
});

test("an iss or jti of a wrong type is refused, and so is a token for some audience", () => {
  const good = { role: "staff", exp: now + 600 };
  for (const odd of [1, null, true, ["x"], {}]) {
    assert.match(refusal(signToken({ ...good, iss: odd }, key)), /iss and jti must be strings/);
    assert.match(refusal(signToken({ ...good, jti: odd }, key)), /iss and jti must be strings/);
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
      const words = /(is not valid before|was issued in the future, at) \S+; the server's time is /;
      assert.match(why, words);
    }
  }
});
