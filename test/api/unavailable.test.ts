/** 503: what a client is told of a write that the store refuses, and when to come back (part 6). */

import assert from "node:assert/strict";
import { test } from "node:test";
import { StoreError, type StoreErrorCode } from "../../dist/store/store-error.js";
import { startForno } from "../helpers/forno.ts";
import { assertProblem } from "./assertions.ts";

const rows: readonly [StoreErrorCode, detail: RegExp, retryAfter: string][] = [
  ["write-failed", /is not in the store; try again later/, "10"],
  ["full", /is not in the store; try again later/, "10"],
  ["busy", /nothing was stored, try again shortly/, "1"],
  ["untrusted", /a restart will show whether this write is stored/, "60"],
  ["refused", /nothing is stored until the server is restarted/, "60"],
  ["closed", /nothing was stored, send it again/, "5"],
];

for (const [code, detail, retryAfter] of rows) {
  test(`a write that the store refuses as "${code}" is 503 with what became of it`, async (t) => {
    const forno = await startForno(t);
    t.mock.method(forno.store, "write", async () => {
      throw new StoreError(code, "a secret of the disk's");
    });
    const body = { name: "Rocket", isVegetarian: true, isVegan: true };
    const answer = await forno.call("POST", "/api/toppings", { token: forno.staff, body });
    assertProblem(answer, "storage-unavailable");
    assert.match(answer.json.detail, detail);
    assert.equal(answer.headers.get("retry-after"), retryAfter);
    assert.doesNotMatch(answer.text, /secret/);
  });
}
