/** The orders on the staff's board, in a real browser, as a person sees and works them. */

import assert from "node:assert/strict";
import { keys, type Window } from "./browser.ts";
import { cardIn, cardOf, holdBack, shopTest, type Shop } from "./shop.ts";

const id = "AAA111";
const card = cardOf(id);

/** The card is there, and the board has said so. */
function moved(order: string, stage: string, said: string): string {
  return `${cardIn(stage, order)} && document.querySelector(".notices").textContent.includes(
    ${JSON.stringify(`${order} ${said}`)})`;
}

const started = (order: string): string => moved(order, "Preparing", "started");

/** The buttons in sight, with their places, but for ↓, which comes a frame later. */
const places = `return Object.fromEntries([...document.querySelectorAll("button, a, input")]
  .filter((one) => one.checkVisibility({ visibilityProperty: true }))
  .filter((one) => !one.closest(".popup, .below"))
  .map((one) => [one.dataset.of ?? one.textContent, one])
  .map(([name, one]) => [name, one.getBoundingClientRect()])
  .filter(([, { top, bottom }]) => top >= 0 && bottom <= innerHeight)
  .map(([name, { x, y, width, height }]) => [name, [x, y, width, height].map(Math.round)]));`;

shopTest("a card shows the whole order by name, and what is to be made is counted",
  async (shop) => {
    await shop.place();
    await shop.place({
      id: "BBB222", toppings: [{ id: "pomodoro" }, { id: "mozzarella" }, { id: "funghi" }],
    });
    const board = await shop.board();
    const lines = (order: string): string => `[...document.querySelectorAll(
      '${cardOf(order)} .contents li')].map((one) => one.textContent)`;
    await board.until(cardIn("Pending", "BBB222"));
    assert.deepEqual(await board.run(`return ${lines(id)}`),
      ["Large", "Mushrooms", "2× Mozzarella", "Chinotto"]);
    assert.deepEqual(await board.run(`return ${lines("BBB222")}`),
      ["Large", "Tomato sauce, Mozzarella", "Mushrooms", "Chinotto"]);
    const sums = `[...document.querySelectorAll("#sums li")].map((one) => one.textContent)`;
    assert.deepEqual(await board.run(`return ${sums}`),
      ["2 Large", "3 Mozzarella", "2 Mushrooms", "1 Tomato sauce", "2 Chinotto"]);
    assert.equal(await board.run("return document.title"), "(2) Forno: kitchen");
    assert.deepEqual(await board.complaints(), []);
  });

shopTest("one tap moves an order on, and undo takes it back", async (shop) => {
  await shop.place();
  const board = await shop.board();
  await board.tap(`Start ${id}`);
  await board.until(started(id));
  assert.equal(await shop.statusOf(id), "Preparing");
  await board.tap("Undo");
  await board.until(cardIn("Pending", id));
  assert.equal(await shop.statusOf(id), "Pending");
  assert.deepEqual(await board.complaints(), []);
});

for (const [width, height] of [[768, 1024], [1280, 800], [390, 844]] as const) {
  shopTest(`⋯ opens a whole menu, covers no main button, moves nothing, ${width} px`,
    async (shop) => {
      for (let index = 0; index < 8; index += 1) {
        const toppings = index % 2 === 0 ? [] : [{ id: "funghi" }];
        await shop.place({ id: `order${index}`, status: "Preparing", toppings, beverages: [] });
      }
      const board = await shop.board({ width, height });
      if (width === 390) await board.tap("8Preparing");
      const before = await board.run(places);
      for (const order of ["order0", "order1", "order2"]) {
        await board.tap(`More for ${order}`);
        await board.until(`document.querySelector(".popup button")`);
        assert.deepEqual(await board.run(places), before);
        assert.equal(await board.run(`const menu = document.querySelector(".popup");
          return menu.scrollHeight - menu.clientHeight;`), 0, "every row is in sight");
        assert.deepEqual(await board.run(`
          const menu = document.querySelector(".popup").getBoundingClientRect();
          const isOver = ({ left, right, top, bottom }) => left < menu.right && right > menu.left
            && top < menu.bottom && bottom > menu.top;
          return [...document.querySelectorAll(".ways button")]
            .filter((one) => one.checkVisibility() && isOver(one.getBoundingClientRect()))
            .map((one) => one.textContent);`), []);
        assert.deepEqual(await board.run(
          `return [...document.querySelectorAll(".popup button")].map((one) => one.textContent)`),
        ["Send out", "Back to Pending", "Print ticket", "Cancel order"].map((way) =>
          `${way} ${order}`));
        await board.press({ key: "Escape", code: "Escape", windowsVirtualKeyCode: 27 });
        await board.until(`!document.querySelector(".popup")`);
        const focused = await board.run("return document.activeElement.ariaLabel");
        assert.equal(focused, `More for ${order}`);
      }
      assert.equal(await shop.statusOf("order0"), "Preparing");
    });
}

shopTest("an order is sent back, cancelled, and reopened from the Done tab", async (shop) => {
  await shop.place({ status: "Preparing" });
  const board = await shop.board();
  await board.tap(`More for ${id}`);
  await board.tap(`Back to Pending ${id}`);
  await board.until(cardIn("Pending", id));
  await board.tap(`More for ${id}`);
  await board.tap(`Cancel order ${id}`);
  await board.until(`!document.querySelector('${card}')`);
  assert.equal(await shop.statusOf(id), "Cancelled");
  await board.tap("Done");
  await board.tap(`Reopen ${id}`);
  await board.tap("Orders1");
  await board.until(cardIn("Pending", id));
});

shopTest("a second tap on one spot moves no other order", async (shop) => {
  for (const order of ["first", "second", "third"]) await shop.place({ id: order });
  const board = await shop.board();
  await board.until(cardIn("Pending", "third"));
  // The page's clock stands still, so that the test may be as slow as it likes.
  await board.run(`const now = Date.now();
    window.later = 0;
    Date.now = () => now + window.later;`);
  await board.doubleClick(`${cardOf("first")} .main`);
  await board.until(cardIn("Preparing", "first"));
  // The next card lies under the finger now.
  await board.run("window.since = performance.now();");
  await board.click(`${cardOf("second")} .main`);
  await board.until("performance.now() - since > 400");
  await board.run("window.later = 400;");
  await board.click(`${cardOf("second")} .main`);
  await board.until(started("second"));
  assert.equal(await shop.statusOf("first"), "Preparing");
  assert.equal(await shop.statusOf("second"), "Preparing");
});

shopTest("number keys move orders on, arrows change the column, U undoes", async (shop) => {
  await shop.place({ id: "first" });
  await shop.place();
  const board = await shop.board();
  await board.until(cardIn("Pending", id));
  await board.press("2");
  await board.until(started(id));
  await board.press(keys.right, "1");
  await board.until(moved(id, "Ready", "ready"));
  await board.press("u", "U");
  await board.until(cardIn("Pending", id));
  await board.tap("Settings");
  await board.click("[data-of=usesKeys]");
  await board.tap("Close");
  await board.press(keys.left, "1");
  assert.equal(await shop.statusOf("first"), "Pending");
  assert.deepEqual(await board.complaints(), []);
});

shopTest("from right to left the arrows choose the column that they point to", async (shop) => {
  const board = await shop.board({ language: "ar" });
  const [first, second] = await board.run<number[]>(
    `return [...document.querySelectorAll(".head")].map((one) => one.getBoundingClientRect().x)`);
  assert.ok((first ?? 0) > (second ?? 0), "the first column is on the right");
  await board.press(keys.left);
  assert.equal(await board.run("return document.activeElement.getBoundingClientRect().x"), second);
});

shopTest("Enter after Enter works through a column; held, it moves one order", async (shop) => {
  for (const order of ["first", "second", "third"]) await shop.place({ id: order });
  const board = await shop.board();
  await board.until(cardIn("Pending", "third"));
  await board.run(`document.querySelector('${cardOf("first")} .main').focus();`);
  const press = (type: string, autoRepeat: boolean) => board.devtools("Input.dispatchKeyEvent", {
    type, autoRepeat, key: "Enter", code: "Enter", windowsVirtualKeyCode: 13, text: "\r",
  });
  const hasFocus = (order: string): string =>
    `document.activeElement.closest(".card")?.matches('${cardOf(order)}')`;
  await press("keyDown", false);
  await board.until(hasFocus("second"));
  for (let times = 0; times < 5; times += 1) await press("keyDown", true);
  await press("keyUp", false);
  await board.press(keys.enter);
  await board.until(hasFocus("third"));
  assert.equal(await shop.statusOf("third"), "Pending");
  await board.press(keys.enter);
  await board.until(cardIn("Preparing", "third"));
  assert.match(await board.run("return document.activeElement.textContent"), /Pending/);
});

shopTest("late shows in three stages, by shape and in words, and moves nothing", async (shop) => {
  await shop.place();
  for (const order of ["BBB222", "K7QX3M-1", "K7QX3M-2"]) await shop.place({ id: order });
  const board = await shop.browser.open("about:blank");
  // Minutes pass at will; without the Date field the page uses its own clock.
  await board.devtools("Page.addScriptToEvaluateOnNewDocument", {
    source: `window.minutes = 0;
      const [now, every, get] = [Date.now, setInterval, Headers.prototype.get];
      Date.now = () => now() + window.minutes * 60_000;
      window.setInterval = (act, ms) => every(act, ms === 1000 ? 10 : ms);
      Headers.prototype.get = function (name) {
        return name === "date" ? null : get.call(this, name);
      };`,
  });
  await board.go(`${shop.forno.origin}/board#token=${shop.forno.staff}`);
  await board.until(`document.querySelector('${card} .tag')?.textContent === "New"`);
  const says = async (minutes: number, text: string): Promise<void> => {
    await board.run(`window.minutes = ${minutes};`);
    await board.until(`document.querySelector('${card} .age')?.textContent === "${text}"`);
  };
  await says(4, "4 min");
  const placesAt = async (width: number): Promise<unknown> => {
    await board.resize(width, 900);
    return board.run(places);
  };
  const before = [await placesAt(700), await placesAt(1280)];
  const fill = `return getComputedStyle(document.querySelector('${card} header')).backgroundColor`;
  const quiet = await board.run(fill);
  for (const [minutes, text] of [
    [5, "5 min late"], [8, "! 8 min late"], [10, "!! 10 min late"], [75, "!! 1 h 15 late"],
  ] as const) {
    await says(minutes, text);
    assert.deepEqual([await placesAt(700), await placesAt(1280)], before, text);
  }
  assert.notEqual(await board.run(fill), quiet);
  await board.tap("Settings");
  await board.run(`document.querySelector("[data-of=Pending][type=number]").value = "";`);
  await board.type("[data-of=Pending][type=number]", "70");
  await board.tap("Close");
  await says(75, "1 h 15 late");
  // Undone, it is as late as it was.
  await board.tap(`Start ${id}`);
  await board.until(cardIn("Preparing", id));
  await board.tap("Undo");
  await board.until(cardIn("Pending", id));
  await says(75, "1 h 15 late");
});

shopTest("orders placed together say so, counting those that are closed already", async (shop) => {
  for (const number of ["K7QX3M-1", "K7QX3M-2", "tavolo-7", "tavolo-8"]) {
    await shop.place({ id: number });
  }
  const [token, body] = [shop.forno.staff, { status: "Delivered" }];
  await shop.forno.call("PATCH", "/api/orders/K7QX3M-2", { token, body });
  const board = await shop.board();
  const says = (number: string, text: string) => board.until(
    `(document.querySelector('${cardOf(number)} .group')?.textContent ?? "") === "${text}"`);
  await says("K7QX3M-1", "1 of 2");
  await shop.place({ id: "K7QX3M-3" });
  await says("K7QX3M-1", "1 of 3");
  await says("K7QX3M-3", "3 of 3");
  await says("tavolo-7", "");
});

shopTest("of two tablets on one order the slower changes nothing and sees the newer",
  async (shop) => {
    await shop.place();
    const board = await shop.board();
    // The other tablet's tap lands between this one's tap and its write.
    await board.run(`
      const real = fetch;
      window.fetch = async (path, request) => {
        if (request?.method !== "PATCH" || window.overtaken) return real(path, request);
        window.overtaken = true;
        const headers = { authorization: request.headers.get("authorization") };
        await real(path, { method: "PATCH", headers, body: '{"status":"Out for Delivery"}' });
        return real(path, request);
      };`);
    await board.click(`${card} .main`);
    await board.until(moved(id, "Out for Delivery", "was changed on another screen."));
    assert.equal(await shop.statusOf(id), "Out for Delivery");
    assert.deepEqual(await board.complaints(/ 412 /), []);
  });

/** A board on which "first" has been moved, and the move of the other order is held back. */
async function boardInAMove(shop: Shop): Promise<Window> {
  await shop.place({ id: "first" });
  await shop.place();
  const board = await shop.board();
  await board.until(cardIn("Pending", id));
  await board.press("1");
  await board.until(started("first"));
  await board.run(holdBack(`orders/${id}`));
  await board.press("1");
  await board.until("window.letGo");
  return board;
}

shopTest("U undoes the move that is still under way, not the one before it", async (shop) => {
  const board = await boardInAMove(shop);
  await board.press("u");
  await board.run("letGo()");
  await board.until(moved(id, "Pending", "is pending again"));
  assert.equal(await shop.statusOf(id), "Pending");
  assert.equal(await shop.statusOf("first"), "Preparing");
});

shopTest("U undoes no other order where the move that is still under way fails", async (shop) => {
  const board = await boardInAMove(shop);
  const [token, body] = [shop.forno.staff, { status: "Cancelled" }];
  await shop.forno.call("PATCH", `/api/orders/${id}`, { token, body });
  await board.press("u");
  await board.run("letGo()");
  await board.until(`document.querySelectorAll(".notice").length === 2`);
  assert.equal(await shop.statusOf("first"), "Preparing");
  await board.press("u");
  await board.until(cardIn("Pending", "first"));
});

shopTest("a tap on what a move has made is not lost while the move is under way", async (shop) => {
  await shop.place();
  const board = await shop.board();
  await board.until(cardIn("Pending", id));
  // The event tells of the move before its own answer does.
  await board.run(`const real = fetch;
    window.fetch = async (path, request) => {
      const answer = await real(path, request);
      if (request?.method === "PATCH" && !window.letGo) {
        await new Promise((resolve) => { window.letGo = resolve; });
      }
      return answer;
    };`);
  await board.tap(`Start ${id}`);
  await board.until(cardIn("Preparing", id));
  await board.tap(`Ready ${id}`);
  await board.run("letGo()");
  await board.until(moved(id, "Ready", "ready"));
  assert.equal(await shop.statusOf(id), "Ready");
});

shopTest("a new order is announced in words, once; what was there or changed is not",
  async (shop) => {
    await shop.place();
    const [board, other] = [await shop.board(), await shop.board()];
    await board.until(cardIn("Pending", id));
    await board.run(`window.heard = [];
      const region = document.querySelector("#page > [role=status]");
      new MutationObserver(() => region.textContent && window.heard.push(region.textContent))
        .observe(region, { childList: true, characterData: true, subtree: true });`);
    await shop.place({ id: "K7QX3M" });
    await board.until(cardIn("Pending", "K7QX3M"));
    await other.tap(`Start ${id}`);
    await board.until(cardIn("Preparing", id));
    const [token, path] = [shop.forno.staff, "/api/orders/K7QX3M"];
    for (const status of ["Preparing", "Delivered", "Ready"]) {
      await shop.forno.call("PATCH", path, { token, body: { status } });
    }
    await board.until(cardIn("Ready", "K7QX3M"));
    await shop.place({ id: "BBB222" });
    await board.until(cardIn("Pending", "BBB222"));
    assert.deepEqual(await board.run("return heard"), ["New order K7QX3M", "New order BBB222"]);
  });
