/** The shared parts of the commands: the command line, and how they end. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { nodeFlags } from "../helpers/node.ts";
import { root } from "../helpers/readme.ts";

interface Ending {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const module = new URL("../../src/commands/command.ts", import.meta.url);

/** How a process ends whose command is this function, as text. */
function ending(run: string): Promise<Ending> {
  const script = `
    import { parseArgs } from "node:util";
    import { runCommand, UsageError } from ${JSON.stringify(module)};
    runCommand("the usage", ${run});`;
  const args = [...nodeFlags, "--input-type=module", "--eval", script];
  return new Promise((done) => {
    execFile(process.execPath, args, { cwd: root }, (error, stdout, stderr) => {
      done({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

test("an answer goes to stdout, a mistake to stderr, a surprise with its stack", async () => {
  const [response, mistake, surprise] = await Promise.all([
    ending('() => "done"'),
    ending('() => { throw new UsageError("expected \\u001b[31ma,\\n got  b"); }'),
    ending('() => { throw new RangeError("too far"); }'),
  ]);
  assert.deepEqual(response, { code: 0, stdout: "done\n", stderr: "" });
  const line = "expected \\u001b[31ma, got b. Usage: the usage\n";
  assert.deepEqual(mistake, { code: 1, stdout: "", stderr: line });
  assert.deepEqual([surprise.code, surprise.stdout], [1, ""]);
  assert.match(surprise.stderr, /^RangeError: too far\n +at /);
});

test("an unknown option, or one without its value, is a line with the usage", async () => {
  const options = `{ sub: { type: "string" }, help: { type: "boolean", short: "h" } }`;
  for (const args of [["--colour"], ["-x"], ["--sub"], ["--sub", "-h"], ["--help=1"]]) {
    const parse = `parseArgs({ args: ${JSON.stringify(args)}, options: ${options} })`;
    const { code, stdout, stderr } = await ending(`() => ${parse}`);
    assert.deepEqual([code, stdout], [1, ""]);
    const name = args[0]?.replace("=1", "") ?? "";
    assert.match(stderr, new RegExp(`^[^\\n]*${name}[^\\n]*\\. Usage: the usage\\n$`));
  }
});
