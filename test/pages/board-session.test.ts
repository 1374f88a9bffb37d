/** Who is signed in at the board, and what it shows when it hears nothing. */

import assert from "node:assert/strict";
import { hasty, type Window } from "./browser.ts";
import { setOffline } from "./customer.ts";
import { cardIn, cardOf, shopTest } from "./shop.ts";

const id = "AAA111";

/** The next press is answered as if the shop had another key by now. */
async function refuseSignIn(board: Window, ...press: readonly string[]): Promise<void> {
  await board.intercept("PATCH", `return new Response("{}", { status: 401 });`);
  await board.tap(...press);
  await board.until(`/The shop hasn’t accepted this sign-in since .+ Orders may be waiting\\./
    .test(document.body.innerText)`);
}

shopTest("when the sign-in is refused nothing says zero, also where all may read",
  { ORDER_READS: "public" }, async (shop) => {
    await shop.place(id, { id: "BBB222", status: "Preparing" });
    const board = await shop.board();
    await board.until(cardIn("Making", "BBB222"));
    await refuseSignIn(board, `Start ${id}`);
    await board.until(`$(".lost-bar").hidden`);
    await board.says("1 was waiting then. This board shows what was known at");
    await board.is(`[$(".badge-number").textContent, ${cardOf(id, ".move-button")}.ariaDisabled,
      $$("#orders article").length]`, ["1?", "true", 2]);
    // Nothing was sent, and the card says so.
    await board.says("Not sent. Press again.");
    assert.equal(await shop.statusOf(id), "Pending");
  });

/** And nothing else. */
async function saysHowToSignIn(board: Window): Promise<void> {
  await board.says("Sign in this device", "Scan a code", "Or ask for a link");
  const parts = "article, main section:not(.panel), .tab, .top-tools, .badge, .lost-bar";
  await board.is(`[seen("${parts}"), texts("button")]`,
    [[], ["Sign in"]]);
  assert.doesNotMatch(await board.text(), /waiting|open\.|node|[0?]/);
}

shopTest("a board that nobody has signed in says how, and nothing else, also where all may read",
  { ORDER_READS: "public" }, async (shop) => {
    await shop.place(id);
    const board = await shop.browser.open(`${shop.forno.origin}/board`);
    await board.is(`$("h1").textContent`, "Forno");
    await saysHowToSignIn(board);
    await setOffline(board, true);
    await board.says("The shop doesn’t answer.");
  });

shopTest("no tab moves when orders come", async (shop) => {
  const board = await shop.board();
  const lefts = `["Tables", "Done", "Menu"].map((name) =>
    named(name, document).getBoundingClientRect().left)`;
  const before = await board.run(`return ${lefts};`);
  for (const [count, number] of [[1, "1"], [11, "12"]] as const) {
    await shop.place(...Array.from({ length: count }, (_, index) => `N${count}-${index}`));
    await board.is(`[$(".badge-number").textContent, ${lefts}]`, [number, before]);
  }
});

shopTest("a sign-in stays on the device, and signing out asks first, for all of its tabs",
  async (shop) => {
    await shop.place(id);
    const beside = await shop.board();
    const board = await shop.browser.open(`${shop.forno.origin}/board`, { beside });
    await board.until(cardIn("New", id));
    await board.tap("Settings");
    await board.click(".settings .leave button");
    await board.tap("Stay signed in");
    await board.click(".settings .leave button");
    await board.tap("Sign out");
    for (const tab of [board, beside]) await saysHowToSignIn(tab);
    await board.is("JSON.stringify(localStorage).includes('eyJ')", false);
  });

shopTest("a link that is not for staff, or has ended, is refused, and a good one is pasted",
  async (shop) => {
    await shop.place(id);
    const { origin, staff, token } = shop.forno;
    const board = await shop.board({}, { role: "customer", sub: "bruno" });
    await board.says("That link isn’t for staff.");
    await saysHowToSignIn(board);
    await board.go(`${origin}/board#token=${token({ role: "staff", sub: "rosa", exp: 1.7e9 })}`);
    await board.says("Sign in this device", "The shop doesn’t accept this sign-in now.");
    await board.tap("Close");
    await board.type("#link", "a shopping list");
    await board.tap("Sign in");
    await board.says("That isn’t a sign-in link of this shop.");
    await board.fill("#link", ` "${origin}/board#token=${staff}" `);
    await board.tap("Sign in", `Start ${id}`);
    await board.until(cardIn("Making", id));
  });

shopTest("a press that meets a shop which starts, and then no answer, is sent until it counts",
  async (shop) => {
    await shop.place(id);
    const board = await shop.board({ before: hasty });
    await board.intercept("PATCH", `window.sent = count;
      if (count < 3) return new Response('{"type":"/problems#starting"}', { status: 503 });
      if (count > 3) return;
      await send();
      throw new TypeError("network");`);
    await board.tap(`Start ${id}`);
    await board.until(cardIn("Making", id, ".move-button:not([aria-disabled])"));
    await board.is("window.sent", 3);
    assert.equal(await shop.statusOf(id), "Preparing");
  });

shopTest("a late press on Try now does not open the search, which lies below it", async (shop) => {
  await shop.place(id);
  const board = await shop.board();
  await setOffline(board, true);
  await board.is(`$(".lost-bar").hidden`, false);
  const [x, y] = await board.pointOf(".lost-bar button");
  const seenAt = await board.now();
  await setOffline(board, false);
  await board.until(`$(".lost-bar").hidden`);
  await board.painted();
  await board.is(`document.elementFromPoint(${x}, ${y}).closest("button")?.id`, "open-search");
  await board.pressAt(x, y, 1, seenAt);
  await board.pressAt(x, y, 1, seenAt + 0.399);
  await board.is(`$(".search-bar")`, null);
  await board.pressAt(x, y);
  await board.until(`$(".search-bar")`);
});

shopTest("when the connection is lost, a bar says since when, and what was missed comes later",
  async (shop) => {
    await shop.place(id);
    const board = await shop.board();
    await board.until(cardIn("New", id));
    const top = `${cardOf(id, ".move-button")}.getBoundingClientRect().top`;
    const before = await board.run(`return ${top}`);
    await setOffline(board, true);
    await board.until(`/Connection lost at \\d+:\\d\\d\\.\\s+1 was waiting then\\./.test(
      $(".lost-bar").innerText)`);
    await board.is(`[${cardOf(id, ".move-button")}.ariaDisabled,
      $(".badge-number").textContent, ${top}]`,
      ["true", "1?", before]);
    await shop.update(id, { status: "Ready" });
    await setOffline(board, false);
    await board.until(cardIn("Ready", id));
    await board.until(`$(".lost-bar").hidden`);
  });

shopTest("five phone orders open one tab, and the board lives", async (shop) => {
  await shop.place(id);
  const board = await shop.board();
  for (let presses = 0; presses < 5; presses += 1) await board.tap("New order");
  const { targetInfos } = await board.devtools<{ targetInfos: Record<string, string>[] }>(
    "Target.getTargets");
  const tabs = targetInfos.filter(({ browserContextId, type }) =>
    browserContextId === board.device && type === "page");
  assert.equal(tabs.length, 2);
  await board.tap(`Start ${id}`);
  await board.until(cardIn("Making", id));
});

shopTest("a new build behind the server is said, and loaded once nothing is open", async (shop) => {
  const board = await shop.board();
  const answerOtherBuild = `window.isOld = true;
    const real = fetch;
    window.fetch = (path, request) => path !== "/board" ? real(path, request)
      : Promise.resolve(new Response('<script type="module" src="pages/other/board.js">'));
    letPass(60_000);`;
  await board.tap("Settings");
  await board.run(answerOtherBuild);
  await board.says("There is a new version of this page. It loads once nothing is open.");
  await board.tap("Close");
  await board.run("letPass(5000);");
  await board.until("window.isOld === undefined && $('.badge-number')?.textContent");
  // Once for a build.
  await board.run(answerOtherBuild);
  await board.says("There is a new version of this page.");
  await board.run("letPass(5000);");
  await board.is("window.isOld", true);
});
