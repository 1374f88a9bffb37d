/** The shared parts of the commands: the command line, exit codes, and messages. */

import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { parseArgs } from "node:util";
import { runCommand, UsageError } from "../../src/commands/command.ts";

interface Ending {
  readonly code: typeof process.exitCode;
  readonly stdout: string;
  readonly stderr: string;
}

/** How a process ends whose command is this function. */
function ending(t: TestContext, run: () => string): Ending {
  let [stdout, stderr] = ["", ""];
  t.mock.method(console, "log", (text: string) => void (stdout += `${text}\n`));
  t.mock.method(console, "error", (text: string) => void (stderr += `${text}\n`));
  runCommand("the usage", run);
  const code = process.exitCode;
  process.exitCode = undefined;
  t.mock.restoreAll();
  return { code, stdout, stderr };
}

function fail(error: Error): never {
  throw error;
}

test("an answer goes to stdout, a mistake to stderr, a surprise with its stack", async (t) => {
  const response = ending(t, () => "done");
  assert.deepEqual(response, { code: undefined, stdout: "done\n", stderr: "" });
  const mistake = new UsageError("expected \u001b[31ma,\n got  b");
  const line = "expected \\u001b[31ma, got b. Usage: the usage\n";
  assert.deepEqual(ending(t, () => fail(mistake)), { code: 1, stdout: "", stderr: line });
  const surprise = ending(t, () => fail(new RangeError("too far")));
  assert.deepEqual([surprise.code, surprise.stdout], [1, ""]);
  assert.match(surprise.stderr, /^RangeError: too far\n +at /);
});

test("an unknown option, or one without its value, is a line with the usage", async (t) => {
  const options = { sub: { type: "string" }, help: { type: "boolean", short: "h" } } as const;
  for (const args of [["--colour"], ["-x"], ["--sub"], ["--sub", "-h"], ["--help=1"]]) {
    const { code, stdout, stderr } = ending(t, () => `${parseArgs({ args, options })}`);
    assert.deepEqual([code, stdout], [1, ""]);
    const name = args[0]?.replace("=1", "") ?? "";
    assert.match(stderr, new RegExp(`^[^\\n]*${name}[^\\n]*\\. Usage: the usage\\n$`));
  }
});
