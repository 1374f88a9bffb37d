/** A new owner at the board: an empty shop, and how the shop looks, in a real browser. */

import assert from "node:assert/strict";
import type { Window } from "./browser.ts";
import { type Shop, shopTest } from "./shop.ts";

/** A shop without a menu. */
async function emptied(shop: Shop): Promise<Shop> {
  const { forno } = shop;
  await shop.change({ pizzas: [] });
  for (const kind of ["toppings", "pizzasizes", "beverages"]) {
    const json = await shop.read(`/api/${kind}`);
    for (const { id } of json) await forno.asStaff("DELETE", `/api/${kind}/${id}`);
  }
  return shop;
}

shopTest("a board without orders leads to the menu while it lacks sizes, toppings or pizzas",
  async (shop) => {
    await emptied(shop);
    const board = await shop.board({ width: 390, height: 844 });
    await board.says("The menu is not complete");
    const reader = await shop.board({}, { role: "reader", sub: "Pass" });
    await reader.says("No open orders");
    await board.tap("Open the menu", "Add a size");
    await board.fill("dialog [name=name]", "Large");
    await board.fill("dialog [name=diameterInInches]", "36");
    await board.tap("Save");
    await board.says("Large saved");
    await board.tap("Close", "Add a topping");
    await board.fill("dialog [name=name]", "Basil");
    await board.tap("Save");
    await board.says("Basil saved");
    await board.tap("Close", "Add a pizza", "Basil");
    await board.fill("dialog [name=name]", "Verde");
    await board.tap("Save");
    await board.says("Verde saved");
    await board.tap("Close", "Orders0 new");
    await board.says("No open orders");
  });

async function openShop(board: Window): Promise<void> {
  if (await board.run("return $('dialog') === null")) await board.tap("Settings");
  await board.click(".settings .shop button");
  await board.until(`$("#logo-file")`);
}

/** Chooses a color, as with the browser's own field. */
function chooseColor(board: Window, color: string): Promise<void> {
  return board.run(`$("dialog [type=color]").value = arguments[0];
    $("dialog [type=color]").dispatchEvent(new Event("input"));`, color);
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
    await board.fill("dialog [name=name]", " ");
    await board.tap("Save");
    await board.says("The shop needs a name.");
    await board.fill("dialog [name=name]", "Da Rosa");
    await chooseColor(board, "#0a5c8c");
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
    const { name, color, logo } = await shop.read("/api/shop");
    assert.deepEqual([name, color], ["Da Rosa", "#0a5c8c"]);
    assert.ok(logo.length <= 8_000, `${logo.length}`);
    await other.is(`$(".top img").src`, logo);
    // Nothing is written before Save, and what goes is gone.
    await openShop(board);
    await board.tap("Remove", "Don’t change", "Throw away");
    await openShop(board);
    await chooseColor(board, "#b3261a");
    await board.tap("Remove", "Save");
    await other.until(`!$(".top img").src.startsWith("data:")`);
    const { logo: none, color: red } = await shop.read("/api/shop");
    assert.deepEqual([none, red], [undefined, undefined]);
  });
