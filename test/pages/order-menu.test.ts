/** The menu on the order page: finding items, sold-out items, nothing that moves (part 7). */

import assert from "node:assert/strict";
import { keys, words, type Window } from "./browser.ts";
import { choose, placedNumber, topping } from "./customer.ts";
import { shopTest, type Shop } from "./shop.ts";

const phone = { width: 390, height: 844 };

/** A menu of forty toppings. */
async function addToppings(shop: Shop): Promise<void> {
  await Promise.all(Array.from({ length: 24 }, (_, index) =>
    shop.forno.asStaff("POST", "/api/toppings", {
      id: `extra-${index}`, name: index === 20 ? "Jalapeño" : `Extra ${index}`,
      isVegetarian: index % 2 === 0, isVegan: index % 4 === 0,
    })));
}

const shown = `[...document.querySelectorAll(".tiles li")]
  .filter((one) => one.checkVisibility()).map((one) => one.querySelector(".name bdi").textContent)`;

shopTest("an item is found among forty by a part of its name, and by diet", async (shop) => {
  await addToppings(shop);
  const page = await shop.orderPage(phone);
  assert.equal(await page.run(`return ${shown}.length`), 46);
  await page.type("[data-do=search]", "jalapeno");
  assert.deepEqual(await page.run(`return ${shown}`), ["Jalapeño"]);
  assert.equal(await page.run(`return document.querySelector("#page > [role=status]").innerText`),
    "1 found");
  await page.fill("[data-do=search]", "");
  await page.click("[data-of=isVegan]");
  const vegan = (await shop.forno.call("GET", "/api/toppings?isVegan=true")).json;
  assert.equal(await page.run(`return ${shown}.length`), vegan.length + 6);
  const isPressed = `return document.querySelector("[data-of=isVegan]").ariaPressed`;
  assert.equal(await page.run(isPressed), "true");
  await page.type("[data-do=search]", "qqq");
  await page.says("Nothing on the menu has that name.");
});

shopTest("the search stays in sight while the menu scrolls, and so does what is chosen",
  async (shop) => {
    await addToppings(shop);
    const page = await shop.orderPage(phone);
    await choose(page, "Mushrooms");
    await page.run(`${topping("Extra 23")}.scrollIntoView({ block: "center" })`);
    const inSight = (selector: string) => page.run(`const { top, bottom } =
      document.querySelector(arguments[0]).getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight`, selector);
    for (const selector of ["[data-do=search]", "#place", ".unfold"]) {
      assert.equal(await inSight(selector), true, selector);
    }
    await page.click(".unfold");
    await page.until(`document.querySelector("#chosen").checkVisibility()`);
    assert.match(await page.run(`return document.querySelector("#chosen").innerText`), /Mushrooms/);
    await page.press(keys.escape);
    await page.until(`!document.querySelector("#chosen").checkVisibility()`);
    await page.resize(1280, 900);
    assert.equal(await page.run(`const side = (selector) =>
      document.querySelector(selector).getBoundingClientRect();
      return side(".finder").right <= side(".order").left`), true, "it covers no part of the order");
  });

shopTest("nothing moves when something is chosen or taken off", async (shop) => {
  const page = await shop.orderPage(phone);
  const places = (selector: string) => page.run<string>(`return JSON.stringify(
    [...document.querySelectorAll(arguments[0])]
      .map((one) => Object.values(one.getBoundingClientRect().toJSON())))`, selector);
  // The row of pizzas comes in above the sizes; the size stays under the finger.
  const size = await places(".sizes label");
  await page.click(".sizes label:nth-child(2)");
  await page.until(`document.querySelector(".pizzas")`);
  assert.equal(await places(".sizes label"), size);
  const all = ".sizes label, .tiles li, .more, .finder, .bar";
  await page.click(".tiles li:nth-child(5) .more");
  const before = await places(all);
  await page.click(".tiles li:nth-child(5) .more");
  await page.click(".tiles li:nth-child(4) .more");
  await page.until(`${guarded} === 0`);
  await page.click(".tiles li:nth-child(4) .less");
  await page.run(`document.querySelector(".sizes input").click()`);
  assert.equal(await places(all), before);
});

/** Counts the controls that have just come to lie where another one was. */
const guarded = `[...document.querySelectorAll(".less")]
  .filter((one) => getComputedStyle(one).pointerEvents === "none").length`;

shopTest("a double tap adds two, though − comes to lie under the finger", async (shop) => {
  const page = await shop.orderPage(phone);
  const [x, y] = await page.run<[number, number]>(`const tile = ${topping("Mushrooms")};
    tile.scrollIntoView({ block: "center" });
    const { left, top, height } = tile.getBoundingClientRect();
    return [left + 20, top + height / 2];`);
  for (const clickCount of [1, 2]) {
    for (const type of ["mousePressed", "mouseReleased"]) {
      await page.devtools("Input.dispatchMouseEvent", { type, x, y, button: "left", clickCount });
    }
  }
  await page.until(`document.querySelector(".count")?.textContent === "2"`);
  // The second tap counts too: another control on that spot takes no press for 400 ms after it.
  const over = await page.run<number>("return performance.now() + 400");
  await page.until(`performance.now() > arguments[0] && ${guarded} === 0`, over);
  await page.click(".less");
  await page.until(`document.querySelector(".count")?.textContent === "1"`);
});

shopTest("what is sold out is greyed in its place, at once, and is not ordered", async (shop) => {
  const page = await shop.orderPage(phone);
  await choose(page, "Mushrooms");
  const order = await page.run(`return ${shown}`);
  await shop.change({
    soldOut: { toppings: ["funghi", "rucola"], pizzasizes: ["famiglia"], beverages: ["birra"] },
  });
  await page.until(`document.querySelectorAll(".sold-out").length === 4`);
  assert.deepEqual(await page.run(`return ${shown}`), order);
  await page.run(`${topping("Rocket")}.click()`);
  assert.equal(await page.run(`return document.querySelector("#chosen").textContent
    .includes("Rocket")`), false);
  assert.match(await page.text(), /Just sold out\n+Mushrooms\n+Remove/);
  await shop.change({ soldOut: { toppings: [] } });
  await page.until(`!document.querySelector("[aria-labelledby=toppings] .sold-out")`);
  await page.click("#place");
  await placedNumber(page);
});

shopTest("what sells out is marked on each pizza, and one press takes it off all of them",
  async (shop) => {
    const page = await shop.orderPage(phone);
    await choose(page, "Mushrooms", "Basil");
    await page.run(`document.querySelector("[data-do=another]").click()`);
    await choose(page, "Mushrooms", "Rocket");
    await page.run(`document.querySelector("[aria-labelledby=beverages] .more").click()`);
    await shop.change({ soldOut: { toppings: ["funghi"], beverages: ["acqua"] } });
    await page.says("Just sold out");
    assert.match(await page.text(), /Mushrooms, on pizzas 1 and 2\n+Still water\n+Remove/);
    assert.deepEqual(await page.run(`return [...document.querySelectorAll(".words .tag")]
      .map((one) => one.innerText)`), ["1 sold out", "1 sold out"]);
    await page.tap("Show me");
    await page.until(`document.activeElement.ariaLabel === "One Mushrooms less"`);
    assert.equal(await page.run(`return document.querySelector("[aria-current=true] .words > span")
      .textContent`), "Pizza 1: Large");
    await page.tap("Remove");
    await page.until(`!document.body.innerText.includes("Just sold out")`);
    await shop.change({ soldOut: { pizzasizes: ["grande"] } });
    await page.says("Pizza 2 needs another size");
    await page.run(`document.querySelector("#place").click()`);
    for (const size of [1, 2]) {
      await page.until(`document.querySelector("#place").textContent === "Pick a size"`);
      await page.run(`document.querySelector("#place").click()`);
      await page.run(`document.querySelectorAll(".sizes input")[arguments[0]].click()`, size - 1);
    }
    await page.tap("Place order");
    await page.until(`document.querySelectorAll(".part").length === 2`);
  });

shopTest("a closed shop shows its name and notice, and takes no order until it opens",
  async (shop) => {
    const page = await shop.orderPage(phone);
    await choose(page, "Mushrooms");
    await shop.change({ name: "Da Mario", isOpen: false, notice: "Back at 18:00" });
    await page.says("Back at 18:00");
    assert.match(await page.text(), /Closed right now/);
    assert.match(await page.text(), /^Da Mario/);
    assert.equal(await page.run("return document.title"), "Da Mario: order a pizza");
    await shop.change({ isOpen: true, notice: "" });
    await page.until(`!document.querySelector(".notice")`);
    await page.click("#place");
    await placedNumber(page);
  });

shopTest("staff order by phone on the board's sign-in, also while the shop is closed",
  async (shop) => {
    await shop.change({ isOpen: false, soldOut: { toppings: ["funghi"] } });
    const board = await shop.board();
    const page = await shop.browser.open(`${shop.forno.origin}/?for=anna`, { beside: board });
    await page.until(topping("Mushrooms"));
    await choose(page, "Mushrooms");
    await page.click("#place");
    assert.equal(await shop.statusOf(`anna-${await placedNumber(page)}`), "Pending");
  });

shopTest("the menu is read once, and a reload fetches none of the page's files", async (shop) => {
  const page = await shop.orderPage(phone);
  await shop.change({ notice: "Hello" });
  await page.says("Hello");
  const loaded = () => page.run<{ name: string; transferSize: number }[]>(`return performance
    .getEntriesByType("resource").map(({ name, transferSize }) => ({ name, transferSize }))`);
  const reads = (await loaded()).map(({ name }) => new URL(name).pathname);
  for (const path of ["toppings", "pizzasizes", "beverages", "shop"]) {
    assert.equal(reads.filter((one) => one === `/api/${path}`).length, 1, path);
  }
  await page.reload();
  await page.until(topping("Mushrooms"));
  const files = (await loaded()).filter(({ name }) => name.includes("/pages/"));
  assert.ok(files.length >= 5);
  assert.deepEqual(files.filter(({ transferSize }) => transferSize > 0), []);
});

/** Which shape a drink's tile shows, and the color of what is in it. */
const drinkShapes = `Object.fromEntries([...document.querySelectorAll(
  "[aria-labelledby=beverages] .more")].map((one) => [
    one.querySelector(".name bdi").textContent,
    [one.querySelector("use").href.baseVal.split("#")[1],
      one.querySelector("use").getAttribute("color")],
  ]))`;

shopTest("a drink has the drawing of its kind, and its vessel if it names one", async (shop) => {
  const names = {
    bottle: ["Sparkling water", "Lager", "Red wine, bottle", "Vino della casa"],
    can: ["Cola", "Chinotto", "Lemonade, can", "Limonata in lattina"],
    glass: ["Lemonade", "Orange juice", "Draft beer", "Something new", "عصير تفاح"],
    stem: ["House red", "Prosecco", "Weißwein"],
    cup: ["Espresso", "Mint tea", "Früchtetee", "Café americano", "شاي بالنعناع"],
  };
  await Promise.all(Object.values(names).flat().map((name) =>
    shop.forno.asStaff("POST", "/api/beverages", { name, isCarbonated: false, sizeOptions: [] })));
  const page = await shop.orderPage(phone);
  const shapes = await page.run<Record<string, [string, string]>>(`return ${drinkShapes}`);
  for (const [shape, kind] of Object.entries(names)) {
    for (const name of kind) assert.equal(shapes[name]?.[0], shape, name);
  }
  assert.notEqual(shapes["Draft beer"]?.[1], shapes["Something new"]?.[1]);
});

const shifted = `new Promise((resolve) => {
  new PerformanceObserver((list) => {
    resolve(list.getEntries().reduce((sum, { value }) => sum + value, 0));
  }).observe({ type: "layout-shift", buffered: true });
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(0)));
})`;

shopTest("next to nothing shifts while a page comes up", async (shop) => {
  await addToppings(shop);
  await shop.change({ notice: "Try the new oven." });
  await shop.place();
  for (const path of ["/", "/?order=AAA111"]) {
    const page = await shop.orderPage(phone);
    await page.go(shop.forno.origin + path);
    await page.until(path === "/" ? topping("Mushrooms") : `document.querySelector("article")`);
    assert.ok((await page.run<number>(`return ${shifted}`)) < 0.02, path);
  }
  const { origin, token } = shop.forno;
  // Both lines of the top bar that come with the sign-in, and those of the bar without one.
  const soon = token({ role: "staff", sub: "rosa", exp: Math.floor(Date.now() / 1000) + 1800 });
  for (const hash of [`#token=${soon}`, ""]) {
    const board = await shop.browser.open(`${origin}/board${hash}`, phone);
    await board.until(`document.querySelector(".card")`);
    assert.ok((await board.run<number>(`return ${shifted}`)) < 0.02, `the board, ${hash}`);
  }
});

/** Text that runs out of the window, or into other text that scrolls with it. */
const crowded = `
  const texts = [];
  const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
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

/** Text at 200 %. */
const large = `document.documentElement.style.fontSize = "200%"`;

async function assertRoomy(page: Window, about: string): Promise<void> {
  assert.deepEqual(await page.run(crowded), [], about);
  const fits = await page.run("return document.documentElement.scrollWidth <= innerWidth");
  assert.ok(fits, about);
}

/** The names and diameters of sizes that run out of their cards. */
const outside = `return [...document.querySelectorAll(".sizes :is(.name, .soft)")].filter((one) => {
  const range = document.createRange();
  range.selectNodeContents(one);
  const [text, card] = [range, one.closest("label")].map((each) => each.getBoundingClientRect());
  return text.left < card.left - 1 || text.right > card.right + 1;
}).map((one) => one.textContent);`;

/** How many sizes stand in each row. */
const rowsOfSizes = `const tops = [...document.querySelectorAll(".sizes label")]
  .map((one) => Math.round(one.getBoundingClientRect().top));
  return [...new Set(tops)].map((top) => tops.filter((one) => one === top).length).join()`;

shopTest("the sizes fit into their cards, however wide the window is", async (shop) => {
  const page = await shop.orderPage({ width: 320, height: 700 });
  for (const size of ["100%", "200%"]) {
    await page.run("document.documentElement.style.fontSize = arguments[0]", size);
    for (const width of [320, 360, 640, 900, 1000, 1100, 1280, 1920]) {
      await page.resize(width, 700);
      assert.deepEqual(await page.run(outside), [], `${width} pixels`);
      assert.ok(["4", "2,2", "1,1,1,1"].includes(await page.run(rowsOfSizes)), `${width} pixels`);
      assert.equal(await page.run(`const start = (selector) =>
        document.querySelector(selector).getBoundingClientRect().left;
        return start(".top img") - start("h1")`), 0, "the header stands in the page's column");
      await assertRoomy(page, `${width} pixels`);
    }
  }
});

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
      assert.equal(await page.run("return document.documentElement.dir"), direction);
      const text = (await page.text()).replaceAll(/\s/g, " ");
      assert.ok(text.includes(title) && text.includes(length), text);
      await isWhole(`${language}, the menu`);
      await choose(page, "Mushrooms");
      // A click of the mouse so soon after the last one would be taken for a second tap.
      await page.run(`document.querySelector(".unfold").click()`);
      await assertRoomy(page, `${language}, the order`);
      await page.run(large);
      await assertRoomy(page, `${language}, the order, large`);
      await page.click("#place");
      await placedNumber(page);
      await assertRoomy(page, `${language}, the ticket, large`);
      await page.run("document.documentElement.style.fontSize = ''");
      await isWhole(`${language}, the ticket`);
    }
    assert.deepEqual(await page.complaints(), []);
  });

shopTest("at 400 % of 1280 × 1024 nothing is covered that has the focus", async (shop) => {
  const page = await shop.orderPage({ width: 320, height: 256 });
  for (let stop = 0; stop < 40; stop += 1) {
    await page.press(keys.tab);
    const covered = await page.run<string>(`const one = document.activeElement;
      const { x, y, width, height } = one.getBoundingClientRect();
      const at = document.elementFromPoint(x + width / 2, y + height / 2);
      return one === document.body || one.contains(at) || at?.contains(one) ? "" : one.outerHTML`);
    assert.equal(covered, "");
  }
});
