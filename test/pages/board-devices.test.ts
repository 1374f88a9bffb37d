/** Devices on the board: who is signed in, one more by a code, lock out, a reader (part 7). */

import assert from "node:assert/strict";
import { hasty, keys, type Window } from "./browser.ts";
import { codesAre } from "./qr.ts";
import { cardIn, type Shop, shopTest } from "./shop.ts";

const hour = 3600;

/** Signed in under that name. */
function boardOf(shop: Shop, sub: string, role = "staff"): Promise<Window> {
  const iat = Math.floor(Date.now() / 1000) - 60;
  return shop.board({ before: hasty }, { role, sub, iat, exp: iat + 12 * hour });
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
  const { json: { code } } = await shop.forno.write("POST", "/api/invites", body);
  return `${shop.forno.origin}/board#code=${code}`;
}

/** The link in the QR code on the screen, as a camera reads it. */
async function linkShown(board: Window): Promise<string> {
  const link = await board.until<string>(`$("dialog .link").textContent`);
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
    await shop.place("AAA111");
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
    await pass.intercept("api/invites", "window.made = count;");
    await openDevices(pass);
    await pass.tap("Add a device");
    for (const name of ["", "..", "🍕"]) {
      await pass.fill("#device-name", name);
      await pass.tap("New code");
      await pass.says("It needs a name.");
    }
    await pass.fill("#device-name", "Bar");
    await pass.click("button[data-do=new-code]", 2);
    await pass.until(`$("dialog svg.qr")`);
    await pass.run("letPass(600_000);");
    await pass.says("This code has run out.");
    await pass.is(`[$("dialog svg.qr"), window.made]`, [null, 1]);
    await pass.tap("New code");
    await pass.until("window.made === 2");
  });

shopTest("a link asks before it replaces who is signed in, and says whom it signs in",
  async (shop) => {
    const pass = await boardOf(shop, "Pass");
    for (const [label, sub] of [["Stay Pass", "Pass"], ["Sign in as Oven", "Oven"]] as const) {
      await pass.go(await invite(shop, "Oven"));
      await pass.says("You are signed in as Pass. Sign in as Oven instead?");
      await pass.is("location.href", `${shop.forno.origin}/board`);
      await pass.tap(label);
      await openDevices(pass);
      await rowIs(pass, sub, /this one/);
      await pass.tap("Close");
    }
  });

shopTest("a code that gets no answer can be tried again", async (shop) => {
  const board = await shop.browser.open(`${shop.forno.origin}/board`);
  await board.intercept("api/tokens", `if (count === 1) throw new TypeError("no network");`);
  await board.go(await invite(shop, "Oven"));
  await board.says("The shop doesn’t answer.");
  await board.tap("Try again");
  await openDevices(board);
  await rowIs(board, "Oven", /this one/);
});

shopTest("locked out, a device is signed out at once and told why; a new code brings it back",
  { ORDER_READS: "own" }, async (shop) => {
    await shop.place("AAA111");
    const [pass, phone] = [await boardOf(shop, "Pass"), await boardOf(shop, "Giulia’s phone")];
    await phone.until(cardIn("Pending", "AAA111"));
    await openDevices(pass);
    await openDevices(phone);
    const lockOut = async (answer: string): Promise<void> => {
      await pass.tap("Giulia’s phone: Lock out");
      await pass.says("Lock out Giulia’s phone?");
      await pass.tap(answer);
    };
    await lockOut("Keep it signed in");
    await lockOut("Lock out");
    await phone.says("The shop has signed this device out. To come back it needs a new code.");
    await phone.is(`[$("dialog"), texts(".count")[0]]`, [null, "1"]);
    await rowIs(pass, "Giulia’s phone", /Locked out/);
    await phone.go(await makeCode(pass, "Giulia’s phone"));
    await phone.is(`$(".sign-in")`, null);
    await phone.tap("Start AAA111");
    await phone.until(cardIn("Preparing", "AAA111"));
    await pass.says("Giulia’s phone has come in.");
    await pass.tap("Back");
    await rowIs(pass, "Giulia’s phone", /Staff, until .+\s+now\s+Lock out$/);
    await lockOut("Lock out");
    await pass.tap("Giulia’s phone: Let in again");
    await rowIs(pass, "Giulia’s phone", /^(?![^]*Locked out)/);
    assert.deepEqual(await phone.complaints(/ 401 /), []);
  });

shopTest("no double press locks a device out", async (shop) => {
  const [pass] = [await boardOf(shop, "Pass"), await boardOf(shop, "Oven")];
  await openDevices(pass);
  await pass.until(rowOf("Oven"));
  // The question comes up with its answer under the finger.
  await pass.run(`const { top, left } = boxOf("[data-do=lock-out]");
    document.addEventListener("click", () => Object.assign($(".ask [value=yes]").style,
      { position: "fixed", inset: top + "px auto auto " + left + "px" }), { once: true });`);
  await pass.click("[data-do=lock-out]", 2);
  await pass.tap("Keep it signed in");
  assert.doesNotMatch(await pass.text(), /Locked out/);
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
