/** The board's tab Menu, in a real browser, as staff work it. */

import assert from "node:assert/strict";
import { keys, type Window } from "./browser.ts";
import { shopTest, type Shop } from "./shop.ts";

const names = (kind: string): string => `texts(".menu-kinds .${kind} li bdi")`;

async function openMenu(board: Window): Promise<Window> {
  await board.tap("Menu");
  await board.until(`${names("toppings")}.length > 0`);
  return board;
}

shopTest("sold out is one press, in place, on every tablet, and so is the way back",
  async (shop) => {
    await shop.place("AAA111");
    const [one, other] = [await openMenu(await shop.board()), await openMenu(await shop.board())];
    const boxes = `$$(".menu-kinds li, .switch").map((one) =>
      Object.values(one.getBoundingClientRect().toJSON()))`;
    const before = await one.run(`return ${boxes}`);
    await one.tap("Available: Mushrooms");
    await other.is(`$("[aria-checked=false]").ariaLabel`, "Sold out: Mushrooms");
    await one.is(boxes, before);
    const json = await shop.read("/api/shop");
    assert.deepEqual(json.soldOut, { toppings: ["funghi"], pizzasizes: [], beverages: [] });
    await other.tap("Orders1 new");
    await other.is(`$(".remark").textContent`, "sold out: Mushrooms");
    await one.tap("Sold out: Mushrooms");
    await other.is(`$(".remark")`, null);
  });

const isOpen = async (shop: Shop): Promise<readonly unknown[]> => {
  const { isOpen, notice, soldOut } = await shop.read("/api/shop");
  return [isOpen, notice, soldOut.toppings, soldOut.beverages];
};

shopTest("the shop closes with the notice that was typed, which none from elsewhere overwrites",
  async (shop) => {
    const board = await openMenu(await shop.board());
    await board.fill("#menu [name=notice]", "Cash only");
    await shop.change({ notice: "No cards" });
    await board.says("Now: No cards");
    await board.tap("Save");
    await board.says("Saved");
    assert.deepEqual(await isOpen(shop), [true, "Cash only", [], []]);
    await board.is(`texts(".notice-form .fault")`, []);
    await board.fill("#menu [name=notice]", "Back at 18:00");
    await board.tap("Close the shop");
    await board.says("Close the shop?", "Guests can’t order until it is open again.");
    await board.tap("Keep it open", "Close the shop");
    await board.tapIn(`$("dialog")`, "Close the shop");
    await board.until(`$(".top").innerText.includes("Closed")`);
    assert.deepEqual(await isOpen(shop), [false, "Back at 18:00", [], []]);
  });

shopTest("opening asks whether the notice and what is sold out stay, and keeps what is not chosen",
  async (shop) => {
    const soldOut = { toppings: ["funghi"], pizzasizes: [], beverages: ["birra"] };
    await shop.change({ isOpen: false, notice: "Cash only", soldOut });
    const board = await openMenu(await shop.board());
    await board.tap("Open the shop");
    await board.says("Sell everything again: Mushrooms and Lager",
      "Take the notice away: “Cash only”");
    await board.tap("Keep it closed");
    for (const [chosen, left] of [["soldOut", "Cash only"], ["notice", ""]] as const) {
      await board.tap("Open the shop");
      await board.click(`dialog [name=${chosen}]`);
      await board.tap("Open the shop");
      await board.until(`$(".top").innerText.includes("Open")`);
      assert.deepEqual(await isOpen(shop), [true, left, [], []]);
      await shop.change({ isOpen: false });
    }
    // Nothing to ask.
    await board.tap("Open the shop");
    await board.until(`$(".top").innerText.includes("Open")`);
  });

shopTest("a form of the menu says what it lacks, is saved once, and keeps what nobody has touched",
  async (shop) => {
    const board = await openMenu(await shop.board());
    await board.tap("Add a size");
    await board.fill("dialog [name=name]", "Huge");
    await board.fill("dialog [name=diameterInInches]", "wide");
    await board.tap("Save");
    await board.says("How wide is it?");
    await board.is("document.activeElement.name", "diameterInInches");
    await board.tap("Close", "Throw away", "More for Large", "Change");
    await board.fill("dialog [name=name]", "Huge");
    await board.tap("Save");
    await board.until(`${names("pizzasizes")}.includes("Huge")`);
    assert.deepEqual((await shop.read("/api/pizzasizes/grande")),
      { id: "grande", name: "Huge", diameterInInches: 14.5, description: "Contains gluten" });
    await board.tap("Add a drink");
    await board.fill("dialog [name=sizeOptions]", "0.33 l\n0.33 l\n\n1 l");
    await board.tap("Save");
    await board.says("It needs a name.", "Sparkling or still?");
    await board.fill("dialog [name=name]", "Spuma");
    await board.click("dialog [name=isCarbonated][value=true]");
    await board.click("dialog .go", 2);
    await board.until(`${names("beverages")}.includes("Spuma")`);
    await board.says("Spuma saved");
    const json = await shop.read("/api/beverages?name=Spuma");
    assert.deepEqual(json.map(({ sizeOptions, isCarbonated }: any) =>
      [sizeOptions, isCarbonated]), [[["0.33 l", "1 l"], true]]);
  });

shopTest("after Save the form of a new item is there for the next one, empty", async (shop) => {
  const board = await openMenu(await shop.board());
  await board.tap("Add a topping");
  await board.fill("dialog [name=name]", "Cashew cream");
  await board.fill("dialog [name=description]", "Contains cashew nuts");
  await board.click("dialog [name=isVegan]");
  await board.tap("Save");
  await board.says("Cashew cream saved");
  await board.is(`[document.activeElement.name, $("dialog [name=name]").value,
    $("dialog [name=isVegan]").checked]`, ["name", "", false]);
  await board.press("E", "g", "g");
  await board.tap("Save");
  await board.says("Egg saved");
  await board.tap("Close");
  await board.is(`$("dialog")`, null);
  const json = await shop.read("/api/toppings");
  assert.deepEqual(json.slice(-2).map(({ id, ...item }: any) => item), [
    // Vegan is vegetarian, too.
    { name: "Cashew cream", isVegetarian: true, isVegan: true,
      description: "Contains cashew nuts" },
    { name: "Egg", isVegetarian: false, isVegan: false },
  ]);
});

shopTest("a form of the menu asks before its cross or Escape drops typed text", async (shop) => {
  const board = await openMenu(await shop.board());
  for (const leave of [() => board.tap("Close"), () => board.press(keys.escape)]) {
    await board.tap("Add a topping");
    await leave();
    await board.is(`$("dialog")`, null);
    await board.tap("Add a topping");
    await board.fill("dialog [name=name]", "Basil");
    await leave();
    await board.says("Throw away what you typed?");
    await board.tap("Go on typing");
    await board.is(`$("dialog [name=name]").value`, "Basil");
    await leave();
    await board.tap("Throw away");
    await board.is(`$("dialog")`, null);
  }
});

shopTest("of two at one item the second sees what the first has written, and may save again",
  async (shop) => {
    const path = "/api/toppings/funghi";
    const board = await openMenu(await shop.board());
    await board.tap("More for Mushrooms", "Change");
    await board.fill("dialog [name=name]", "Porcini");
    // Another field is no conflict.
    await shop.forno.write("PATCH", path, { description: "Fresh" });
    await board.tap("Save");
    await board.until(`${names("toppings")}.includes("Porcini")`);
    const read = async (): Promise<unknown> => {
      const { name, description } = await shop.read(path);
      return [name, description];
    };
    assert.deepEqual(await read(), ["Porcini", "Fresh"]);
    await board.tap("More for Porcini", "Change");
    await board.fill("dialog [name=name]", "Ceps");
    await shop.forno.write("PATCH", path, { name: "Chanterelles" });
    await board.says("Now: Chanterelles");
    await board.tap("Save");
    await board.until(`${names("toppings")}.includes("Ceps")`);
    assert.deepEqual(await read(), ["Ceps", "Fresh"]);
    // Also what the board has not heard of is shown before it is written over.
    await board.tap("More for Ceps", "Change");
    await board.fill("dialog [name=name]", "Boletus");
    await board.run("window.other = fetch;");
    await board.intercept(`GET ${path.slice(1)}`, `if (count > 1) return;
      const { authorization } = Object.fromEntries(request.headers);
      await other("api/toppings/funghi", { method: "PATCH", headers: { authorization },
        body: '{"name":"Morels"}' });`);
    await board.tap("Save");
    await board.says("Somebody else changed it. Save writes over that.", "Now: Morels");
    await board.until(`$("dialog form:not([aria-busy])")`);
    await board.tap("Save");
    await board.until(`${names("toppings")}.includes("Boletus")`);
    // The same where the news comes between the read of the item and the write.
    await board.tap("More for Boletus", "Change");
    await board.fill("dialog [name=name]", "Honey fungus");
    await board.intercept(`PATCH ${path.slice(1)}`, `if (count > 1) return;
      const { authorization } = Object.fromEntries(request.headers);
      await other("api/toppings/funghi", { method: "PATCH", headers: { authorization },
        body: '{"name":"Truffles"}' });
      const answer = await send();
      while (!document.body.innerText.includes("Now: Truffles")) {
        await new Promise(requestAnimationFrame);
      }
      return answer;`);
    await board.tap("Save");
    await board.says("Somebody else changed it. Save writes over that.");
    assert.deepEqual(await read(), ["Truffles", "Fresh"]);
  });

shopTest("the menu has the order that staff give it, and so have the shop's pizzas",
  async (shop) => {
    await shop.change({ pizzas: ["Bianca", "Rossa", "Verde"].map((name) =>
      ({ name, toppings: ["mozzarella"] })) });
    const [board, other] = [await openMenu(await shop.board()), await openMenu(await shop.board())];
    const before = await board.run<string[]>(`return ${names("pizzasizes")}`);
    await board.tap(`More for ${before[2]}`, "Move up");
    await other.is(names("pizzasizes"), [before[0], before[2], before[1], ...before.slice(3)]);
    // The dialog stays for another step.
    await board.tap("Move up");
    const moved = [before[2], before[0], before[1], ...before.slice(3)];
    await other.is(names("pizzasizes"), moved);
    await board.is(`$("dialog [aria-disabled]").innerText.trim()`, "Move up");
    await board.tap("Close", "More for Bianca", "Move down");
    await other.is(names("pizzas"), ["Rossa", "Bianca", "Verde"]);
    await other.reload();
    await openMenu(other);
    await other.is(names("pizzasizes"), moved);
  });

shopTest("a pizza of the shop has a name and toppings, each as often as one likes",
  async (shop) => {
    await shop.change({ pizzas: [{ name: "Bianca", toppings: ["mozzarella"] }] });
    const [board, other] = [await openMenu(await shop.board()), await openMenu(await shop.board())];
    const pizzas = async (): Promise<unknown> =>
      (await shop.read("/api/shop")).pizzas;
    await board.tap("Add a pizza");
    await board.fill("dialog [name=name]", "Bianca");
    await board.tap("Save");
    await board.says("Another pizza has that name.", "It needs a topping.");
    // A press on the name adds it, too.
    await board.tap("Mushrooms", "Mozzarella", "One Mozzarella more", "One Mozzarella more",
      "One Mozzarella less");
    await board.fill("dialog [name=name]", "Funghi");
    await board.click("dialog .go", 2);
    await other.is(names("pizzas"), ["Bianca", "Funghi"]);
    await board.tap("Close");
    const funghi = { name: "Funghi", toppings: ["funghi", "mozzarella", "mozzarella"] };
    assert.deepEqual(await pizzas(), [{ name: "Bianca", toppings: ["mozzarella"] }, funghi]);
    await shop.place({ id: "AAA111", pizza: "Bianca" });
    await board.tap("More for Bianca", "Change");
    await board.fill("dialog [name=name]", "Pizza bianca");
    await board.tap("Save");
    await board.says("One open order has this pizza: AAA111");
    await other.is(names("pizzas"), ["Pizza bianca", "Funghi"]);
    await board.tap("More for Pizza bianca", "Remove", "Keep it", "More for Pizza bianca", "Remove",
      "Remove");
    await other.is(names("pizzas"), ["Funghi"]);
  });

shopTest("a topping that is removed goes from the pizzas that have it, and the question names them",
  async (shop) => {
    await shop.change({ pizzas: [
      { name: "Funghi", toppings: ["funghi"] }, { name: "Bianca", toppings: ["mozzarella"] },
      { name: "Bosco", toppings: ["mozzarella", "funghi"] },
    ] });
    const board = await openMenu(await shop.board());
    await board.tap("More for Mushrooms", "Remove");
    await board.says("Remove Mushrooms?", "Mushrooms goes from Bosco, too.",
      "Nothing else is on Funghi: gone, too.");
    await board.tap("Keep it", "More for Mushrooms", "Remove", "Remove");
    await board.is(names("pizzas"), ["Bianca", "Bosco"]);
    await board.until(`!${names("toppings")}.includes("Mushrooms")`);
    assert.equal((await shop.forno.call("GET", "/api/toppings/funghi")).status, 404);
    assert.deepEqual((await shop.read("/api/shop")).pizzas, [
      { name: "Bianca", toppings: ["mozzarella"] }, { name: "Bosco", toppings: ["mozzarella"] },
    ]);
  });

shopTest("the form of a pizza shows what its recipe lacks, and counts only what there is",
  async (shop) => {
    await shop.change({ pizzas: [{ name: "Verde", toppings: ["basil", "mozzarella"] }] });
    const board = await openMenu(await shop.board());
    await board.is(`texts(".pizzas .remark")`, ["A topping is missing. It is not offered."]);
    await board.tap("More for Verde", "Change", "One Mozzarella less", "Save");
    await board.says("It needs a topping.", "No longer on the menu: basil");
    await board.tap("One Mozzarella more", "Take off basil", "Save");
    await board.is(`texts(".pizzas .remark")`, []);
    assert.deepEqual((await shop.read("/api/shop")).pizzas,
      [{ name: "Verde", toppings: ["mozzarella"] }]);
  });
