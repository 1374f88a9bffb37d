import assert from "node:assert/strict";
import { test } from "node:test";
import { createCors } from "../../dist/http/cors.js";

const exposed = [
  "Access-Control-Expose-Headers",
  "ETag, Location, Link, X-Total-Count, X-Request-Id, Retry-After",
];
const preflight = [
  "Access-Control-Allow-Methods",
  "GET, HEAD, POST, OPTIONS",
  "Access-Control-Allow-Headers",
  "Authorization, Content-Type, Accept, If-Match, If-None-Match, Last-Event-ID, X-Request-Id",
  "Access-Control-Max-Age",
  "600",
];

test("without CORS_ORIGIN there is no policy", () => {
  assert.equal(createCors(null), null);
});

test("the policy * allows every origin, and answers do not depend on it", () => {
  const cors = createCors("*");
  assert.equal(cors?.varyOrigin, false);
  for (const origin of ["https://pizza.example", "null", undefined]) {
    const allow = ["Access-Control-Allow-Origin", "*"];
    assert.deepEqual(cors?.headersFor(origin), [...allow, ...exposed]);
    const answer = cors?.preflightHeaders(origin, "GET, HEAD, POST, OPTIONS");
    assert.deepEqual(answer, preflight);
  }
});

test("a list allows the origins on it, each by its own name, and answers depend on it", () => {
  const origins = ["https://pizza.example", "http://localhost:5173"];
  const cors = createCors(origins);
  assert.equal(cors?.varyOrigin, true);
  for (const origin of origins) {
    const allow = ["Access-Control-Allow-Origin", origin];
    assert.deepEqual(cors?.headersFor(origin), [...allow, ...exposed]);
    const answer = cors?.preflightHeaders(origin, "GET, HEAD, POST, OPTIONS");
    assert.deepEqual(answer, preflight);
  }
});

test("an origin that is not on the list gets no CORS header, however near it is", () => {
  const cors = createCors(["https://pizza.example"]);
  const others = [
    undefined, "", "null", "*", "http://pizza.example", "https://pizza.example:8443",
    "https://pizza.example.evil.example", "https://evilpizza.example", "https://PIZZA.example",
    "https://pizza.example, https://evil.example", "https://pizza.example/",
  ];
  for (const origin of others) {
    assert.deepEqual(cors?.headersFor(origin), []);
    assert.deepEqual(cors?.preflightHeaders(origin, "GET"), []);
  }
});

test("credentials mode is never allowed", () => {
  for (const origins of ["*", ["https://pizza.example"]] as const) {
    const cors = createCors(origins);
    const answered = cors?.headersFor("https://pizza.example") ?? [];
    const preflighted = cors?.preflightHeaders("https://pizza.example", "GET") ?? [];
    assert.ok(answered.length > 0 && preflighted.length > 0);
    assert.doesNotMatch([...answered, ...preflighted].join(), /Access-Control-Allow-Credentials/i);
  }
});
