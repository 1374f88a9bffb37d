/** Devices on the board: who is signed in, one more by a code, lock out, a reader (part 7). */

import assert from "node:assert/strict";
import { keys, languages, type Window } from "./browser.ts";
import { codesAre } from "./qr.ts";
import { cardIn, type Shop, shopTest } from "./shop.ts";

const hour = 3600;

const notingCode = `const real = fetch;
  window.fetch = async (path, request) => {
    const answer = await real(path, request);
    if (path === "api/invites") window.code = (await answer.clone().json()).code;
    return answer;
  };`;

/** Signed in under that name. */
function boardOf(shop: Shop, sub: string, role = "staff"): Promise<Window> {
  const iat = Math.floor(Date.now() / 1000) - 60;
  return shop.board({ before: notingCode }, { role, sub, iat, exp: iat + 12 * hour });
}

async function openDevices(board: Window): Promise<void> {
  await board.tap("Settings", "Devices");
  await board.until(`$(".devices li")`);
}

async function makeCode(board: Window, name: string): Promise<string> {
  await board.tap("Add a device");
  await board.type("#device-name", name);
  await board.tap("New code");
  return linkShown(board);
}

/** A link with a code, not by the board. */
async function invite(shop: Shop, sub: string): Promise<string> {
  const body = { role: "staff", sub, expires: "1d" };
  const { json: { code } } = await shop.forno.asStaff("POST", "/api/invites", body);
  return `${shop.forno.origin}/board#code=${code}`;
}

/** Not by the board. */
async function lockOut(shop: Shop, sub: string): Promise<void> {
  const answer = await shop.forno.asStaff("PATCH", "/api/devices", { sub, isLocked: true });
  assert.equal(answer.status, 200, answer.text);
}

/** The link in the QR code on the screen, as a camera reads it. */
async function linkShown(board: Window): Promise<string> {
  const link = await board.until<string>(
    `$("dialog svg.qr") && new URL("#code=" + code, location).href`);
  await codesAre(board, "dialog", [link]);
  return link;
}

const rowOf = (name: string): string => `$$(".devices li")
  .find((one) => one.querySelector("bdi").textContent === ${JSON.stringify(name)})?.innerText`;

/** Waits until the row of that device looks like this. */
const rowIs = (board: Window, name: string, pattern: RegExp): Promise<unknown> =>
  board.until(`${pattern}.test(${rowOf(name)})`);

shopTest("a device comes in by a code on the screen, once, as staff or to look on",
  { ORDER_READS: "own" }, async (shop) => {
    await shop.place();
    const pass = await boardOf(shop, "Pass");
    await openDevices(pass);
    const link = await makeCode(pass, "Bar tablet");
    assert.match(link, /^http:\/\/127\.0\.0\.1:\d+\/board#code=[\w-]{22}$/);
    assert.match(await pass.text(), /(9:5\d|10:00) left\. It works once, for one device\./);
    await pass.says(`No camera? Open this link on the device: ${link}`);

    const tablet = await shop.browser.open(link);
    await tablet.until(cardIn("Pending", "AAA111"));
    await tablet.is("location.href", `${shop.forno.origin}/board`);
    await pass.says("Bar tablet has come in.");
    await pass.tap("Back");
    await rowIs(pass, "Bar tablet", /Staff, until .+\s+now/);
    await rowIs(pass, "Pass", /this one[^]*Sign out/);

    // A code that was made before a change is gone.
    await makeCode(pass, "Dining room");
    await pass.tap("View only");
    await pass.is(`$("dialog svg.qr")`, null);
    await pass.tap("New code");
    const display = await shop.browser.open(await linkShown(pass));
    await display.until(`$(".view-only")`);
    await pass.says("Dining room has come in.");
    await pass.tap("Back");
    await rowIs(pass, "Dining room", /View only, until/);
    const { json } = await shop.forno.asStaff("GET", "/api/devices");
    const { expiresAt } = json.find(({ sub }: { sub: string }) => sub === "Dining room");
    const days = (Date.parse(expiresAt) - Date.now()) / hour / 24_000;
    assert.ok(days > 29.9 && days < 30.1, `30 days, not ${days}`);

    const late = await shop.browser.open(link);
    await late.says("This code doesn’t work any more.");
    await late.tap("Close");
    await late.says("Sign in this device");
    assert.deepEqual(await late.complaints(/ 401 /), []);
  });

shopTest("a code needs a name, is made once however often that is asked, and runs out",
  async (shop) => {
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
    await pass.run(`const form = $(".invite form");
      form.requestSubmit();
      form.requestSubmit();`);
    await pass.until(`$("dialog svg.qr")`);
    await pass.says("This code has run out.");
    await pass.is(`[$("dialog svg.qr"), window.made]`, [null, 1]);
    await pass.tap("New code");
    await pass.until(`$("dialog svg.qr")`);
  });

shopTest("a link asks before it replaces who is signed in, and says whom it signs in",
  async (shop) => {
    const pass = await boardOf(shop, "Pass");
    await pass.go(await invite(shop, "Oven"));
    await pass.says("You are signed in as Pass. Sign in as Oven instead?");
    await pass.is("location.href", `${shop.forno.origin}/board`);
    await pass.tap("Stay Pass");
    await openDevices(pass);
    await rowIs(pass, "Pass", /this one/);
  });

shopTest("a code that gets no answer can be tried again, and a pasted link works too",
  async (shop) => {
    const board = await shop.browser.open(`${shop.forno.origin}/board`);
    for (const sub of ["Oven", "Bar"]) {
      const link = await invite(shop, sub);
      await board.until(`$("#link")`);
      await board.intercept("api/tokens",
        `if (count === 1) throw new TypeError("no network");`);
      if (sub === "Oven") await board.go(link);
      else {
        await board.type("#link", ` "${link}" `);
        await board.tap("Sign in");
      }
      await board.says("The shop doesn’t answer.");
      await board.tap("Try again");
      await openDevices(board);
      await rowIs(board, sub, /this one/);
      await board.tap("Sign out");
      await board.run(`$$(".ask button").at(-1).click();`);
      await board.says("Sign in this device");
    }
  });

shopTest("locked out, a device is signed out at once and told why; let in again, it goes on",
  { ORDER_READS: "own" }, async (shop) => {
    await shop.place();
    const [pass, phone] = [await boardOf(shop, "Pass"), await boardOf(shop, "Giulia’s phone")];
    await phone.until(cardIn("Pending", "AAA111"));
    const token = await phone.run<string>("return localStorage.getItem('/board-token')");
    await openDevices(pass);
    await openDevices(phone);
    for (const answer of ["Keep it signed in", "Lock out"]) {
      await pass.tap("Giulia’s phone: Lock out");
      await pass.says("Lock out Giulia’s phone?");
      await pass.tap(answer);
    }
    await phone.says("The shop has signed this device out. To come back it needs a new code.");
    await phone.is(`[$("dialog"), texts(".count")[0]]`, [null, "1"]);
    await rowIs(pass, "Giulia’s phone", /Locked out/);
    await pass.tap("Giulia’s phone: Let in again");
    await rowIs(pass, "Giulia’s phone", /^(?![^]*Locked out)/);
    await phone.go(`${shop.forno.origin}/board#token=${token}`);
    await phone.tap("Start AAA111");
    await phone.until(cardIn("Preparing", "AAA111"));
    assert.deepEqual(await phone.complaints(/ 401 /), []);
  });

shopTest("a device that was locked out comes back with a new code, and can be locked out again",
  async (shop) => {
    const pass = await boardOf(shop, "Pass");
    await lockOut(shop, "Oven");
    await openDevices(pass);
    await rowIs(pass, "Oven", /Locked out/);
    await shop.browser.open(await makeCode(pass, "Oven"));
    await pass.says("Oven has come in.");
    await pass.tap("Back");
    await rowIs(pass, "Oven", /Staff, until .+\s+now\s+Lock out$/);
  });

shopTest("a device was last seen now, minutes ago, today, yesterday or on a day", async (shop) => {
  const pass = await boardOf(shop, "Pass");
  // It is between 10 and 11 in the evening.
  await pass.intercept("GET api/devices", `return Response.json([0, 5, 120, 24 * 60, 72 * 60]
    .map((minutes, at) => ({
      sub: String(at), isLocked: false, seenAt: new Date(Date.now() - minutes * 60_000),
    })));`);
  await openDevices(pass);
  const day = new Intl.DateTimeFormat("en-US", { dateStyle: "medium" })
    .format(Date.now() - 3 * 24 * hour * 1000);
  await pass.is(`texts(".devices .seen").map((one) => one.replace(/\\d+:\\d+/, "10:00")
    .replace(/\\s/g, " "))`, ["now", "5 min. ago", "10:00 PM", "yesterday, 10:00 PM", day]);
});

shopTest("no double press locks a device out", async (shop) => {
  const [pass] = [await boardOf(shop, "Pass"), await boardOf(shop, "Oven")];
  await openDevices(pass);
  await pass.until(rowOf("Oven"));
  await pass.run(`const press = (selector) => $(selector).dispatchEvent(new MouseEvent("click",
      { detail: 1, clientX: 1, clientY: 1, bubbles: true, cancelable: true }));
    press("[data-do=lock-out]");
    press(".ask [value=yes]");`);
  await pass.tap("Keep it signed in");
  const { json } = await shop.forno.asStaff("GET", "/api/devices");
  assert.equal(json.some((one: { isLocked: boolean }) => one.isLocked), false);
});

shopTest("the keyboard opens and closes the dialogs, and is back where it was", async (shop) => {
  const pass = await boardOf(shop, "Pass");
  for (const action of ["settings", "devices", "add-device"]) {
    await pass.until(`$("[data-do=${action}]")`);
    await pass.run(`$("[data-do=${action}]").focus();`);
    await pass.press(keys.enter);
  }
  await pass.is("document.activeElement.id", "device-name");
  await pass.press("B", "a", "r", keys.enter);
  await pass.until(`$("dialog svg.qr")`);
  await pass.press(keys.escape);
  await pass.is("document.activeElement.dataset.do", "settings");
});

shopTest("a reader sees every order and news of them, and can press nothing that acts",
  { ORDER_READS: "own", GUEST_ORDERS: "off" }, async (shop) => {
    const { origin, staff, call } = shop.forno;
    await shop.place();
    await shop.place({ id: "BBB222", status: "Preparing" });
    const board = await shop.board({}, { role: "reader" });
    await board.until(cardIn("Pending", "AAA111"));
    await board.until(cardIn("Preparing", "BBB222"));
    await board.is("location.href", `${origin}/board`);
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
    const { json } = await call("GET", "/api/orders/AAA111", { token: staff });
    assert.equal(json.status, "Pending");
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

/** Dialogs that are wider than the window, and what sticks out of them. */
const spilled = `$$("dialog, dialog *").filter((one) => {
  const { left, right, width } = one.getBoundingClientRect();
  return width > 0 && !one.closest(".unseen") && (left < -1 || right > innerWidth + 1);
}).map((one) => one.outerHTML.slice(0, 120))`;

shopTest("the dialogs fit with large text, and break no word, in any language", async (shop) => {
  await lockOut(shop, "Old phone");
  const board = await shop.board();
  for (const language of languages) {
    await board.resize(390, 844);
    await board.speak(language);
    await board.reload();
    for (const way of [["devices"], ["devices", "add-device"], ["table-cards"]]) {
      // Without a mouse: two presses on one spot need a pause.
      for (const action of ["settings", ...way]) {
        await board.until(`$("[data-do=${action}]")`);
        await board.run(`$("[data-do=${action}]").click();`);
      }
      if (way.includes("add-device")) {
        await board.type("#device-name", "Bar");
        await board.press(keys.enter);
        await board.until(`$("dialog svg.qr")`);
      }
      for (const [width, size] of [[320, "100%"], [390, "200%"], [1280, "200%"]] as const) {
        const about = `${language}, ${way}, ${width} px, ${size}`;
        await board.resize(width, 844);
        await board.run(`document.documentElement.style.fontSize = "${size}";`);
        assert.deepEqual(await board.run(`return ${spilled}`), [], about);
        const words = "dialog :is(h2, button, button span, .pill, .tag, .left)";
        assert.deepEqual(await board.brokenWords(words), [], about);
      }
      await board.run(`document.documentElement.style.fontSize = "";`);
      await board.click("[data-do=close-dialog]");
    }
  }
});
