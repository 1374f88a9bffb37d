/** Who is signed in at the board, and what it shows when it hears nothing. */

import assert from "node:assert/strict";
import { spawnForno } from "../helpers/forno.ts";
import { keys, type Window } from "./browser.ts";
import { setOffline } from "./customer.ts";
import { cardIn, cardOf, shopTest, shopOf } from "./shop.ts";

const id = "AAA111";
const card = cardOf(id);
const counts = `texts(".count").join(" ")`;

shopTest("when the sign-in ends no column says zero, also where all may read",
  { ORDER_READS: "public" }, async (shop) => {
    await shop.place(id, { id: "BBB222", status: "Preparing" });
    const tablet = await shop.device("Bar tablet");
    const board = await shop.board({}, tablet);
    await board.until(cardIn("Preparing", "BBB222"));
    await shop.removeDevice(tablet.device);
    await board.until(`/Signed out at .+ Orders may be waiting\\./.test(document.body.innerText)`);
    await board.until(`$(".lost").hidden`);
    await board.says("1 was waiting then. This board shows what was known at");
    await board.is(`[${counts}, $(".badge").textContent, $('${card} .main').ariaDisabled]`,
      ["1 1 ? ?", "1?", "true"]);
    await board.click(`${card} .main`);
    await board.reload();
    await saysHowToSignIn(board);
    const { json } = await shop.forno.call("GET", `/api/orders/${id}`);
    assert.equal(json.status, "Pending");
  });

/** And nothing else. */
async function saysHowToSignIn(board: Window): Promise<void> {
  await board.says("Sign in this device", "Scan a code", "Or ask for a link");
  await board.is(`[seen(".card, .column, .tab, .tools, .badge, .lost"), texts("button")]`,
    [[], ["Sign in"]]);
  assert.doesNotMatch(await board.text(), /waiting|open\.|node|[0?]/);
}

shopTest("a board that nobody has signed in says how, and nothing else, also where all may read",
  async (shop) => {
    await shop.place(id);
    const board = await shop.browser.open(`${shop.forno.origin}/board`);
    await board.is(`$("h1").textContent`, "Forno");
    await saysHowToSignIn(board);
  });

shopTest("a link that is not for staff is refused, and says so",
  { ORDER_READS: "own" }, async (shop) => {
    await shop.place(id);
    const board = await shop.board({}, { role: "customer", sub: "bruno" });
    await board.says("That link isn’t for staff.");
    await saysHowToSignIn(board);
    await board.complaints();
  });

shopTest("a sign-in stays on the device, and signing out asks first", async (shop) => {
  await shop.place(id);
  const beside = await shop.board();
  const board = await shop.browser.open(`${shop.forno.origin}/board`, { beside });
  await board.tap(`Start ${id}`);
  await board.until(cardIn("Preparing", id));
  const signOut = async (answer: string): Promise<void> => {
    await board.tap("Settings", "Sign out");
    await board.until(`$("dialog.ask")`);
    await board.tap(answer);
  };
  await signOut("Stay signed in");
  await board.tap("Close", `Ready ${id}`);
  await board.until(cardIn("Ready", id));
  await signOut("Sign out");
  await board.until(`$("#link")`);
  await board.is("JSON.stringify(localStorage).includes('eyJ')", false);
});

shopTest("a board that is signed out takes a pasted link", async (shop) => {
  await shop.place(id);
  const { origin, staff } = shop.forno;
  const board = await shop.board({}, { role: "staff", sub: "rosa", exp: 1_700_000_000 });
  await board.says("This link has ended. Ask for a new one.");
  await board.type("#link", "a shopping list");
  await board.tap("Sign in");
  await board.says("That isn’t a sign-in link of this shop.");
  await board.fill("#link", ` "${origin}/board#token=${staff}" `);
  await board.tap("Sign in", `Start ${id}`);
  await board.until(cardIn("Preparing", id));
  assert.deepEqual(await board.complaints(/ 401 /), []);
});

shopTest("lost, or signed out, a board says no number where nothing was waiting", async (shop) => {
  const oven = await shop.device("Oven");
  const [lost, out] = [await shop.board(), await shop.board({}, oven)];
  await setOffline(lost, true);
  await lost.says("Connection lost at", "This board shows what was known.");
  await shop.removeDevice(oven.device);
  await out.says("Orders may be waiting.", "This board shows what was known at");
  for (const board of [lost, out]) assert.doesNotMatch(await board.text(), /waiting then/);
});

shopTest("a server that hangs, or is killed and started again, is missed, and caught up with",
  async ({ browser }, t) => {
    const first = await spawnForno(t);
    const shop = shopOf(first, browser);
    await shop.place(id);
    const board = await shop.board();
    await board.until(cardIn("Pending", id));
    await board.run("isPatient = false;");
    const top = `boxOf('${card} .main').top`;
    const before = await board.run(`return ${top}`);
    const isMissed = async (): Promise<void> => {
      await board.until(`/Connection lost at \\d+:\\d\\d\\s+1 was waiting then\\./.test(
        $(".lost").innerText)`);
      await board.is(`[$('${card} .main').ariaDisabled, $(".badge").textContent, ${top}]`,
        ["true", "1?", before]);
    };
    // Its connections stay open, as those of a server behind a pulled cable do.
    first.child.kill("SIGSTOP");
    await isMissed();
    first.child.kill("SIGCONT");
    await board.until(`$(".lost").hidden`);
    await first.end("SIGKILL");
    await isMissed();
    const env = { PORT: String(first.port), TOKEN_SECRET: first.secret };
    const second = await spawnForno(t, { dataDir: first.dataDir, env });
    await shopOf(second, browser).update(id, { status: "Ready" });
    await board.until(cardIn("Ready", id));
    await board.until(`$(".lost").hidden`);
    assert.deepEqual(await board.complaints(/net::ERR_/), []);
  });

shopTest("a reader sees every order and news of them, and can press nothing that acts",
  { ORDER_READS: "own", GUEST_ORDERS: "off" }, async (shop) => {
    const { origin } = shop.forno;
    await shop.place("AAA111", { id: "BBB222", status: "Preparing" });
    const board = await shop.board({}, { role: "reader" });
    await board.until(cardIn("Pending", "AAA111"));
    await board.until(cardIn("Preparing", "BBB222"));
    const buttons = `seen("button, a, input").map((one) => one.ariaLabel ?? one.textContent)`;
    await board.is(`${buttons}.filter((one) => /Start|Ready|More|Menu|Phone|Sign in/.test(one))`,
      []);
    await board.run(`$("#to-make").focus();`);
    await board.press(keys.tab);
    await board.is("document.activeElement.dataset.stage", "Pending", "scrolled by keyboard");
    // The code of a page can be asked for what is not drawn: it does nothing either.
    await board.run(`for (const one of $$(".card button")) one.click();`);
    await shop.update("BBB222", { status: "Ready" });
    await board.until(cardIn("Ready", "BBB222"));
    assert.equal(await shop.statusOf("AAA111"), "Pending");
    await shop.update("BBB222", { status: "Cancelled" });
    await board.is(`$('[data-order="BBB222"]')`, null);
    await board.tap("Settings");
    const dialog = await board.until<string>(`$("dialog").innerText`);
    assert.match(dialog, /Sign out/);
    assert.doesNotMatch(dialog, /Devices|Table cards|Sound/);
    // A phone order is staff's: the order page does not take this sign-in.
    const page = await shop.browser.open(origin, { beside: board });
    await page.says("ask the shop for its order link");
    assert.deepEqual(await board.complaints(), []);
  });
