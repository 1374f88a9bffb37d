/** Who is signed in at the board, and that nobody mistakes the end of it (contract part 7). */

import assert from "node:assert/strict";
import { test } from "node:test";
import { spawnForno } from "../helpers/forno.ts";
import { findBrowser } from "./browser.ts";
import { cardIn, cardOf, openShop, shopOf } from "./shop.ts";

const id = "AAA111";
const card = cardOf(id);
const heads = `return [...document.querySelectorAll(".amount")].map((one) => one.textContent)`;
const now = (): number => Math.floor(Date.now() / 1_000);

for (const reads of ["own", "authenticated", "public"]) {
  test(`when the sign-in ends no column says zero, ORDER_READS=${reads}`, async (t) => {
    const browser = await findBrowser(t);
    if (browser === undefined) return;
    const first = await spawnForno(t, { env: { ORDER_READS: reads } });
    const shop = shopOf(first, browser);
    await shop.place();
    await shop.place({ id: "BBB222", status: "Preparing" });
    const board = await shop.board();
    await board.until(cardIn("Preparing", "BBB222"));
    first.child.kill("SIGKILL");
    await first.exited;
    // With another key every sign-in has ended.
    const TOKEN_SECRET = "another secret of these tests, as long";
    const env = { PORT: String(first.port), ORDER_READS: reads, TOKEN_SECRET };
    await spawnForno(t, { dataDir: first.dataDir, env });
    await board.until(`document.body.innerText.includes("Signed out: 2 orders may be waiting")`);
    await board.until(`document.querySelector("#offline").hidden`);
    assert.deepEqual(await board.run(heads), ["1", "1", "?", "?"]);
    assert.ok(await board.run(`return ${cardIn("Pending", id)}.checkVisibility()`));
    const [filter, canBeMoved] = await board.run<[string, boolean]>(`
      const card = document.querySelector('${card}');
      return [getComputedStyle(card).filter, card.querySelector(".main").checkVisibility()];`);
    assert.match(filter, /grayscale\(1\)/);
    assert.equal(canBeMoved, false);
    // A number key would press the button that is put away.
    await board.run(`document.querySelector('${card} .main').onclick = () => { window.hit = 1; };`);
    await board.press("1");
    assert.equal(await board.run("return window.hit"), undefined);
    if (reads === "public") return;
    await board.reload();
    await board.until(`document.body.innerText.includes("Signed out: orders may be waiting")`);
    assert.deepEqual(await board.run(heads), ["?", "?", "?", "?"]);
  });
}

test("a customer's sign-in is none for the board, which would show no others", async (t) => {
  const shop = await openShop(t, { ORDER_READS: "own" });
  if (shop === undefined) return;
  await shop.place();
  const { origin, token } = shop.forno;
  const bruno = token({ role: "customer", sub: "bruno", exp: now() + 3_600 });
  const board = await shop.browser.open(`${origin}/board#token=${bruno}`);
  await board.until(`document.body.innerText.includes("That was not a sign-in for staff.")`);
  await board.until(`document.body.innerText.includes("Signed out: orders may be waiting")`);
  assert.deepEqual(await board.run(heads), ["?", "?", "?", "?"]);
  await board.complaints();
});

const hour = 3_600;
const day = 24 * hour;
for (const [what, began, ends, warns] of [
  ["of twelve hours, two before its end", -10 * hour, 2 * hour, false],
  ["of twelve hours, in its last hour", -11.5 * hour, 0.5 * hour, true],
  ["of six days, on its last day", -5.5 * day, 0.5 * day, false],
  ["of a week, on its last day", -6.5 * day, 0.5 * day, true],
  ["of a week, two days before its end", -5 * day, 2 * day, false],
] as const) {
  test(`a sign-in ${what}, ${warns ? "warns" : "says nothing"}`, async (t) => {
    const shop = await openShop(t);
    if (shop === undefined) return;
    const { origin, token } = shop.forno;
    const claims = { role: "staff", sub: "rosa", iat: now() + began, exp: now() + ends };
    const board = await shop.browser.open(`${origin}/board#token=${token(claims)}`);
    await board.until(`document.querySelector(".amount").textContent === "0"`);
    assert.equal(/The sign-in ends (at|on) \w/.test(await board.text()), warns);
  });
}

test("a sign-in stays on the device, and signing out asks first", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  await shop.place();
  const beside = await shop.board();
  const board = await shop.browser.open(`${shop.forno.origin}/board`, { beside });
  await board.tap(`Start ${id}`);
  await board.until(cardIn("Preparing", id));
  const signOut = async (answer: string): Promise<void> => {
    await board.tap("Settings");
    await board.tap("Sign out");
    await board.until(`document.querySelector("dialog.ask")`);
    await board.tap(answer);
  };
  await signOut("Stay signed in");
  await board.tap("Done");
  await board.tap(`Ready ${id}`);
  await board.until(cardIn("Ready", id));
  await signOut("Sign out");
  await board.until(`!document.querySelector("#access").hidden`);
  assert.equal(await board.run("return JSON.stringify(localStorage).includes('eyJ')"), false);
});

test("a board not signed in shows orders, moves none, and takes a pasted link", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  await shop.place();
  const { origin, staff, token } = shop.forno;
  const old = token({ role: "staff", sub: "rosa", exp: 1_700_000_000 });
  const board = await shop.browser.open(`${origin}/board#token=${old}`);
  await board.until(cardIn("Pending", id));
  await board.until(`!document.querySelector("#access").hidden`);
  await board.click("#access summary");
  assert.match(await board.text(), /node dist\/token\.js staff .*--link/);
  const isShown = `return document.querySelector('${card} .main').checkVisibility()`;
  assert.equal(await board.run(isShown), false);
  await board.type("#pasted", "a shopping list");
  await board.tap("Sign in");
  await board.until(`document.body.innerText.includes("That is not a sign-in link of this shop")`);
  await board.run(`document.querySelector("#pasted").value = "";`);
  await board.type("#pasted", ` "${origin}/board#token=${staff}" `);
  await board.tap("Sign in");
  await board.tap(`Start ${id}`);
  await board.until(cardIn("Preparing", id));
  assert.deepEqual(await board.complaints(/ 401 /), []);
});
