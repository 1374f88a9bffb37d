/** The menu on the order page: pizzas, toppings, drinks, and what is sold out (part 7). */

import assert from "node:assert/strict";
import { topping as sample } from "../helpers/samples.ts";
import {
  add, choose, choosePizzas, chosen, message, order, orders, pickSize, pizza, placedNumber, rowWith,
  setOffline, topping,
} from "./customer.ts";
import { keys } from "./browser.ts";
import { shopTest } from "./shop.ts";

const phone = { width: 390, height: 844 };
const shown = `texts(".menu-lists .tiles li .tile-text bdi")`;
const pizzasShown = `texts(".shop-pizzas .display bdi")`;

/** Presses a button in the row of a pizza of the shop: an expression for the page. */
const press = (name: string, button: string): string =>
  `${pizza(name)}.querySelector("${button}").click();`;

/** The order's button as people see it: what it says, whether it does nothing, and why. */
const step = `(() => {
  const button = $("#place");
  const why = document.getElementById(button.getAttribute("aria-describedby"));
  return [button.textContent, button.ariaDisabled === "true", why.innerText];
})()`;

shopTest("a pizza asks for its size where it is listed, and is changed there", async (shop) => {
  const page = await shop.orderPage(phone);
  await pickSize(page, "Medium");
  await page.is(`$(".unfold-button").innerText`, "No pizza yet\nMedium",
    "a size alone is no pizza");
  for (const name of ["Margherita", "Diavola"]) await page.run(press(name, ".tile-button"));
  await page.is(`${chosen}.map((one) => one.split(" | ")[0])`,
    ["Margherita, Medium", "Diavola, no size yet"]);
  await page.tapIn(pizza("Diavola"), "Large");
  await page.run(`scrollTo(0, 300); window.was = scrollY;
    ${press("Margherita", ".link")}`);
  await page.is("document.activeElement.closest('section')?.innerText.includes('Margherita')",
    true, "its row in the order");
  await page.is("scrollY === was", true);
  const row = rowWith("Margherita");
  await page.tapIn(row, "One Basil less");
  await page.tapOn(topping("Rocket", row));
  await page.tap("Done Margherita, Medium");
  await page.is(`${pizza("Margherita")}.querySelector(".tile-count").textContent`, "1",
    "changed, it keeps its name");
  await page.is(chosen, [
    "Margherita, Medium | without Basil, + Rocket | Tomato sauce, Mozzarella, Rocket | 1",
    "Diavola, Large | Tomato sauce, Mozzarella, Spicy salami | 1",
  ]);
  await page.tap("Place order");
  await placedNumber(page);
  assert.deepEqual((await orders(shop)).map((one) => one["pizza"]), ["Margherita", "Diavola"]);
});

shopTest("what holds for equal pizzas holds for all of them, until one is split", async (shop) => {
  const page = await shop.orderPage();
  await pickSize(page, "Medium");
  await page.run(press("Diavola", ".tile-button"));
  await page.tap("One Diavola, Medium more");
  const diavola = "Tomato sauce, Mozzarella, Spicy salami";
  await page.is(chosen, [`2×\u00a0Diavola, Medium | ${diavola} | 2`]);
  await pickSize(page, "Large");
  await page.is(chosen, [`2×\u00a0Diavola, Large | ${diavola} | 2`]);
  await page.tap("Split Diavola, Large", "Note Diavola, Large");
  await page.type("#note-text", "cut in eight");
  await page.press(keys.enter);
  await page.is(chosen, [`Diavola, Large | cut in eight | ${diavola} | 1`,
    `Diavola, Large | ${diavola} | 1`]);
});

shopTest("what is sold out is grayed in its place, at once, and so is a pizza that has it",
  async (shop) => {
    const page = await shop.orderPage(phone);
    const before = await page.run(`return ${shown}`);
    await shop.change({
      soldOut: { toppings: ["carciofi", "rucola"], pizzasizes: ["famiglia"], beverages: ["birra"] },
    });
    await page.is(`$$(".tile.sold-out").length`, 6, "with two pizzas of the shop");
    await page.is(shown, before);
    await page.says("sold out: Artichokes");
    await page.run(press("Capricciosa", ".tile-button"));
    await page.is(`[${pizza("Capricciosa")}.querySelector(".tile-count"), $("#chosen section")]`,
      [null, null]);
    await choose(page, "Basil", "Rocket");
    await page.is(chosen, ["Large | Basil | 1"]);
    await shop.change({ soldOut: { toppings: [] } });
    await page.is(`$("[aria-labelledby=toppings] .sold-out")`, null);
  });

shopTest("what leaves the menu is taken off the order with a word, and off the shop's pizzas",
  async (shop) => {
    const page = await shop.orderPage();
    await choose(page, "Basil", "Anchovies");
    await shop.forno.write("DELETE", "/api/toppings/acciughe");
    await page.is(message, "No longer on the menu and taken off your order: Anchovies");
    await page.is(chosen, ["Large | Basil | 1"]);
    await page.is(`${pizzasShown}.includes("Napoli")`, false, "it lacks a topping");
    await shop.change({ pizzas: [] });
    await page.is(`$(".shop-pizzas")`, null);
  });

shopTest("what a guest should know stands under each name, and is read out", async (shop) => {
  for (const [path, description] of [
    ["toppings/funghi", "Wild ones"], ["beverages/acqua", "From the tap"],
    ["pizzasizes/grande", "For two"],
  ]) await shop.forno.write("PATCH", `/api/${path}`, { description });
  const page = await shop.orderPage(phone);
  await page.is(`${topping("Mushrooms")}.innerText.includes("Wild ones")`, true);
  await page.is(`${topping("Still water")}.innerText.includes("From the tap")`, true);
  await page.says("Large\n14.5\u00a0in\nFor two");
  await page.until(`${pizza("Funghi")}.querySelector("button").innerText
    .endsWith("Contains milk · Wild ones")`);
});

shopTest("pizzas and items are found by a part of a name, and by diet", async (shop) => {
  // Vegan items are vegetarian, whatever their entries say.
  await shop.forno.write("POST", "/api/toppings", sample({
    id: "jalapeno", name: "Jalapeño", isVegetarian: false, isVegan: true,
  }));
  const page = await shop.orderPage(phone);
  await page.type("#search", "jalapeno");
  await page.is(shown, ["Jalapeño"]);
  await page.is(`$("#page > [role=status]").innerText`, "1 found");
  await page.fill("#search", "MUSH");
  await page.is(`[${pizzasShown}, ${shown}]`, [["Funghi", "Capricciosa"], ["Mushrooms"]]);
  await page.fill("#search", "sulfites");
  await page.is(`[${pizzasShown}, ${shown}]`, [["Diavola"], ["Spicy salami"]], "a description");
  await page.fill("#search", "");
  for (const [diet, least] of [["Vegetarian", "Margherita"], ["Vegan", "Marinara"]] as const) {
    await page.tap(diet);
    await page.is(`${pizzasShown}[0]`, least);
    await page.is(`${shown}.includes("Jalapeño")`, true);
    await page.is(`${shown}.includes("Spicy salami")`, false);
  }
  const asks = "An allergy? Ask the shop.";
  await page.tap("Vegan");
  await page.fill("#search", "nuts");
  await page.says(`The shop has written nothing of that. ${asks}`);
  // An answer that could be taken for safety is none.
  await page.fill("#search", "fish");
  await page.says("Anchovies", `Not everything is written down. ${asks}`);
});

shopTest("the menu has the order that the shop has given it, and says each allergen once",
  async (shop) => {
    await shop.change({
      menuOrder: { toppings: ["rucola", "gone"], pizzasizes: ["famiglia"], beverages: [] },
    });
    for (const [id, description] of [
      ["mozzarella", "Contains milk"], ["grana", "Contains milk and egg"],
    ]) await shop.forno.write("PATCH", `/api/toppings/${id}`, { description });
    const page = await shop.orderPage();
    await page.is(`[${shown}[0], texts(".sizes .tile-text")[0]]`, ["Rocket", "Family"]);
    await page.run(press("Prosciutto e rucola", ".tile-button"));
    await page.tapIn(pizza("Prosciutto e rucola"), "Family");
    const said = `$("#chosen .small").innerText`;
    await page.is(said, "Contains gluten · Contains milk and egg");
    await page.tap("Change Prosciutto e rucola, Family");
    await page.tapIn(rowWith("Prosciutto"), "One Grana Padano less");
    await page.is(said, "Contains gluten · Contains milk");
  });

shopTest("nothing moves under the finger when something is chosen or taken off", async (shop) => {
  const page = await shop.orderPage(phone);
  const all = ".sizes label, .tiles li, .tiles .tile-button, .shop-pizzas li, .finder, .place-bar";
  const tops = () => page.run<number[]>(
    "return $$(arguments[0]).map((one) => one.getBoundingClientRect().top)", all);
  /** A window scrolls by whole pixels. */
  const assertStill = async (before: number[]): Promise<void> => {
    const after = await tops();
    assert.deepEqual(before.filter((top, index) => Math.abs(top - (after[index] ?? 0)) >= 1), []);
  };
  // The size alone changes its tile. With a topping, the large pizza comes in above the sizes.
  const before = await tops();
  await pickSize(page, "Medium");
  await assertStill(before);
  await page.is(`$(".hero .pizza")`, null);
  await page.run("scrollTo(0, 300)");
  const scrolled = await tops();
  const [more, less] = [topping("Mozzarella"), `named("One Mozzarella less", document)`];
  for (const [button, isDrawn] of [
    [more, true], [more, true], [less, true], [less, false],
  ] as const) {
    await page.run(`${button}.click()`);
    await assertStill(scrolled);
    await page.is(`$(".hero .pizza") !== null`, isDrawn);
  }
});

shopTest("a double tap adds two, though − comes to lie under the finger", async (shop) => {
  const page = await shop.orderPage(phone);
  const [x, y] = await page.run<[number, number]>(`const tile = ${topping("Mushrooms")};
    tile.scrollIntoView({ block: "center" });
    const { left, top, height } = tile.getBoundingClientRect();
    return [left + 20, top + height / 2];`);
  await page.pressAt(x, y, 2);
  await page.is(`$(".tile-count")?.textContent`, "2");
  // Once − takes a press.
  await page.tap("One Mushrooms less");
  await page.is(`$(".tile-count")?.textContent`, "1");
});

shopTest("no press too many is silent", async (shop) => {
  const page = await shop.orderPage();
  await page.run(`for (let count = 0; count < 51; count += 1) ${topping("Basil")}.click();`);
  await page.is(message, "A pizza has at most 50 toppings.");
  await page.run(`for (let count = 0; count < 51; count += 1) ${topping("Lager")}.click();`);
  await page.is(message, "An order has at most 50 drinks.");
  for (let count = 0; count < 11; count += 1) await page.run(press("Diavola", ".tile-button"));
  await page.is(`${pizza("Diavola")}.querySelector(".tile-count").textContent`, "11");
  await page.run(press("Diavola", ".tile-button"));
  await page.is(message, "12 pizzas at most in one go.");
});

shopTest("what was chosen by hand comes back for ten seconds, whichever − took it off",
  async (shop) => {
    const page = await shop.orderPage();
    const removed = "Taken off: Funghi, Large";
    for (const minus of ["One Funghi, Large less", "One Funghi less"]) {
      await pickSize(page, "Large");
      await page.run(press("Funghi", ".tile-button"));
      await page.run(`named("One Funghi, Large less", document).focus();`);
      await page.press(keys.enter);
      await page.is(chosen, [], "as the shop makes it, it goes without a word");
      await page.is(`document.body.innerText.includes("Taken off")`, false);
      await pickSize(page, "Large");
      await page.run(press("Funghi", ".tile-button"));
      await add(page, "Rocket");
      const funghi = "Funghi, Large | + Rocket | Tomato sauce, Mozzarella, Mushrooms, Rocket | 1";
      await page.tap(minus);
      await page.says(removed);
      await page.tap("Undo");
      await page.is(chosen, [funghi]);
      await page.tap(minus);
      await page.says(removed);
      await page.run("endTen()");
      await page.is(`document.body.innerText.includes("Taken off")`, false);
    }
    // Drinks go at once.
    await choosePizzas(page, "Basil");
    await page.tap("One Still water more", "One Sparkling water less");
    await page.is(chosen, ["Large | Basil | 1", "Still water | 0.5 l | 2"]);
    await page.tap("Place order");
    await page.says("Drinks: 2×\u00a0Still water");
  });

shopTest("drinks alone are no order, and a pizza without toppings is sent after a question alone",
  async (shop) => {
    const page = await shop.orderPage();
    await add(page, "Lager");
    await page.is(step, ["Choose a pizza", false, "An order needs a pizza."]);
    await page.tap("Choose a pizza");
    await page.is("document.activeElement.id", "named");
    await pickSize(page, "Medium");
    await page.run(press("Marinara", ".tile-button"));
    await page.run(press("Marinara", ".less"));
    await page.is(step, ["Choose a pizza", false, "An order needs a pizza."], "a size is left");
    await page.run(press("Marinara", ".tile-button"));
    await page.tapIn(pizza("Marinara"), "Small");
    for (const id of ["pomodoro", "olive-nere", "basilico"]) {
      await shop.forno.write("DELETE", `/api/toppings/${id}`);
    }
    await page.is(`${message}.split(": ")[0]`, "No longer on the menu and taken off your order");
    await page.says("Tomato sauce, Black olives, and Basil", "No toppings");
    await page.tap("Place order");
    await page.says("Marinara: without any topping?");
    await page.tap("Change");
    assert.deepEqual(await orders(shop), []);
    await page.tap("Place order");
    await page.tap("Place order");
    await page.until(`$("article")`);
    assert.equal((await orders(shop)).length, 1);
  });

shopTest("what sells out is marked on each pizza, and one press takes it off all of them",
  async (shop) => {
    const page = await shop.orderPage(phone);
    await choosePizzas(page, "Mushrooms", "Basil");
    await add(page, "Mushrooms");
    await shop.change({ soldOut: { toppings: ["funghi"], beverages: ["acqua"] } });
    await page.says("Just sold out");
    assert.match(await page.text(), /Just sold out\n+Mushrooms\n+Still water\n/);
    await page.tap("Show me");
    await page.is("document.activeElement.closest('section').querySelector('.tag').innerText",
      "sold out: Mushrooms");
    await page.tap("Take off Mushrooms and Still water");
    await page.until(`!document.body.innerText.includes("Just sold out")`);
    await shop.change({ soldOut: { pizzasizes: ["grande"] } });
    await page.says("Just sold out\n\nLarge");
    for (const topping of ["No toppings", "Basil"]) {
      await page.tap("Pick a size");
      await page.tapIn(rowWith(topping), "Small");
    }
    await page.is(`$("#place").textContent`, "Place order");
  });

shopTest("the button says what a press does, and why nothing can be ordered",
  { GUEST_ORDERS: "off" }, async (shop) => {
    const page = await shop.browser.open(shop.forno.origin, phone);
    await choose(page, "Mushrooms");
    await page.is(step, ["Show me", false, "A link is needed to order"]);
    await page.tap("Show me");
    await page.is("document.activeElement.id", "access");
    await page.go(`${shop.forno.origin}/#token=${shop.forno.customer}`);
    await page.is(step, ["Place order", false, ""]);
    await shop.change({ name: "Da Mario", isOpen: false, notice: "Back at 18:00" });
    const closed = "Closed right now";
    await page.is(step, ["Place order", true, closed]);
    assert.match(await page.text(), /^Da Mario[^]*Closed right now[^]*Back at 18:00/);
    await page.is("document.title", "Da Mario: Order a pizza");
    await page.run(`$("#place").click()`);
    await shop.change({ isOpen: true, notice: "" });
    await page.is(`[${step}, $(".notice")]`, [["Place order", false, ""], null]);
    await setOffline(page, true);
    await page.says("You’re offline. Your order is kept.");
    await page.is(step, ["Place order", false, ""]);
    await setOffline(page, false);
    await page.is(`document.body.innerText.includes("offline")`, false);
    assert.deepEqual(await orders(shop), []);
  });

shopTest("guests are never told that they need a link, not even for a moment",
  { GUEST_ORDERS: "on" }, async (shop) => {
    const before = `addEventListener("DOMContentLoaded", () => new MutationObserver(() => {
      window.wasTold ||= $("#access") !== null || ${message} !== "";
    }).observe(document, { attributes: true, childList: true, subtree: true }));`;
    const page = await shop.browser.open(shop.forno.origin, { before });
    await order(page, "Mushrooms");
    await page.is("window.wasTold", false);
  });
