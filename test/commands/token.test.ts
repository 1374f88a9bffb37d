/** The output of node dist/token.js, and the command line, exit codes and messages of commands. */

import assert from "node:assert/strict";
import * as fs from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { parseArgs } from "node:util";
import { Callers } from "../../src/auth/callers.ts";
import { runCommand, UsageError } from "../../src/commands/command.ts";
import { tokenFor } from "../../src/commands/token.ts";
import { SettingsError } from "../../src/settings.ts";
import { temporaryFolder } from "../helpers/forno.ts";

const secret = "a secret of these tests, long enough";
const callers = new Callers([Buffer.from(secret)]);

async function printed(
  args: readonly string[], env: Record<string, string> = {},
): Promise<string> {
  return tokenFor(args, { TOKEN_SECRET: secret, ...env });
}

/** Seconds since 1970. */
function issuedAt(token: string): number {
  const [, payload = ""] = token.split(".");
  return JSON.parse(Buffer.from(payload, "base64url").toString()).iat;
}

test("each role gets a token, for as long and for whom it was asked", async () => {
  const day = 86_400;
  for (const [args, role, sub, lifetime] of [
    [["staff", "--sub", "anna"], "staff", "anna", day / 2],
    [["--sub=c", "customer", "--expires", "5m"], "customer", "c", 300],
    [["reader", "--expires=7d", "--sub=r"], "reader", "r", 7 * day],
    [["owner", "--sub=o"], "owner", "o", day / 2],
    [["staff", "--expires", "45s", "--sub=s"], "staff", "s", 45],
    [["staff", "--sub=s", "--expires", "366d"], "staff", "s", 366 * day],
  ] as const) {
    const token = await printed(args);
    const iat = issuedAt(token);
    assert.deepEqual(callers.verify(token), { role, sub, exp: iat + lifetime });
    assert.ok(Math.abs(Date.now() / 1000 - iat) < 60);
  }
});

test("without --sub every token has a sub of its own", async () => {
  for (const role of ["owner", "staff", "customer", "reader"]) {
    const subs = [await printed([role]), await printed([role])].map((token) =>
      callers.verify(token).sub ?? "");
    for (const sub of subs) assert.match(sub, new RegExp(`^${role}-[\\w-]{12}$`));
    assert.notEqual(subs[0], subs[1]);
  }
});

test("--link prints a sign-in link, on its own base or that of the settings", async () => {
  const rows: [args: string[], before: string, env?: Record<string, string>, hours?: number][] = [
    [["customer", "--link"], "http://127.0.0.1:3000/#token="],
    [["reader", "--link"], "http://127.0.0.1:3000/board#token="],
    [["owner", "--link"], "http://127.0.0.1:3000/board#token=", {}, 1],
    [["owner", "--link", "--expires=2h"], "http://127.0.0.1:3000/board#token=", {}, 2],
    [["--link", "staff"], "http://127.0.0.1:8080/board#token=", { PORT: "8080" }],
    [["staff", "--link"], "http://192.168.7.7:3000/board#token=", { HOST: "192.168.7.7" }],
    [["staff", "--link"], "http://127.0.0.1:3000/board#token=", { HOST: "0.0.0.0" }],
    [["staff", "--link"], "http://[fe80::1]:3000/board#token=", { HOST: "fe80::1" }],
    [["customer", "--link", "--sub", "carla"], "http://127.0.0.1:3000/#token="],
    [["customer", "--link", "https://pizza.example"], "https://pizza.example/#token="],
    [["--link=https://x.example/forno/", "staff"], "https://x.example/forno/board#token="],
    [["staff", "--link", "https://x.example"], "https://x.example/board#token=", { PORT: "0" }],
  ];
  for (const [args, before, env, hours = 12] of rows) {
    const link = await printed(args, env);
    assert.ok(link.startsWith(before), link);
    const token = link.slice(before.length);
    const { role, exp } = callers.verify(token);
    assert.ok(args.includes(role));
    assert.equal(exp - issuedAt(token), hours * 3_600, args.join(" "));
  }
});

test("a mistake is a UsageError that says what was expected", async () => {
  const roles = "expected one of owner, staff, customer, reader, got";
  const base = "expected --link with a BASE such as https://";
  const rows: [args: string[], words: string, env?: Record<string, string>][] = [
    [[], `${roles} nothing`],
    [["Staff"], `${roles} Staff`],
    [["staff", "customer"], "expected one role, got staff and customer"],
    [["staff", "--link", "pizza.example"], base],
    [["--link", "ftp://x", "staff"], base],
    [["staff", "--link", "https://x.example/?a"], base],
    [["staff", "--link"], "expected --link with a BASE, because PORT is 0", { PORT: "0" }],
    [["staff", "--sub", ""], "expected --sub to be a string of 1 to 200 characters"],
    [["staff", "--sub", "x".repeat(201)], "expected --sub to be a string of 1 to 200"],
    ...["0s", "367d", "12", "1w", "-1h", "1.5h", ""].map(
      (value): [string[], string] => [
        ["staff", `--expires=${value}`],
        `expected --expires such as 90m, 12h or 7d, at most 366d, got ${value}`,
      ],
    ),
  ];
  for (const [args, words, env] of rows) {
    await assert.rejects(printed(args, env), (error) =>
      error instanceof UsageError && error.message.startsWith(words), words);
  }
});

test("the server's key file signs; where there is none, none is made", async (t) => {
  const dataDir = temporaryFolder(t);
  const env = { TOKEN_SECRET: "", DATA_DIR: dataDir };
  await assert.rejects(printed(["staff"], env), {
    name: SettingsError.name,
    message: `there is no token-secret in ${dataDir}: start the server once with this ` +
      "DATA_DIR, or set the DATA_DIR or TOKEN_SECRET that it runs with",
  });
  assert.deepEqual(fs.readdirSync(dataDir), []);
  fs.writeFileSync(join(dataDir, "token-secret"), `${secret}\n`);
  assert.equal(callers.verify(await printed(["staff"], env)).role, "staff");
});

test("--help explains every option", async () => {
  for (const args of [["--help"], ["staff", "-h"]]) {
    for (const option of ["owner|staff|customer|reader", "--sub", "--expires", "--link"]) {
      assert.ok((await printed(args)).includes(option));
    }
  }
});

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
