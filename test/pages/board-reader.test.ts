/** A reader's device, "View only", shows the board and nothing that acts (contract part 7). */

import assert from "node:assert/strict";
import { keys } from "./browser.ts";
import { cardIn, shopTest } from "./shop.ts";

shopTest("a reader sees every order and news of them, and can press nothing that acts",
  { ORDER_READS: "own" }, async (shop) => {
    const { origin, staff, reader, call } = shop.forno;
    await shop.place();
    await shop.place({ id: "BBB222", status: "Preparing" });
    const board = await shop.browser.open(`${origin}/board#token=${reader}`);
    await board.until(cardIn("Pending", "AAA111"));
    await board.until(cardIn("Preparing", "BBB222"));
    assert.equal(await board.address(), `${origin}/board`);
    const buttons = await board.run<string[]>(`return [
      ...document.querySelectorAll("button, a, input"),
    ].filter((one) => one.checkVisibility()).map((one) => one.ariaLabel ?? one.textContent);`);
    assert.deepEqual(buttons.filter((one) => /Start|Ready|More|Menu|Phone|Sign in/.test(one)),
      ["0Ready"], "only the column of that name");
    for (const key of ["1", "u"]) await board.press(key);
    await board.run(`document.querySelector(".column .head").focus();`);
    await board.press(keys.tab);
    assert.equal(await board.run("return document.activeElement.dataset.stage"), "Pending",
      "a list is scrolled by keyboard");
    // The code of a page can be asked for what is not drawn: it does nothing either.
    await board.run(`for (const one of document.querySelectorAll(".card button")) one.click();`);
    await call("PATCH", "/api/orders/BBB222", { token: staff, body: { status: "Ready" } });
    await board.until(cardIn("Ready", "BBB222"));
    const { json } = await call("GET", "/api/orders/AAA111", { token: staff });
    assert.equal(json.status, "Pending");
    await call("PATCH", "/api/orders/BBB222", { token: staff, body: { status: "Cancelled" } });
    await board.until(`!document.querySelector('[data-order="BBB222"]')`);
    await board.tap("Settings");
    const dialog = await board.until<string>(`document.querySelector("dialog").innerText`);
    assert.match(dialog, /Sign out/);
    assert.doesNotMatch(dialog, /Devices|Table cards|Chime|keys/);
    // A phone order is staff's: the order page does not take this sign-in.
    const page = await shop.browser.open(origin, { beside: board });
    await page.says("ask the shop for its order link");
    assert.deepEqual(await board.complaints(), []);
  });
