/** The menu on the order page: pizzas, toppings, drinks, and what is sold out (part 7). */

import assert from "node:assert/strict";
import { topping as sample } from "../helpers/samples.ts";
import {
  choose, choosePizzas, chosen, holdings, message, order, orders, pizza, setOffline, topping,
} from "./customer.ts";
import { shopTest } from "./shop.ts";

const phone = { width: 390, height: 844 };
const shown = `texts(".tiles li .name bdi")`;
const pizzasShown = `texts(".named .display bdi")`;

/** Presses a part of the row of a pizza of the shop: an expression for the page. */
const press = (name: string, part: string): string =>
  `${pizza(name)}.querySelector("${part}").click();`;

shopTest("a pizza of the shop fills the one in hand, else it is another of the same size",
  async (shop) => {
    const page = await shop.orderPage(phone);
    await page.click(".sizes label:nth-child(2)");
    for (const name of ["Margherita", "Diavola", "Margherita"]) {
      await page.run(press(name, ".more"));
    }
    await page.is(`${pizza("Margherita")}.querySelector(".count").textContent`, "2");
    await page.click(".unfold");
    await page.is(`texts("#chosen h3")`, [
      "Pizza 1: Margherita, Medium", "Pizza 2: Diavola, Medium", "Pizza 3: Margherita, Medium",
    ]);
    await page.run("history.back()");
    await page.is(`$(".unfolded")`, null);
    await page.run(press("Margherita", ".less"));
    await page.run(press("Margherita", ".link"));
    await page.is("document.activeElement.id", "toppings");
    await page.is(`$("[aria-labelledby=toppings] .head").innerText`,
      "Toppings\n\nMargherita, Medium");
    await page.run(`${topping("Rocket")}.click()`);
    await page.is(`${pizza("Margherita")}.querySelector(".count").textContent`, "1",
      "changed, it keeps its name");
    await page.click("#place");
    // An order is called by exactly its toppings.
    await page.is(`texts(".part h2 + p")`, ["Medium, 12\u00a0in", "Diavola, Medium, 12\u00a0in"]);
    assert.deepEqual(await holdings(shop), [
      ["Tomato sauce", "Mozzarella", "Basil", "Rocket"],
      ["Tomato sauce", "Mozzarella", "Spicy salami"],
    ]);
  });

shopTest("a pizza of the shop with a sold-out topping says so and cannot be taken",
  async (shop) => {
    const page = await shop.orderPage(phone);
    await shop.change({ soldOut: { toppings: ["carciofi"] } });
    await page.until(`${pizza("Capricciosa")}.innerText.includes("sold out: Artichokes")`);
    await page.run(press("Capricciosa", ".more"));
    await page.is(`[${pizza("Capricciosa")}.querySelector(".count"), $(".pizzas")]`, [null, null]);
    // An id that no topping has is left out; a shop may name no pizza.
    await shop.change({ pizzas: [{ name: "Bianca", toppings: ["nobody", "mozzarella"] }] });
    await page.is(`texts(".named .name")`, ["Add BiancavegetarianMozzarellaContains milk"]);
    await shop.change({ pizzas: [] });
    await page.is(`$(".named")`, null);
  });

shopTest("what a guest should know stands under each name, and is read out", async (shop) => {
  for (const [path, description] of [
    ["toppings/funghi", "Wild ones"], ["beverages/acqua", "From the tap"],
    ["pizzasizes/grande", "For two"],
  ]) await shop.forno.write("PATCH", `/api/${path}`, { description });
  const page = await shop.orderPage(phone);
  await page.is(`${topping("Mushrooms")}.innerText.includes("Wild ones")`, true);
  await page.is(`${topping("Still water")}.innerText.includes("From the tap")`, true);
  await page.is(`$(".sizes label:nth-child(3)").innerText`, "Large\n14.5\u00a0in\nFor two");
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
  await page.fill("#search", "");
  for (const [diet, least] of [["Vegetarian", "Margherita"], ["Vegan", "Marinara"]] as const) {
    await page.tap(diet);
    await page.is(`${pizzasShown}[0]`, least);
    await page.is(`${shown}.includes("Jalapeño")`, true);
    await page.is(`${shown}.includes("Spicy salami")`, false);
  }
  await page.fill("#search", "qqq");
  await page.says("Nothing on the menu has that name.");
});

shopTest("nothing moves when something is chosen or taken off", async (shop) => {
  const page = await shop.orderPage(phone);
  const places = (selector: string) => page.run<string>(`return JSON.stringify(
    $$(arguments[0]).map((one) => Object.values(one.getBoundingClientRect().toJSON())))`, selector);
  // The row of pizzas comes in above the sizes; the size stays under the finger.
  const size = await places(".sizes label");
  await page.click(".sizes label:nth-child(2)");
  await page.until(`$(".pizzas")`);
  assert.equal(await places(".sizes label"), size);
  const all = ".sizes label, .tiles li, .tiles .more, .finder, .bar";
  await page.click(".tiles li:nth-child(5) .more");
  const before = await places(all);
  await page.click(".tiles li:nth-child(5) .more");
  await page.click(".tiles li:nth-child(4) .more");
  await page.click(".tiles li:nth-child(4) .less");
  await page.run(`$(".sizes input").click()`);
  assert.equal(await places(all), before);
});

shopTest("a double tap adds two, though − comes to lie under the finger", async (shop) => {
  const page = await shop.orderPage(phone);
  const [x, y] = await page.run<[number, number]>(`const tile = ${topping("Mushrooms")};
    tile.scrollIntoView({ block: "center" });
    const { left, top, height } = tile.getBoundingClientRect();
    return [left + 20, top + height / 2];`);
  await page.pressAt(x, y, 2);
  await page.is(`$(".count")?.textContent`, "2");
  // Once − takes a press.
  await page.click(".less");
  await page.is(`$(".count")?.textContent`, "1");
});

shopTest("no press too many is silent", async (shop) => {
  const page = await shop.orderPage();
  await page.run(`for (let count = 0; count < 51; count += 1) ${topping("Basil")}.click();`);
  await page.is(message, "A pizza has at most 50 toppings.");
  await page.run(`for (let count = 0; count < 51; count += 1) ${topping("Lager")}.click();`);
  await page.is(message, "An order has at most 50 drinks.");
  for (let count = 0; count < 11; count += 1) await page.run(press("Diavola", ".more"));
  await page.is(`${pizza("Diavola")}.querySelector(".count").textContent`, "11");
  await page.run(press("Diavola", ".more"));
  await page.is(message, "12 pizzas at most in one go.");
});

shopTest("a pizza can be turned back to, removed once that is confirmed, and had twice",
  async (shop) => {
    const page = await shop.orderPage();
    await choosePizzas(page, "Mushrooms", "Basil", "Anchovies");
    const act = (index: number, label: string) =>
      page.run(`[...$$("#chosen section")[arguments[0]].querySelectorAll("button")]
        .find((one) => one.textContent.startsWith(arguments[1])).click()`, index, label);
    await act(0, "Change");
    await page.run(`${topping("Rocket")}.click()`);
    for (const label of ["Keep it", "Remove"]) {
      await act(1, "Remove");
      await page.says("Remove pizza 2?");
      await page.tap(label);
      await page.is(`$("dialog")`, null);
    }
    await act(1, "Another like this");
    await page.is(chosen, ["Pizza 1: Large", "Mushrooms, Rocket", "Pizza 2: Large", "Anchovies",
      "Pizza 3: Large", "Anchovies", "2 drinks", "Still water, Sparkling water"]);
    await page.click("#place");
    await page.is(`$$(".part").length`, 3);
  });

shopTest("what is sold out is greyed in its place, at once, and is not ordered", async (shop) => {
  const page = await shop.orderPage(phone);
  const before = await page.run(`return ${shown}`);
  await shop.change({
    soldOut: { toppings: ["grana", "rucola"], pizzasizes: ["famiglia"], beverages: ["birra"] },
  });
  await page.is(`$$(".tile.sold-out").length`, 6, "with two pizzas of the shop");
  await page.is(shown, before);
  await choose(page, "Basil", "Rocket");
  await page.is(chosen, ["Large", "Basil"]);
  await shop.change({ soldOut: { toppings: [] } });
  await page.is(`$("[aria-labelledby=toppings] .sold-out")`, null);
});

shopTest("what sells out is marked on each pizza, and one press takes it off all of them",
  async (shop) => {
    const page = await shop.orderPage(phone);
    await choosePizzas(page, "Mushrooms", "Mushrooms");
    await page.run(`${topping("Basil")}.click();`);
    await shop.change({ soldOut: { toppings: ["funghi"], beverages: ["acqua"] } });
    await page.says("Just sold out");
    assert.match(await page.text(), /Mushrooms, on pizzas 1 and 2\n+Still water\n+Remove/);
    await page.is(`texts(".words .tag")`, ["1 sold out", "1 sold out"]);
    await page.tap("Show me");
    await page.is("document.activeElement.ariaLabel", "One Mushrooms less");
    await page.is(`$("[aria-current=true] .words > span").textContent`, "Pizza 1: Large");
    await page.tap("Remove");
    await page.until(`!document.body.innerText.includes("Just sold out")`);
    await shop.change({ soldOut: { pizzasizes: ["grande"] } });
    await page.says("Pizza 2 needs another size");
    for (const size of [1, 2]) {
      // The order folds up by itself.
      await page.click(".unfold");
      await page.tap("Pick a size");
      await page.is("document.activeElement.name", "size");
      await page.click(`.sizes label:nth-child(${size})`);
    }
    await page.tap("Place order");
    await page.is(`$$(".part").length`, 2);
  });

shopTest("what leaves the menu is taken off the order with a word", async (shop) => {
  const page = await shop.orderPage();
  await choose(page, "Basil", "Rocket");
  await shop.forno.write("DELETE", "/api/toppings/rucola");
  await page.is(message, "No longer on the menu and taken off your order: Rocket");
  await page.is(chosen, ["Large", "Basil"]);
});

/** The order's button as people see it: what it says, whether it does nothing, and why. */
const step = `(() => {
  const button = $("#place");
  const why = document.getElementById(button.getAttribute("aria-describedby"));
  return [button.textContent, button.ariaDisabled === "true", why.innerText];
})()`;

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
    const closed = "The shop is closed and takes no orders right now.";
    await page.is(step, ["Place order", true, closed]);
    assert.match(await page.text(), /^Da Mario[^]*Closed right now[^]*Back at 18:00/);
    await page.is("document.title", "Da Mario: order a pizza");
    await page.run(`$("#place").click()`);
    await shop.change({ isOpen: true, notice: "" });
    await page.is(`[${step}, $(".notice")]`, [["Place order", false, ""], null]);
    await setOffline(page, true);
    await page.says("You’re offline. Your pizza is kept.");
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
