import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { verifySignature } from "../src/auth/jws.ts";
import { createVerifier } from "../src/auth/token-verifier.ts";

const secret = "a secret of these tests, long enough";
const key = Buffer.from(secret);
const root = fileURLToPath(new URL("..", import.meta.url));

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function runToken(args: readonly string[], env: Record<string, string> = {}): Promise<Outcome> {
  const command = ["dist/token.js", ...args];
  const unset = { PORT: "", DATA_DIR: "" };
  const options = { cwd: root, env: { ...process.env, ...unset, TOKEN_SECRET: secret, ...env } };
  return new Promise((done) => {
    execFile(process.execPath, command, options, (error, stdout, stderr) => {
      done({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

/** Four processes at a time: a small machine runs other tests beside these. */
async function inTurn<Row, Result>(
  rows: readonly Row[],
  run: (row: Row) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < rows.length; start += 4) {
    results.push(...(await Promise.all(rows.slice(start, start + 4).map(run))));
  }
  return results;
}

/** The claims of the token that was printed, as it stands on its line, and when it was issued. */
async function claimsOf(args: readonly string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await runToken(args);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, /^[\w-]+\.[\w-]+\.[\w-]{43}\n$/);
  const claims = JSON.parse(Buffer.from(verifySignature(stdout.trim(), [key])).toString());
  const age = Date.now() / 1000 - claims.iat;
  assert.ok(age >= 0 && age < 60, `issued ${age} seconds ago`);
  return { ...claims, iat: 0, exp: claims.exp - claims.iat };
}

test("staff and customer get one token on stdout and nothing else", async () => {
  const hours = 3600;
  const rows = [
    [["staff"], { role: "staff", iat: 0, exp: 12 * hours }],
    [["staff", "--sub", "anna"], { role: "staff", sub: "anna", iat: 0, exp: 12 * hours }],
    [["--sub=c", "customer", "--expires", "5m"], { role: "customer", sub: "c", iat: 0, exp: 300 }],
    [["staff", "--expires", "45s"], { role: "staff", iat: 0, exp: 45 }],
    [["staff", "--expires=366d"], { role: "staff", iat: 0, exp: 366 * 24 * hours }],
  ] as const;
  const claims = await inTurn(rows, ([args]) => claimsOf(args));
  assert.deepEqual(claims, rows.map(([, expected]) => expected));
});

test("a customer without --sub is another one each time", async () => {
  const [one, other] = await Promise.all([claimsOf(["customer"]), claimsOf(["customer"])]);
  assert.match(String(one?.["sub"]), /^customer-[\w-]{12}$/);
  assert.notEqual(one?.["sub"], other?.["sub"]);
});

test("--link prints a sign-in link, on its own base or that of the settings", async () => {
  const rows: [args: string[], before: string, env?: Record<string, string>][] = [
    [["customer", "--link"], "http://127.0.0.1:3000/#token="],
    [["staff", "--link"], "http://127.0.0.1:3000/board#token="],
    [["--link", "staff"], "http://127.0.0.1:8080/board#token=", { PORT: "8080" }],
    [["customer", "--link", "--sub", "carla"], "http://127.0.0.1:3000/#token="],
    [["customer", "--link", "https://pizza.example"], "https://pizza.example/#token="],
    [["staff", "--link", "https://x.example/forno/"], "https://x.example/forno/board#token="],
    [["--link=https://x.example/forno", "customer"], "https://x.example/forno/#token="],
    [["staff", "--link", "https://x.example"], "https://x.example/board#token=", { PORT: "0" }],
  ];
  const outcomes = await inTurn(rows, ([args, , env]) => runToken(args, env));
  for (const [index, { code, stdout, stderr }] of outcomes.entries()) {
    const [args = [], before = ""] = rows[index] ?? [];
    assert.deepEqual([code, stderr], [0, ""]);
    assert.ok(stdout.startsWith(before), stdout);
    const claims = createVerifier([key])(stdout.slice(before.length).trim());
    assert.ok(args.includes(claims.role));
  }
});

test("a mistake is one line on stderr, exit code 1, and nothing on stdout", async () => {
  const usage =
    ". Usage: node dist/token.js staff|customer [--sub NAME] [--expires 12h] [--link [BASE]]\n";
  const rows: [args: string[], words: string, env?: Record<string, string>][] = [
    [[], "expected staff or customer, got nothing"],
    [["chef"], "expected staff or customer, got chef"],
    [["Staff"], "expected staff or customer, got Staff"],
    [["staff", "customer"], "expected one role, got also customer"],
    [["staff", "--link", "pizza.example"], "expected one role, got also pizza.example"],
    [["staff", "--link=pizza.example"], "expected --link with a BASE such as https://"],
    [["staff", "--link", "https://x.example/?a"], "expected --link with a BASE such as"],
    [["staff", "--link"], "expected --link with a BASE, because PORT is 0", { PORT: "0" }],
    [["staff", "--sub", ""], "expected --sub with 1 to 200 characters"],
    [["staff", "--sub", "x".repeat(201)], "expected --sub with 1 to 200 characters"],
    [["staff", "--sub"], "Option '--sub <value>' argument missing"],
    [["staff", "--expired", "1h"], "Unknown option '--expired'"],
    ...["0s", "367d", "12", "1w", "-1h", "1.5h", ""].map(
      (value): [string[], string] => [
        ["staff", `--expires=${value}`],
        `expected --expires such as 90m, 12h or 7d, at most 366d, got ${value}`,
      ],
    ),
  ];
  const outcomes = await inTurn(rows, ([args, , env]) => runToken(args, env));
  for (const [index, { code, stdout, stderr }] of outcomes.entries()) {
    assert.deepEqual([code, stdout], [1, ""], stderr);
    assert.ok(stderr.startsWith(rows[index]?.[1] ?? ""), stderr);
    assert.ok(stderr.endsWith(usage), stderr);
    assert.equal(stderr.indexOf("\n"), stderr.length - 1);
  }
});

test("a bad setting is one line on stderr and exit code 1, and shows no secret", async () => {
  assert.deepEqual(await runToken(["staff"], { TOKEN_SECRET: "hunter2" }), {
    code: 1,
    stdout: "",
    stderr: "TOKEN_SECRET has 7 bytes, but must have at least 32\n",
  });
});

test("a folder that cannot be made is said to be one", {
  skip: process.platform !== "linux" && "needs /proc, where nothing can be made",
}, async () => {
  const settings = { TOKEN_SECRET: "", DATA_DIR: "/proc/nothing/at/all" };
  const { code, stdout, stderr } = await runToken(["staff"], settings);
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(stderr, /^\/proc\/nothing\/at\/all\/token-secret cannot hold .*DATA_DIR.*\n$/);
});

test("without TOKEN_SECRET the key file signs, made where it is missing", async (t) => {
  const dataDir = fs.mkdtempSync(join(tmpdir(), "forno-token-"));
  t.after(() => fs.rmSync(dataDir, { recursive: true, force: true }));
  for (const run of ["makes the file", "finds the file"]) {
    const { stdout } = await runToken(["staff"], { TOKEN_SECRET: "", DATA_DIR: dataDir });
    const made = fs.readFileSync(join(dataDir, "token-secret"), "utf8").trimEnd();
    assert.equal(createVerifier([Buffer.from(made)])(stdout.trim()).role, "staff", run);
  }
});

test("--help explains itself on stdout", async () => {
  for (const args of [["--help"], ["-h"], ["staff", "--help"]]) {
    const { code, stdout, stderr } = await runToken(args);
    assert.deepEqual([code, stderr], [0, ""]);
    for (const option of ["staff|customer", "--sub", "--expires", "--link"]) {
      assert.ok(stdout.includes(option));
    }
  }
});
