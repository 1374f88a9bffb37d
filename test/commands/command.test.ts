/** The shared parts of the commands: the command line, and how they end. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { parseOptions, UsageError } from "../../dist/commands/command.js";
import { root } from "../helpers/readme.ts";

const options = { sub: { type: "string" }, help: { type: "boolean", short: "h" } } as const;

test("options and positionals are told apart, in any order", () => {
  const { values, positionals } = parseOptions(["a", "--sub", "anna", "-h", "b"], options);
  assert.deepEqual([{ ...values }, positionals], [{ sub: "anna", help: true }, ["a", "b"]]);
});

test("an option that there is not, or without its value, is a UsageError", () => {
  for (const args of [["--colour"], ["-x"], ["--sub"], ["--sub", "-h"], ["--help=1"]]) {
    assert.throws(() => parseOptions(args, options), {
      name: UsageError.name,
      message: new RegExp(args[0]?.replace("=1", "") ?? ""),
    });
  }
  assert.equal(parseOptions(["--sub=-h"], options).values.sub, "-h");
});

interface Ending {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const module = new URL("../../dist/commands/command.js", import.meta.url);

/** How a process ends whose command is this function, as text. */
function ending(run: string): Promise<Ending> {
  const script = `
    import { runCommand, UsageError } from ${JSON.stringify(module)};
    await runCommand("the usage", ${run});`;
  const args = ["--input-type=module", "--eval", script];
  return new Promise((done) => {
    execFile(process.execPath, args, { cwd: root }, (error, stdout, stderr) => {
      done({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

test("an answer goes to stdout, a mistake to stderr, a surprise with its stack", async () => {
  const [answer, later, mistake, surprise] = await Promise.all([
    ending('() => "done"'),
    ending('async () => "done"'),
    ending('() => { throw new UsageError("expected \\u001b[31ma,\\n got  b"); }'),
    ending('async () => { throw new RangeError("too far"); }'),
  ]);
  assert.deepEqual(answer, { code: 0, stdout: "done\n", stderr: "" });
  assert.deepEqual(later, answer);
  const line = "expected \\u001b[31ma, got b. Usage: the usage\n";
  assert.deepEqual(mistake, { code: 1, stdout: "", stderr: line });
  assert.deepEqual([surprise.code, surprise.stdout], [1, ""]);
  assert.match(surprise.stderr, /^RangeError: too far\n +at /);
});
