/** The menu on the order page: finding items, sold-out items, nothing that moves (part 7). */

import assert from "node:assert/strict";
import { topping as sample } from "../helpers/samples.ts";
import { keys, words, type Window } from "./browser.ts";
import {
  choose, message, order, orders, placedNumber, setOffline, topping,
} from "./customer.ts";
import { shopTest, type Shop } from "./shop.ts";

const phone = { width: 390, height: 844 };

/** A menu of forty toppings. */
async function addToppings(shop: Shop): Promise<void> {
  await Promise.all(Array.from({ length: 24 }, (_, index) =>
    shop.forno.write("POST", "/api/toppings", sample({
      id: `extra-${index}`, name: index === 20 ? "Jalapeño" : `Extra ${index}`,
      isVegetarian: index % 2 === 0, isVegan: index % 4 === 0,
    }))));
}

const shown = `texts(".tiles li .name bdi")`;

shopTest("an item is found among forty by a part of its name, and by diet", async (shop) => {
  await addToppings(shop);
  const page = await shop.orderPage(phone);
  await page.is(`${shown}.length`, 46);
  await page.type("[data-do=search]", "jalapeno");
  await page.is(shown, ["Jalapeño"]);
  await page.is(`$("#page > [role=status]").innerText`, "1 found");
  await page.fill("[data-do=search]", "");
  await page.click("[data-of=isVegan]");
  const vegan = (await shop.forno.call("GET", "/api/toppings?isVegan=true")).json;
  await page.is(`${shown}.length`, vegan.length + 6);
  await page.is(`$("[data-of=isVegan]").ariaPressed`, "true");
  await page.type("[data-do=search]", "qqq");
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
  const all = ".sizes label, .tiles li, .more, .finder, .bar";
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

shopTest("what is sold out is greyed in its place, at once, and is not ordered", async (shop) => {
  const page = await shop.orderPage(phone);
  const before = await page.run(`return ${shown}`);
  await shop.change({
    soldOut: { toppings: ["funghi", "rucola"], pizzasizes: ["famiglia"], beverages: ["birra"] },
  });
  await page.is(`$$(".sold-out").length`, 4);
  await page.is(shown, before);
  await choose(page, "Basil", "Rocket");
  await shop.change({ soldOut: { toppings: [] } });
  await page.is(`$("[aria-labelledby=toppings] .sold-out")`, null);
  await page.click("#place");
  await placedNumber(page);
  assert.deepEqual((await orders(shop)).map((one) => one["toppings"]),
    [[{ id: "basilico", name: "Basil" }]]);
});

shopTest("what sells out is marked on each pizza, and one press takes it off all of them",
  async (shop) => {
    const page = await shop.orderPage(phone);
    await choose(page, "Mushrooms", "Basil");
    await page.run(`$("[data-do=another]").click()`);
    await choose(page, "Mushrooms", "Rocket");
    await page.run(`$("[aria-labelledby=beverages] .more").click()`);
    await shop.change({ soldOut: { toppings: ["funghi"], beverages: ["acqua"] } });
    await page.says("Just sold out");
    assert.match(await page.text(), /Mushrooms, on pizzas 1 and 2\n+Still water\n+Remove/);
    await page.is(`$$(".words .tag").map((one) => one.innerText)`, ["1 sold out", "1 sold out"]);
    await page.tap("Show me");
    await page.is("document.activeElement.ariaLabel", "One Mushrooms less");
    await page.is(`$("[aria-current=true] .words > span").textContent`, "Pizza 1: Large");
    await page.tap("Remove");
    await page.until(`!document.body.innerText.includes("Just sold out")`);
    await shop.change({ soldOut: { pizzasizes: ["grande"] } });
    await page.says("Pizza 2 needs another size");
    for (const size of [1, 2]) {
      await page.tap("Pick a size");
      await page.click(`.sizes label:nth-child(${size})`);
    }
    await page.tap("Place order");
    await page.is(`$$(".part").length`, 2);
  });

shopTest("staff order by phone on the board's sign-in, also while the shop is closed",
  async (shop) => {
    await shop.change({ isOpen: false, soldOut: { toppings: ["funghi"] } });
    const board = await shop.board();
    const page = await shop.browser.open(`${shop.forno.origin}/?for=anna`, { beside: board });
    const number = await order(page, "Mushrooms");
    assert.equal(await shop.statusOf(`anna-${number}`), "Pending");
  });

/** Text that runs out of the window, or into other text that scrolls with it. */
const crowded = `
  const texts = [];
  const walker = document.createTreeWalker($("main"), NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (node.data.trim() === "" || parent.closest(".unseen, .skip, .order, .finder, .pizzas")
      || !parent.checkVisibility()) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const { left, right, top, bottom, height } of range.getClientRects()) {
      // A font's box is higher than its letters, and boxes of two lines may overlap.
      const room = height / 5;
      texts.push({ text: node.data, left, right, top: top + room, bottom: bottom - room });
    }
  }
  return texts.filter((one) => one.left < -1 || one.right > innerWidth + 1
    || texts.some((other) => other !== one && one.left < other.right - 1
      && other.left < one.right - 1 && one.top < other.bottom && other.top < one.bottom))
    .map(({ text }) => text);`;

async function assertRoomy(page: Window, about: string): Promise<void> {
  assert.deepEqual(await page.run(crowded), [], about);
  assert.ok(await page.run("return document.documentElement.scrollWidth <= innerWidth"), about);
}

shopTest("in every language the page is whole, and lengths are as its readers measure",
  async (shop) => {
    const page = await shop.orderPage({ width: 320, height: 640 });
    const isWhole = async (about: string): Promise<void> => {
      await assertRoomy(page, about);
      assert.deepEqual(await page.brokenWords(words), [], about);
    };
    for (const [language, direction, title, length] of [
      ["it-IT", "ltr", "Formato", "37 cm"],
      ["de-AT", "ltr", "Größe", "37 cm"],
      ["fr", "ltr", "Taille", "37 cm"],
      ["es-MX", "ltr", "Tamaño", "37 cm"],
      ["ar", "rtl", "الحجم", "37 سم"],
      ["en-GB", "ltr", "Size", "37 cm"],
      ["en-US", "ltr", "Size", "14.5 in"],
    ] as const) {
      await page.speak(language);
      await page.go(`${shop.forno.origin}/`);
      await page.until(topping("Mushrooms"));
      await page.is("document.documentElement.dir", direction);
      const text = (await page.text()).replaceAll(/\s/g, " ");
      assert.ok(text.includes(title) && text.includes(length), text);
      await isWhole(`${language}, the menu`);
      await choose(page, "Mushrooms");
      await page.click(".unfold");
      await assertRoomy(page, `${language}, the order`);
      await page.resize(320, 640, "200%");
      await assertRoomy(page, `${language}, the order, large`);
      await page.click("#place");
      await placedNumber(page);
      await assertRoomy(page, `${language}, the ticket, large`);
      await page.resize(320, 640);
      await isWhole(`${language}, the ticket`);
    }
    assert.deepEqual(await page.complaints(), []);
  });

shopTest("at 400 % of 1280 × 1024 nothing is covered that has the focus", async (shop) => {
  const page = await shop.orderPage({ width: 320, height: 256 });
  for (let stop = 0; stop < 40; stop += 1) {
    await page.press(keys.tab);
    assert.equal(await page.run<string>(`const one = document.activeElement;
      const { x, y, width, height } = one.getBoundingClientRect();
      const at = document.elementFromPoint(x + width / 2, y + height / 2);
      return one === document.body || one.contains(at) || at?.contains(one) ? "" : one.outerHTML`),
    "");
  }
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
  await page.click("#place");
  await shop.change({ isOpen: true, notice: "" });
  await page.is(`[${step}, $(".notice")]`, [["Place order", false, ""], null]);
  await setOffline(page, true);
  await page.is(step, ["Check again", false, "You can place the order once you’re online."]);
  assert.match(await page.text(), /You’re offline. Your pizza is kept\./);
  await page.tap("Check again");
  await setOffline(page, false);
  await page.is(step, ["Place order", false, ""]);
  await page.is(`document.body.innerText.includes("offline")`, false);
  assert.deepEqual(await orders(shop), []);
  await page.complaints(/ERR_INTERNET_DISCONNECTED/);
});

shopTest("guests are never told that they need a link, not even for a moment",
  { GUEST_ORDERS: "on" }, async (shop) => {
    const before = `addEventListener("DOMContentLoaded", () => new MutationObserver(() => {
      window.wasTold ||= $("#access") !== null || ${message} !== "";
    }).observe(document, { attributes: true, childList: true, subtree: true }));`;
    const page = await shop.browser.open(shop.forno.origin, { before });
    await choose(page, "Mushrooms");
    await page.is(`window.wasTold || ${step}`, ["Place order", false, ""]);
  });

/** The tiles in which a leaf or a count touches a name, or leaves the tile. */
const crowdedTiles = `return $$(".tiles .tile").filter((tile) => {
  const range = document.createRange();
  range.selectNodeContents(tile.querySelector("bdi"));
  const box = tile.getBoundingClientRect();
  return [...tile.querySelectorAll(".leaf svg, .count")].some((one) => {
    const { left, right, top, bottom } = one.getBoundingClientRect();
    return left < box.left || right > box.right || bottom > box.bottom
      || [...range.getClientRects()].some((name) => left < name.right && name.left < right
        && top < name.bottom && name.top < bottom);
  });
}).map((tile) => tile.textContent);`;

/** How many letters the search shows beside its cross. */
const searchRoom = `(() => {
  const field = $("[data-do=search]");
  const [start, end, font] = ["paddingInlineStart", "paddingInlineEnd", "fontSize"].map((name) =>
    parseFloat(getComputedStyle(field)[name]));
  return (field.clientWidth - start - end - 20) / (font / 2);
})()`;

shopTest("no name on a tile breaks or is touched, and the search shows eight letters, in any font",
  async (shop) => {
    const page = await shop.orderPage(phone);
    await page.run(`$$(".tiles .more").forEach((one) => one.click())`);
    await page.type("[data-do=search]", "a");
    for (const font of ["", "DejaVu Sans", "Liberation Sans"]) {
      await page.run(`document.documentElement.style.setProperty("--text", arguments[0])`, font);
      for (const size of ["100%", "200%"]) {
        for (const width of [320, 360, 390, 768, 900, 1280]) {
          await page.resize(width, 844, size);
          const about = `${font}, ${size}, ${width} pixels`;
          await assertRoomy(page, about);
          assert.deepEqual(await page.run(crowdedTiles), [], about);
          if (size === "100%") assert.ok(await page.run(`return ${searchRoom} >= 8`), about);
          // At 200 % a phone of 320 has no room for some of them.
          if (size === "200%" && width < 390) continue;
          assert.deepEqual(await page.brokenWords(".tiles bdi, .sizes .name"), [], about);
        }
      }
    }
  });

shopTest("at the start only the button says what to do, and the bar has two lines at most",
  async (shop) => {
    const page = await shop.orderPage(phone);
    assert.equal((await page.text()).split(/pick a size/i).length, 2);
    await page.is(`$(".hero .line").innerText`, "16 toppings, 6 drinks.");
    await page.is(`$(".bar").innerText`, "No pizza yet\nPick a size");
    const lines = `texts(".unfold strong, .unfold .soft")`;
    for (const [at, expected] of [
      [1, ["1 pizza", "Large"]], [2, ["2 pizzas", "2× Large"]], [3, ["3 pizzas"]],
    ] as const) {
      if (at > 1) await page.run(`$("[data-do=another]").click()`);
      await page.run(`$(".sizes label:nth-child(3) input").click()`);
      await page.is(lines, expected);
    }
    await page.run(`$("[aria-labelledby=beverages] .more").click()`);
    await page.is(lines, ["3 pizzas", "1 drink"]);
  });
