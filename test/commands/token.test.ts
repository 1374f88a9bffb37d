/** The output of node dist/token.js. Its exit codes and stderr: process/token-command.test.ts. */

import assert from "node:assert/strict";
import * as fs from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { verifySignature } from "../../dist/auth/jws.js";
import { Callers } from "../../dist/auth/callers.js";
import { UsageError } from "../../dist/commands/command.js";
import { tokenFor } from "../../dist/commands/token.js";
import { SettingsError } from "../../dist/settings.js";
import { temporaryFolder } from "../helpers/forno.ts";

const secret = "a secret of these tests, long enough";
const key = Buffer.from(secret);

function printed(args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  return tokenFor(args, { TOKEN_SECRET: secret, ...env });
}

/** The claims of the token that is printed, and when it was issued. */
async function claimsOf(args: readonly string[]): Promise<Record<string, unknown>> {
  const token = await printed(args);
  assert.match(token, /^[\w-]+\.[\w-]+\.[\w-]{43}$/);
  const claims = JSON.parse(Buffer.from(verifySignature(token, [key])).toString());
  const age = Date.now() / 1000 - claims.iat;
  assert.ok(age >= 0 && age < 60, `issued ${age} seconds ago`);
  return { ...claims, iat: 0, exp: claims.exp - claims.iat };
}

test("each role gets a token, for as long and for whom it was asked", async () => {
  const hours = 3600;
  const rows = [
    [["staff", "--sub", "anna"], { role: "staff", sub: "anna", iat: 0, exp: 12 * hours }],
    [["--sub=c", "customer", "--expires", "5m"], { role: "customer", sub: "c", iat: 0, exp: 300 }],
    [["reader", "--expires=7d", "--sub=r"], { role: "reader", sub: "r", iat: 0, exp: 168 * hours }],
    [["staff", "--expires", "45s", "--sub=s"], { role: "staff", sub: "s", iat: 0, exp: 45 }],
    [["staff", "--sub=s", "--expires", "366d"],
      { role: "staff", sub: "s", iat: 0, exp: 8784 * hours }],
  ] as const;
  for (const [args, expected] of rows) assert.deepEqual(await claimsOf(args), expected);
});

test("without --sub every token has a subject of its own, so that it can be locked out", async () => {
  for (const role of ["staff", "customer", "reader"]) {
    const [one, other] = [await claimsOf([role]), await claimsOf([role])];
    assert.match(String(one["sub"]), new RegExp(`^${role}-[\\w-]{12}$`));
    assert.notEqual(one["sub"], other["sub"]);
  }
});

test("--link prints a sign-in link, on its own base or that of the settings", async () => {
  const rows: [args: string[], before: string, env?: Record<string, string>][] = [
    [["customer", "--link"], "http://127.0.0.1:3000/#token="],
    [["staff", "--link"], "http://127.0.0.1:3000/board#token="],
    [["--link", "staff"], "http://127.0.0.1:8080/board#token=", { PORT: "8080" }],
    [["staff", "--link"], "http://192.168.7.7:3000/board#token=", { HOST: "192.168.7.7" }],
    [["staff", "--link"], "http://127.0.0.1:3000/board#token=", { HOST: "0.0.0.0" }],
    [["staff", "--link"], "http://[fe80::1]:3000/board#token=", { HOST: "fe80::1" }],
    [["reader", "--link"], "http://127.0.0.1:3000/board#token="],
    [["customer", "--link", "--sub", "carla"], "http://127.0.0.1:3000/#token="],
    [["customer", "--link", "https://pizza.example"], "https://pizza.example/#token="],
    [["staff", "--link", "https://x.example/forno/"], "https://x.example/forno/board#token="],
    [["--link=https://x.example/forno", "customer"], "https://x.example/forno/#token="],
    [["staff", "--link", "https://x.example"], "https://x.example/board#token=", { PORT: "0" }],
  ];
  for (const [args, before, env] of rows) {
    const link = await printed(args, env);
    assert.ok(link.startsWith(before), link);
    const claims = new Callers([key]).verify(link.slice(before.length));
    assert.ok(args.includes(claims.role));
  }
});

test("a mistake is a UsageError that says what was expected", async () => {
  const rows: [args: string[], words: string, env?: Record<string, string>][] = [
    [[], "expected one of staff, customer, reader, got nothing"],
    [["chef"], "expected one of staff, customer, reader, got chef"],
    [["Staff"], "expected one of staff, customer, reader, got Staff"],
    [["staff", "customer"], "expected one role, got also customer"],
    [["staff", "--link", "pizza.example"], "expected --link with a BASE such as https://"],
    [["--link", "ftp://x", "staff"], "expected --link with a BASE such as https://"],
    [["staff", "--link=pizza.example"], "expected --link with a BASE such as https://"],
    [["staff", "--link", "https://x.example/?a"], "expected --link with a BASE such as"],
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
    await assert.rejects(
      printed(args, env),
      (error) => error instanceof UsageError && error.message.startsWith(words),
      words,
    );
  }
});

test("a bad setting is a SettingsError that shows no secret", async () => {
  await assert.rejects(printed(["staff"], { TOKEN_SECRET: "hunter2" }), {
    name: SettingsError.name,
    message: "TOKEN_SECRET has 7 bytes, but a key must have at least 32",
  });
});

test("without TOKEN_SECRET the server's key file signs", async (t) => {
  const dataDir = temporaryFolder(t);
  fs.writeFileSync(join(dataDir, "token-secret"), `${secret}\n`);
  const token = await printed(["staff"], { TOKEN_SECRET: "", DATA_DIR: dataDir });
  assert.equal(new Callers([key]).verify(token).role, "staff");
});

test("without a key file it makes none and says where it looked", async (t) => {
  const folder = temporaryFolder(t);
  for (const dataDir of [folder, join(folder, "none")]) {
    await assert.rejects(printed(["staff"], { TOKEN_SECRET: "", DATA_DIR: dataDir }), {
      name: SettingsError.name,
      message: `there is no token-secret in ${dataDir}: start the server once with this ` +
        "DATA_DIR, or set the DATA_DIR or TOKEN_SECRET that it runs with",
    });
  }
  assert.deepEqual(fs.readdirSync(folder), []);
});

test("--help explains every option", async () => {
  for (const args of [["--help"], ["-h"], ["staff", "--help"]]) {
    for (const option of ["staff|customer|reader", "--sub", "--expires", "--link"]) {
      assert.ok((await printed(args)).includes(option));
    }
  }
});
