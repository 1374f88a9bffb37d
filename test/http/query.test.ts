import assert from "node:assert/strict";
import { test } from "node:test";
import {
  oneOf,
  parseQuery,
  type QueryParameter,
  refusesUnknown,
  uriQuery,
  withParameter,
} from "../../dist/http/query.js";

const described = { description: "", schema: {} };
const limit: QueryParameter<number> = {
  ...described,
  name: "limit",
  parse: (text) => (/^\d+$/.test(text) ? Number(text) : undefined),
  expected: "a whole number",
};
const status: QueryParameter<string> = {
  ...described,
  name: "status",
  parse: (text) => text,
  expected: "a status",
  isRepeatable: true,
};
const sort: QueryParameter<boolean> = {
  ...described,
  name: "sort",
  ...oneOf({ newest: true, oldest: false }),
};
const parameters = [limit, status, sort];

function faultsOf(text: string): unknown {
  try {
    parseQuery(text, parameters);
  } catch (error) {
    const { type, extensions } = error as { type: string; extensions: { errors: object[] } };
    assert.equal(type, "invalid-query");
    return extensions.errors.map((fault) => Object.values(fault));
  }
  return [];
}

test("values are decoded and parsed, in the order of the query", () => {
  const query = parseQuery("status=a+b&limit=7&status=%C3%A9=&sort=newest", parameters);
  assert.equal(query.get(limit), 7);
  assert.deepEqual(query.all(status), ["a b", "é="]);
  assert.equal(query.get(sort), true);
  assert.equal(query.text, "status=a+b&limit=7&status=%C3%A9=&sort=newest");
});

test("what was not sent is undefined, and a name that begins with _ is ignored", () => {
  for (const text of ["", "&&", "_=1", "_x&_x=2&_limit=3", "__proto__=4"]) {
    const query = parseQuery(text, parameters);
    assert.equal(query.get(limit), undefined);
    assert.deepEqual(query.all(status), []);
  }
});

const unknown = "unknown parameter: this path takes limit, status, sort";

test("every fault is told, with what was expected and what came", () => {
  assert.deepEqual(faultsOf("limit=x&sort=up&limit=1&limits=3&dryRun"), [
    ["limit", "expected it once, got it 2 times"],
    ["limit", 'expected a whole number, got "x"'],
    ["sort", 'expected newest or oldest, got "up"'],
    ["limits", `${unknown}; did you mean "limit"?`],
    ["dryRun", unknown],
  ]);
});

test("the first value that is not percent-encoded UTF-8 is the only fault", () => {
  for (const value of ["%", "%zz", "%4", "%FF", "%C3%28", "%ED%A0%80", "a%"]) {
    const reason = `expected percent-encoded UTF-8, got "limit=${value}"`;
    assert.deepEqual(faultsOf(`sort=up&limit=${value}&q=%`), [["limit", reason]]);
  }
});

test("a hundred faults are told at most", () => {
  const many = Array.from({ length: 3_000 }, (_, index) => `x${index}=`).join("&");
  assert.equal((faultsOf(many) as unknown[]).length, 100);
});

test("a route without parameters says that it takes no parameters", () => {
  assert.throws(() => parseQuery("limit=1", []), {
    message: "limit: unknown parameter: this path takes no parameters",
  });
});

test("routes outside /api ignore what they do not know, even if it cannot be decoded", () => {
  assert.deepEqual(["/api", "/api/orders/:id", "/", "/apix", "/board"].map(refusesUnknown), [
    true, true, false, false, false,
  ]);
  assert.equal(parseQuery("utm_source=x&limit=2", parameters, false).get(limit), 2);
  assert.equal(parseQuery("fbclid=%E4&limit=2", parameters, false).text, "fbclid=%E4&limit=2");
});

test("a query for the next page has the cursor once, and only characters of a URI", () => {
  assert.equal(withParameter("limit=2&%61fter=s1&after=s2", "after", "s9"), "limit=2&after=s9");
  assert.equal(withParameter("", "after", "s9"), "after=s9");
  assert.equal(uriQuery('a="b"&c=<é>'), "a=%22b%22&c=%3C%C3%A9%3E");
});
