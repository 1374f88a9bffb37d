/** Devices on the board: who is signed in, one more by a code, lock out, a reader (part 7). */

import assert from "node:assert/strict";
import { keys, languages, type Window } from "./browser.ts";
import { decodeQr, gridOfPath } from "./qr-decoder.ts";
import { cardIn, type Shop, shopTest } from "./shop.ts";

const hour = 3600;

/** Signed in under that name. */
async function boardOf(shop: Shop, sub: string, role = "staff"): Promise<Window> {
  const iat = Math.floor(Date.now() / 1000) - 60;
  const token = shop.forno.token({ role, sub, iat, exp: iat + 12 * hour });
  const board = await shop.browser.open(`${shop.forno.origin}/board#token=${token}`);
  await board.until(`document.querySelector(".count")`);
  return board;
}

async function openDevices(board: Window): Promise<void> {
  await board.tap("Settings");
  await board.tap("Devices");
  await board.until(`document.querySelector(".devices li")`);
}

async function makeCode(board: Window, name: string): Promise<string> {
  await board.tap("Add a device");
  await board.type("#device-name", name);
  await board.tap("New code");
  return linkShown(board);
}

/** What a camera reads. */
async function linkShown(board: Window): Promise<string> {
  const [path, side] = await board.until<[string, number]>(`((code) => code
    && [code.querySelector("path").getAttribute("d"), code.viewBox.baseVal.width])(
      document.querySelector("dialog svg.qr"))`);
  return decodeQr(gridOfPath(path, side - 8)).text;
}

const rowOf = (name: string): string => `[...document.querySelectorAll(".devices li")]
  .find((one) => one.querySelector("bdi").textContent === ${JSON.stringify(name)})?.innerText`;

shopTest("a device comes in by a code on the screen, once, and the dialog says so",
  { ORDER_READS: "own" }, async (shop) => {
    await shop.place();
    const pass = await boardOf(shop, "Pass");
    await openDevices(pass);
    const link = await makeCode(pass, "Bar tablet");
    assert.match(link, /^http:\/\/127\.0\.0\.1:\d+\/board#code=[\w-]{22}$/);
    assert.match(await pass.text(), /(9:5\d|10:00) left\. It works once, for one device\./);

    const tablet = await shop.browser.open(link);
    await tablet.until(cardIn("Pending", "AAA111"));
    assert.equal(await tablet.address(), `${shop.forno.origin}/board`);
    await pass.says("Bar tablet has come in.");
    await pass.tap("Back");
    await pass.until(`/Staff · until .+\\s+now/.test(${rowOf("Bar tablet")})`);
    assert.match(await pass.run(`return ${rowOf("Pass")}`), /this one[^]*Sign out/);

    const late = await shop.browser.open(link);
    await late.says("This code doesn’t work any more.");
    await late.tap("Close");
    await late.says("Signed out. Orders may be waiting.");
    assert.deepEqual(await late.complaints(/ 401 /), []);
  });

shopTest("a code for view only signs in a reader, and a change of the fields needs a new code",
  async (shop) => {
    const pass = await boardOf(shop, "Pass");
    await openDevices(pass);
    await makeCode(pass, "Dining room");
    await pass.tap("View only");
    await pass.until(`!document.querySelector("dialog svg.qr")`);
    await pass.tap("Tonight");
    await pass.tap("New code");
    const display = await shop.browser.open(await linkShown(pass));
    await pass.says("Dining room has come in.");
    await display.until(`document.querySelector(".view-only")`);
    await pass.tap("Back");
    await pass.until(`/View only · until/.test(${rowOf("Dining room")})`);
    const { json } = await shop.forno.asStaff("GET", "/api/devices");
    const { expiresAt } = json.find(({ sub }: { sub: string }) => sub === "Dining room");
    const hours = (Date.parse(expiresAt) - Date.now()) / hour / 1000;
    // The tests run where it is between 10 and 11 in the evening.
    assert.ok(hours > 5.9 && hours < 7.1, `until five in the morning, not ${hours} hours`);
    assert.deepEqual(await pass.complaints(), []);
  });

shopTest("a code without a name, and twice at once, and one that has run out", async (shop) => {
  const pass = await boardOf(shop, "Pass");
  await pass.intercept("api/invites", `window.made = count;
    const answer = await send();
    const { ok, status, headers } = answer;
    const expiresAt = new Date(Date.now() + 1500).toISOString();
    return { ok, status, headers, json: async () => ({ ...await answer.json(), expiresAt }) };`);
  await openDevices(pass);
  await pass.tap("Add a device");
  for (const name of ["", "..", "🍕"]) {
    await pass.fill("#device-name", name);
    await pass.tap("New code");
    await pass.says("It needs a name.");
  }
  await pass.fill("#device-name", "Bar");
  await pass.run(`
    const form = document.querySelector(".invite form");
    form.requestSubmit();
    form.requestSubmit();`);
  await pass.until(`document.querySelector("dialog svg.qr")`);
  await pass.until(`!document.querySelector("dialog svg.qr")`);
  await pass.says("This code has run out.");
  assert.equal(await pass.run("return window.made"), 1);
  await pass.tap("New code");
  await pass.until(`document.querySelector("dialog svg.qr")`);
});

shopTest("a link asks before it replaces who is signed in, and says whom it signs in",
  async (shop) => {
    const pass = await boardOf(shop, "Pass");
    const token = { token: shop.forno.token({ role: "staff", sub: "owner", exp: 4e9, iat: 1e9 }) };
    const body = { role: "staff", sub: "Oven", expires: "1d" };
    const { json: { code } } = await shop.forno.call("POST", "/api/invites", { ...token, body });
    await pass.go(`${shop.forno.origin}/board#code=${code}`);
    await pass.says("You are signed in as Pass. Sign in as Oven instead?");
    assert.equal(await pass.address(), `${shop.forno.origin}/board`);
    await pass.tap("Stay Pass");
    await openDevices(pass);
    assert.match(await pass.run(`return ${rowOf("Pass")}`), /this one/);
  });

shopTest("a code that gets no answer can be tried again, and a pasted link works too",
  async (shop) => {
    const token = shop.forno.token({ role: "staff", sub: "owner", exp: 4e9, iat: 1e9 });
    const board = await shop.browser.open(`${shop.forno.origin}/board`);
    for (const sub of ["Oven", "Bar"]) {
      const body = { role: "staff", sub, expires: "1d" };
      const { json: { code } } = await shop.forno.call("POST", "/api/invites", { token, body });
      await board.until(`document.querySelector("#link")`);
      await board.intercept("api/tokens",
        `if (count === 1) throw new TypeError("no network");`);
      if (sub === "Oven") await board.go(`${shop.forno.origin}/board#code=${code}`);
      else {
        await board.type("#link", ` "${shop.forno.origin}/board#code=${code}" `);
        await board.tap("Sign in");
      }
      await board.says("The shop doesn’t answer.");
      await board.tap("Try again");
      await openDevices(board);
      assert.match(await board.run(`return ${rowOf(sub)}`), /this one/);
      await board.tap("Sign out");
      await board.run(`[...document.querySelectorAll(".ask button")].at(-1).click();`);
      await board.says("Signed out. Orders may be waiting.");
    }
  });

shopTest("locked out, a device is signed out at once and told why; let in again, it goes on",
  { ORDER_READS: "own" }, async (shop) => {
    await shop.place();
    const [pass, phone] = [await boardOf(shop, "Pass"), await boardOf(shop, "Giulia’s phone")];
    await phone.until(cardIn("Pending", "AAA111"));
    const address = await phone.run<string>("return localStorage.getItem('/board-token')");
    await openDevices(pass);
    await pass.tap("Giulia’s phone: Lock out");
    await pass.says("Lock out Giulia’s phone?");
    await pass.tap("Keep it signed in");
    await pass.tap("Giulia’s phone: Lock out");
    await pass.tap("Lock out");
    await phone.says("This device was locked out. To come back it needs a new code.");
    await phone.until(`document.querySelector(".count").textContent === "1"`);
    await pass.until(`/Locked out/.test(${rowOf("Giulia’s phone")})`);
    await pass.tap("Giulia’s phone: Let in again");
    await pass.until(`!/Locked out/.test(${rowOf("Giulia’s phone")})`);
    await phone.go(`${shop.forno.origin}/board#token=${address}`);
    await phone.tap("Start AAA111");
    await phone.until(cardIn("Preparing", "AAA111"));
    assert.deepEqual(await phone.complaints(/ 401 /), []);
  });

shopTest("a device that was locked out comes back with a new code, and can be locked out again",
  async (shop) => {
    const pass = await boardOf(shop, "Pass");
    const { json: { lockedAt } } = await shop.forno.asStaff("PUT", "/api/devices/Oven/lock");
    await openDevices(pass);
    await pass.until(`/Locked out/.test(${rowOf("Oven")})`);
    // A token tells its second only: one of the lock's own is refused. Presses shift Date.now.
    await pass.until("performance.timeOrigin + performance.now() > arguments[0]",
      Date.parse(lockedAt) + 1000);
    await shop.browser.open(await makeCode(pass, "Oven"));
    await pass.says("Oven has come in.");
    await pass.tap("Back");
    await pass.until(`/Staff · until .+\\s+now\\s+Lock out$/.test(${rowOf("Oven")})`);
  });

shopTest("a board that is locked out while it shows the devices shows them no longer",
  async (shop) => {
    const pass = await boardOf(shop, "Pass");
    await openDevices(pass);
    await shop.forno.asStaff("PUT", "/api/devices/Pass/lock");
    await pass.says("This device was locked out.");
    assert.equal(await pass.run(`return document.querySelector("dialog")`), null);
    assert.deepEqual(await pass.complaints(/ 401 /), []);
  });

shopTest("the second of two quick presses on one spot does not answer the question of the first",
  async (shop) => {
    const [pass] = [await boardOf(shop, "Pass"), await boardOf(shop, "Oven")];
    await openDevices(pass);
    await pass.until(rowOf("Oven"));
    await pass.run(`
      const press = (selector) => document.querySelector(selector).dispatchEvent(
        new MouseEvent("click", { detail: 1, clientX: 1, clientY: 1, bubbles: true,
          cancelable: true }));
      press("[data-do=lock-out]");
      press(".ask [value=yes]");`);
    await pass.tap("Keep it signed in");
    const { json } = await shop.forno.asStaff("GET", "/api/devices");
    assert.equal(json.some((one: object) => "lockedAt" in one), false);
  });

shopTest("a lock that is not answered says so, and the list stays", async (shop) => {
  const [pass] = [await boardOf(shop, "Pass"), await boardOf(shop, "Oven", "reader")];
  await openDevices(pass);
  await pass.until(rowOf("Oven"));
  await pass.run(`window.fetch = async () => { throw new TypeError("no network"); };`);
  await pass.tap("Oven: Lock out");
  await pass.tap("Lock out");
  await pass.says("The shop doesn’t answer.");
  assert.ok(await pass.run(`return ${rowOf("Oven")}`));
});

shopTest("the keyboard opens and closes the dialogs, and is back where it was", async (shop) => {
  const pass = await boardOf(shop, "Pass");
  await pass.until(`document.querySelector("[data-do=settings]")`);
  await pass.run(`document.querySelector("[data-do=settings]").focus();`);
  await pass.press(keys.enter);
  await pass.run(`document.querySelector("[data-do=devices]").focus();`);
  await pass.press(keys.enter);
  await pass.until(`document.querySelector(".devices li")`);
  await pass.run(`document.querySelector("[data-do=add-device]").focus();`);
  await pass.press(keys.enter);
  await pass.until(`document.activeElement.id === "device-name"`);
  await pass.press("B", "a", "r", keys.enter);
  await linkShown(pass);
  await pass.press(keys.escape);
  await pass.until(`document.activeElement.dataset.do === "settings"`);
});

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

/** Dialogs that are wider than the window, and what sticks out of them. */
const spilled = `const dialog = document.querySelector("dialog");
  return [dialog, ...dialog.querySelectorAll("*")].filter((one) => {
    const { left, right, width } = one.getBoundingClientRect();
    return width > 0 && !one.closest(".unseen") && (left < -1 || right > innerWidth + 1);
  }).map((one) => one.outerHTML.slice(0, 120));`;

shopTest("the dialogs fit with large text, and break no word, in any language", async (shop) => {
  const { origin, staff } = shop.forno;
  await shop.forno.asStaff("PUT", "/api/devices/Old%20phone/lock");
  const board = await shop.browser.open(`${origin}/board#token=${staff}`);
  for (const language of languages) {
    await board.resize(390, 844);
    await board.speak(language);
    await board.reload();
    for (const way of [["devices"], ["devices", "add-device"], ["table-cards"]]) {
      // Without a mouse: two presses on one spot need a pause.
      for (const action of ["settings", ...way]) {
        await board.until(`document.querySelector("[data-do=${action}]")`);
        await board.run(`document.querySelector("[data-do=${action}]").click();`);
      }
      if (way.includes("add-device")) {
        await board.type("#device-name", "Bar");
        await board.press(keys.enter);
        await linkShown(board);
      }
      for (const [width, size] of [[320, "100%"], [390, "200%"], [1280, "200%"]] as const) {
        const about = `${language}, ${way}, ${width} px, ${size}`;
        await board.resize(width, 844);
        await board.run(`document.documentElement.style.fontSize = "${size}";`);
        assert.deepEqual(await board.run(spilled), [], about);
        const words = "dialog :is(h2, button, button span, .pill, .locked-out, .left)";
        assert.deepEqual(await board.brokenWords(words), [], about);
      }
      await board.run(`document.documentElement.style.fontSize = "";`);
      await board.click("[data-do=close-dialog]");
    }
  }
});
