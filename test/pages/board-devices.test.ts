/** Devices on the board: who is signed in, one more by a code, one less, an owner's link. */

import assert from "node:assert/strict";
import { keys, type Window } from "./browser.ts";
import { codesAre } from "./qr.ts";
import { cardIn, type Shop, shopTest } from "./shop.ts";

/** An owner's device of that name, with the list of devices open. */
async function ownersDevices(shop: Shop, name: string): Promise<Window> {
  const device = await shop.device(name, "owner");
  const board = await shop.board({}, device);
  await board.tap("Settings", "Devices Who is signed in");
  await board.until(`$(".devices li")`);
  return board;
}

/** The link in the QR code on the screen, as a camera reads it. */
async function linkShown(board: Window): Promise<string> {
  const link = await board.until<string>(`$("dialog .link").textContent`);
  await codesAre(board, "dialog", [link]);
  return link;
}

/** The list of devices is read again while a code is on the screen. */
function hasCome(board: Window, name: string): Promise<unknown> {
  return board.until(`letPass(1000) || document.body.innerText.includes("${name} has come in.")`);
}

/** Waits until the row of that device looks like this. */
function rowIs(board: Window, name: string, pattern: RegExp): Promise<unknown> {
  return board.until(`${pattern}.test($$(".devices li").find((one) =>
    one.querySelector("bdi").textContent === ${JSON.stringify(name)})?.innerText)`);
}

shopTest("a device comes in by a code on the screen, once, as staff or to look on",
  { ORDER_READS: "own" }, async (shop) => {
    await shop.place("AAA111");
    const pass = await ownersDevices(shop, "Pass");
    await pass.tap("Add a device");
    await pass.fill("#device-name", " ");
    await pass.tap("New code");
    await pass.says("It needs a name.");
    await pass.fill("#device-name", "Bar tablet");
    await pass.press(keys.enter);
    const link = await linkShown(pass);
    assert.match(link, /^http:\/\/127\.0\.0\.1:\d+\/board#code=[\w-]{22}$/);
    assert.match(await pass.text(), /(9:5\d|10:00) left\. It works once, for one device\./);

    const tablet = await shop.browser.open(link);
    await tablet.until(cardIn("New", "AAA111"));
    await tablet.is("location.href", `${shop.forno.origin}/board`);
    await hasCome(pass, "Bar tablet");
    await pass.tap("Back");
    await rowIs(pass, "Bar tablet", /Staff\s+now/);
    await rowIs(pass, "Pass", /this one[^]*Sign out/);
    // Staff neither see devices nor change them.
    await tablet.tap("Settings");
    await tablet.until(`$("dialog.frame")`);
    await tablet.is(`texts(".settings b").includes("Devices")`, false);

    // A code that nobody has used, or that was made before a change, makes room.
    await pass.tap("Add a device");
    await pass.fill("#device-name", "Dining room");
    await pass.tap("New code");
    await linkShown(pass);
    await pass.tap("View only");
    await pass.is(`$("dialog svg.qr")`, null);
    await pass.tap("New code");
    const display = await shop.browser.open(await linkShown(pass));
    await display.until(cardIn("New", "AAA111"));
    await display.is(`seen("article button, .top-tools a")`, []);
    await display.is(`texts(".tab").length`, 3);
    await hasCome(pass, "Dining room");
    await pass.tap("Back");
    await rowIs(pass, "Dining room", /View only/);
    await pass.is(`texts(".devices bdi")`, ["Pass", "Bar tablet", "Dining room"]);
    // It stays signed in until it is removed.
    const json = await shop.read("/api/devices");
    const { addedAt, expiresAt } = json.find((one: any) => one.name === "Dining room");
    assert.equal(Math.round((Date.parse(expiresAt) - Date.parse(addedAt)) / 86_400_000), 3650);

    const late = await shop.browser.open(link);
    await late.says("This code doesn’t work any more.");
  });

shopTest("a code runs out on the screen, and one press makes one new one", async (shop) => {
  const pass = await ownersDevices(shop, "Pass");
  await pass.intercept("POST api/devices", "window.made = count;");
  await pass.tap("Add a device");
  await pass.type("#device-name", "Bar");
  await pass.click("dialog footer button", 2);
  await pass.until(`$("dialog svg.qr")`);
  await pass.run("letPass(600_000);");
  await pass.says("This code has run out.");
  await pass.is(`[$("dialog svg.qr"), window.made]`, [null, 1]);
  await pass.tap("New code");
  await pass.until("window.made === 2");
});

shopTest("a removed device forgets its orders at once, after a question", async (shop) => {
  await shop.place({ note: "Anna, 3rd floor" });
  const tablet = await shop.board({}, await shop.device("Bar tablet"));
  await tablet.until(cardIn("New", "AAA111"));
  const pass = await ownersDevices(shop, "Pass");
  await pass.tap("Bar tablet: Remove");
  await pass.says("Remove Bar tablet?",
    "It is signed out at once. To come back it needs a new code.");
  await pass.tap("Keep it signed in", "Bar tablet: Remove", "Remove");
  await pass.is(`texts(".devices bdi")`, ["Pass"]);
  await tablet.says("Sign in this device",
    "This device was removed. To come back it needs a new code.");
  assert.doesNotMatch(await tablet.text(), /AAA111|Anna|waiting/);
  await tablet.is("document.title", "Forno: kitchen", "it counts no order that waits");
  // Nothing is behind the panel either: whoever signs in next sees only what is read then.
  await tablet.intercept("api/orders?", "await new Promise(() => {});");
  await tablet.fill("#link", shop.forno.staff);
  await tablet.tap("Sign in");
  await tablet.is(`[texts(".count").join(" "), $("article")]`, ["…", null]);
  // A device that signs out removes itself.
  await pass.tap("Pass: Sign out", "Sign out");
  await pass.says("Sign in this device");
  const json = await shop.read("/api/devices");
  assert.deepEqual(json, []);
});

shopTest("a link asks before it replaces who is signed in, and before it uses up a code",
  async (shop) => {
    const pass = await shop.board({}, await shop.device("Pass"));
    const { forno } = shop;
    const newCode = async (): Promise<string> => (await forno.call("POST", "/api/devices", {
      token: forno.owner, body: { name: "Oven", role: "staff", expires: "1d" },
    })).json.code;
    const code = await newCode();
    await pass.go(`${forno.origin}/board#code=${code}`);
    await pass.says("You are signed in as Pass. Sign in as this code’s device instead?");
    await pass.tap("Stay Pass");
    await pass.go(`${forno.origin}/board#token=${forno.reader}`);
    await pass.says("You are signed in as Pass.");
    await pass.tap("Stay Pass");
    await pass.tap("Settings");
    await pass.says("This device is “Pass”");
    await pass.tap("Close");
    // It still works.
    await pass.go(`${forno.origin}/board#code=${code}`);
    const kept = `localStorage.getItem("/board-token")`;
    const old = await pass.run(`return ${kept}`);
    await pass.tap("Sign in as this code’s device");
    await pass.until(`${kept} !== arguments[0]`, old);
    await pass.tap("Settings");
    await pass.says("This device is “Oven”");
    // Where the sign-in has ended there is nothing to ask.
    const ended = forno.token({ role: "staff", sub: "Kurz5", exp: 1e9 });
    await pass.run(`localStorage.setItem("/board-token", arguments[0])`, ended);
    await pass.reload();
    await pass.says("By its clock, this sign-in has ended.");
    assert.doesNotMatch(await pass.text(), /goes on by itself/);
    await pass.go(`${forno.origin}/board#code=${await newCode()}`);
    await pass.tap("Settings");
    await pass.says("This device is “Oven”");
    // A guest's link is for that guest alone.
    const guest = forno.token({ role: "customer", sub: "guest-7" });
    const page = await shop.browser.open(`${forno.origin}/#token=${guest}`);
    await page.until(`$(".tiles li")`);
    await page.is(`JSON.stringify(localStorage).includes("eyJ")`, false);
  });

shopTest("an owner's link works at once, and offers once to add this device", async (shop) => {
  await shop.place("AAA111");
  const link = `${shop.forno.origin}/board#token=${shop.forno.token({
    role: "owner", sub: "owner-link",
  })}`;
  const board = await shop.browser.open(link);
  await board.says("Stay signed in on this device?", "This link ends at");
  await board.tap("Not now");
  await board.until(cardIn("New", "AAA111"));
  await board.reload();
  await board.until(cardIn("New", "AAA111"));
  await board.is(`$("dialog")`, null);
  await board.tap("Settings");
  await board.says("Signed in as “owner-link” until");
  await board.tap("Devices Who is signed in");
  await board.says("No device has been added yet.");
  await board.tap("Add this device");
  await board.click("dialog .go");
  await board.says("It needs a name.");
  // The answer with the token is lost: a second press adds one device, not two.
  await board.intercept("api/tokens", `
    if (count > 1) return;
    await send();
    throw new TypeError("network");`);
  await board.fill("#device-name", "Bar tablet");
  await board.click("dialog .go");
  await board.says("The shop doesn’t answer.");
  await board.click("dialog .go");
  await rowIs(board, "Bar tablet", /this one/);
  const json = await shop.read("/api/devices");
  assert.deepEqual(json.map(({ name, role }: any) => [name, role]), [["Bar tablet", "owner"]]);
});
