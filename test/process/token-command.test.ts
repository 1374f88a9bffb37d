/**
 * `node dist/token.js` (contract part 1): one signed token on stdout and nothing else, which the
 * server with the same settings accepts.
 */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { type Client, startForno } from "../helpers/forno.ts";
import { runToExit } from "./run.ts";

const TOKEN_SECRET = "a secret that is long enough to be one";
const topping = { name: "Rocket", isVegetarian: true, isVegan: true };

async function printed(t: TestContext, role: string): Promise<string> {
  const { exit, stdout, stderr } = await runToExit(t, "token.js", [role], { TOKEN_SECRET });
  assert.deepEqual([exit.code, stderr], [0, ""]);
  return stdout;
}

async function statusOfCreate(forno: Client, token: string): Promise<number> {
  return (await forno.call("POST", "/api/toppings", { token: token.trim(), body: topping })).status;
}

test("the token is one line on stdout, and the server with its secret takes it", async (t) => {
  const forno = await startForno(t, { env: { TOKEN_SECRET } });
  const [staff, customer] = [await printed(t, "staff"), await printed(t, "customer")];
  for (const token of [staff, customer]) assert.match(token, /^[\w-]+\.[\w-]+\.[\w-]+\n$/);
  assert.equal(await statusOfCreate(forno, staff), 201);
  assert.equal(await statusOfCreate(forno, customer), 403);
});

test("a mistake is one line on stderr, exit code 1, and nothing on stdout", async (t) => {
  const args = ["staff", "--sub", "two\nlines", "x"];
  const { exit, stdout, lines } = await runToExit(t, "token.js", args, { TOKEN_SECRET });
  assert.deepEqual([exit.code, stdout, lines.length], [1, "", 1], lines.join("\n"));
  assert.doesNotMatch(lines[0] ?? "", /^\s+at |eyJ/);
});
