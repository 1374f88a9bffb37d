/** A new owner at the board: an empty shop, and how the shop looks, in a real browser. */

import assert from "node:assert/strict";
import { deaf, type Window } from "./browser.ts";
import { cardIn, type Shop, shopTest } from "./shop.ts";

/** A shop without a menu. */
async function emptied(shop: Shop): Promise<Shop> {
  const { forno } = shop;
  await shop.change({ pizzas: [] });
  for (const kind of ["toppings", "pizzasizes", "beverages"]) {
    const { json } = await forno.call("GET", `/api/${kind}`);
    for (const { id } of json) await forno.asStaff("DELETE", `/api/${kind}/${id}`);
  }
  return shop;
}

/** The text of each step, and which is next. */
const steps = `$$(".steps li").map((one) => [one.className,
  one.querySelector("p").innerText, one.querySelector("button").textContent])`;

shopTest("an empty shop says which of three steps comes next, until there is a pizza",
  async (shop) => {
    await emptied(shop);
    const board = await shop.board({ width: 390, height: 844 });
    await board.says("Three steps to the first order");
    await board.is(`${steps}.map(([look]) => look)`, ["next", "ahead", "ahead"]);
    await board.tap("Add a size");
    await board.fill("dialog [name=name]", "Large");
    await board.fill("dialog [name=diameterInInches]", "36");
    await board.tap("Save");
    await board.is(`${steps}[0]`, ["done", "Large", "Add another Sizes"]);
    await board.is("document.activeElement.innerText", "Add a topping");
    await board.tap("Add a topping");
    for (const name of ["Basil", "Rocket", "Ham", "Egg"]) {
      await board.fill("dialog [name=name]", name);
      await board.tap("Save and add another");
      await board.says(`${name} saved`);
    }
    await board.tap("Cancel");
    await board.is(`${steps}[1]`, ["done", "4 toppings", "Add another Toppings"]);
    await board.tap("Add a pizza", "Basil");
    await board.fill("dialog [name=name]", "Verde");
    await board.tap("Save");
    await board.says("No open orders");
    // A pizza that lacks a topping is none.
    const { json } = await shop.forno.call("GET", "/api/toppings?name=Basil");
    await shop.forno.asStaff("DELETE", `/api/toppings/${json[0].id}`);
    await board.is(`${steps}[2][0]`, "next");
    const reader = await shop.board({}, { role: "reader", sub: "Pass" });
    await reader.says("No open orders");
  });

shopTest("the step that comes next has the focus before the shop's event comes", async (shop) => {
  await emptied(shop);
  const board = await shop.board({ before: deaf });
  await board.tap("Add a size");
  await board.fill("dialog [name=name]", "Large");
  await board.fill("dialog [name=diameterInInches]", "36");
  await board.tap("Save");
  await board.is("document.activeElement.innerText", "Add a topping");
});

async function openShop(board: Window): Promise<void> {
  if (await board.run("return $('dialog') === null")) await board.tap("Settings");
  await board.click(".settings .shop button");
  await board.until(`$("#shop")`);
}

/** Chooses a file for the logo, as from the device. */
function chooseFile(board: Window, script: string): Promise<void> {
  return board.run(`${script}
    return file.then((blob) => {
      const data = new DataTransfer();
      data.items.add(new File([blob], "logo", { type: blob.type }));
      $("#logo-file").files = data.files;
      $("#logo-file").dispatchEvent(new Event("input"));
    });`);
}

shopTest("name, color and logo of the shop are set on the board, and everybody sees them",
  async (shop) => {
    const [board, other] = [await shop.board(), await shop.board()];
    await openShop(board);
    await board.fill("#shop [name=name]", " ");
    await board.tap("Save");
    await board.says("The shop needs a name.");
    await board.fill("#shop [name=name]", "Da Rosa");
    await board.click("#shop .swatch:nth-child(4)");
    await chooseFile(board, `const file = Promise.resolve(new Blob(["no picture"]));`);
    await board.says("That is no picture.");
    // A photo of many colors, far larger than what is stored.
    await chooseFile(board, `const canvas = document.createElement("canvas");
      canvas.width = canvas.height = 900;
      const context = canvas.getContext("2d");
      for (let at = 0; at < 900; at += 3) {
        context.fillStyle = "hsl(" + at * 7 + " 90% 50%)";
        context.fillRect(at, 0, 3, 900 - at);
      }
      const file = new Promise((resolve) => canvas.toBlob(resolve));`);
    await board.until(`$(".logo-field img").src.startsWith("data:image/")`);
    await board.tap("Save");
    await other.is(`$("h1").textContent`, "Da Rosa");
    const { name, color, logo } = (await shop.forno.call("GET", "/api/shop")).json;
    assert.deepEqual([name, color], ["Da Rosa", "#0a5c8c"]);
    assert.ok(logo.length <= 8_000, `${logo.length}`);
    await other.is(`$(".top img").src`, logo);
    // Nothing is written before Save, and what goes is gone.
    await openShop(board);
    await board.tap("Remove", "Don’t change");
    await openShop(board);
    await board.click("#shop .swatch:nth-child(1)");
    await board.tap("Remove", "Save");
    await other.until(`!$(".top img").src.startsWith("data:")`);
    const { logo: none, color: red } = (await shop.forno.call("GET", "/api/shop")).json;
    assert.deepEqual([none, red], [undefined, undefined]);
  });

shopTest("an own color is typed, and a pale one says that words on it are black", async (shop) => {
  const board = await shop.board();
  await openShop(board);
  await board.click("#shop .swatch:last-child");
  await board.fill("#shop [name=code]", "f2c2");
  await board.tap("Save");
  await board.says("A color code has six signs, such as #0a5c8c.");
  await board.fill("#shop [name=code]", "F2C230");
  await board.says("White cannot be read on this color. Words on it are black.");
  await board.is(`getComputedStyle($(".look b")).color`, "rgb(0, 0, 0)");
  await board.tap("Save");
  await board.says("Saved");
  assert.equal((await shop.forno.call("GET", "/api/shop")).json.color, "#f2c230");
  // The red of what is late stays.
  await shop.place({ status: "Preparing" });
  await board.tap("Close");
  await board.until(cardIn("Preparing", "AAA111"));
  await board.is(`getComputedStyle(document.documentElement).getPropertyValue("--fire")`,
    "#b3261a");
});
