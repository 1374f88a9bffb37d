/** Tokens made here, and their links. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { issueToken, signInLink } from "../../dist/auth/issue.js";
import { verifySignature } from "../../dist/auth/jws.js";
import { createVerifier } from "../../dist/auth/token-verifier.js";
import { key } from "./forged.ts";

test("an issued token is believed here, and ends as long after its issue as it should", () => {
  const customer = { role: "customer", sub: "carla", lifetimeSeconds: 90 } as const;
  const token = issueToken(customer, key);
  const claims = JSON.parse(Buffer.from(verifySignature(token, [key])).toString());
  assert.deepEqual(Object.keys(claims), ["role", "sub", "iat", "exp"]);
  assert.equal(claims.exp - claims.iat, 90);
  assert.ok(Math.abs(claims.iat - Date.now() / 1000) < 60 && Number.isInteger(claims.iat));
  const { role, sub, exp } = claims;
  assert.deepEqual(createVerifier([key])(token), { role, sub, exp });
});

test("a link leads to the page of the role, with the token in its fragment", () => {
  const base = "https://x.example/y";
  assert.equal(signInLink(base, "staff", "a.b.c"), `${base}/board#token=a.b.c`);
  assert.equal(signInLink(base, "customer", "a.b.c"), `${base}/#token=a.b.c`);
});
