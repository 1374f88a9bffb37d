/** Preferences of a client (RFC 9110 section 12.4.2): languages and codings of the pages. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { preferences } from "../../src/api/page-words.ts";

test("preferences are in lower case, the most wanted first, without what is refused", () => {
  for (const [header, wanted] of [
    [undefined, []],
    ["de-CH, it;q=0.5, en;q=0.7", ["de-ch", "en", "it"]],
    ["br;q=0, gzip;q=0.000, identity", ["identity"]],
    ["a; Q=0.1 , b ;x=1; q=0.2,,c;q=x", ["b", "a"]],
  ] as const) {
    assert.deepEqual(preferences(header), wanted);
  }
});
