import assert from "node:assert/strict";
import { test } from "node:test";
import { signToken } from "../../dist/auth/jws.js";
import { withoutTokens } from "../../dist/log/redact.js";

const token = signToken({ role: "staff", exp: 2_000_000_000 }, Buffer.alloc(32, "k"));

test("a token is cut out of whatever stands around it", () => {
  assert.equal(withoutTokens(`a ${token} b ${token}`), "a [token] b [token]");
  assert.equal(withoutTokens(`/api/orders?token=${token}&x=1`), "/api/orders?token=[token]&x=1");
  assert.equal(withoutTokens(token.replaceAll(".", "%2E")), "[token]");
});

test("a token that lost its end is still none to be shown", () => {
  const [header = ""] = token.split(".");
  for (let length = header.length + 1; length < token.length; length += 1) {
    assert.equal(withoutTokens(`/${token.slice(0, length)}`), "/[token]");
  }
});

test("percent-encoding hides no token", () => {
  for (let index = 0; index < token.length; index += 1) {
    const code = token.charCodeAt(index).toString(16);
    const spelled = `${token.slice(0, index)}%${code}${token.slice(index + 1)}`;
    assert.equal(withoutTokens(`/api/orders/${spelled}?a=%20`), "/api/orders/[token]?a=%20");
  }
});

test("text without a token stays as it is", () => {
  for (const text of [
    "/api/orders/K7QX3M",
    "/api/orders/a%41%2e%2Fb.c",
    "1.2.3",
    "eyJ.eyJ.x",
    `${"a".repeat(64)}.${"b".repeat(64)}`,
    "",
  ]) {
    assert.equal(withoutTokens(text), text);
  }
});
