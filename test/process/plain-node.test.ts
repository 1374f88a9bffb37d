/**
 * The tests of the API that touch what node keeps to itself, once more with NODE_INTERNALS=off: by
 * documented means alone the same answers come.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { cleanEnvironment } from "./run.ts";

const files = ["crud", "early-refusals", "malformed-http", "request-bodies", "slow-senders", "upgrade"];

/**
 * From 25 on node keeps the body behind an offer to itself (connection.ts), and closes a connection
 * that its client has half closed before it can be told that the body was cut short.
 */
const isKept = Number.parseInt(process.versions.node) >= 25;
const skipped = isKept ? ["--test-skip-pattern=cut short"] : [];

test("without a reach into node's own fields the API answers the same", async () => {
  const paths = files.map((name) => fileURLToPath(new URL(`../api/${name}.test.js`, import.meta.url)));
  const env = cleanEnvironment({ NODE_INTERNALS: "off" });
  const run = promisify(execFile)(process.execPath, ["--test", "--test-concurrency=1", ...skipped, ...paths], { env });
  const { stdout } = await run.catch((failure: { readonly stdout: string }) => failure);
  assert.match(stdout, /^(?:# |ℹ )fail 0$/m, stdout);
  assert.match(stdout, /^(?:# |ℹ )pass [1-9]\d+$/m);
});
