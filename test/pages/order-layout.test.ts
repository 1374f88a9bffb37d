/** The order page is whole at any width, height, size of text, and in any language (part 7). */

import assert from "node:assert/strict";
import { keys, words, type Window } from "./browser.ts";
import { choose, placedNumber, rowWith, topping } from "./customer.ts";
import { shopTest } from "./shop.ts";

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
  return texts.filter((one) => one.left < -1 || one.right > $("html").clientWidth + 1
    || texts.some((other) => other !== one && one.left < other.right - 1
      && other.left < one.right - 1 && one.top < other.bottom && other.top < one.bottom))
    .map(({ text }) => text);`;

async function assertRoomy(page: Window, about: string): Promise<void> {
  assert.deepEqual(await page.run(crowded), [], about);
  // Where something is too wide, a phone shows all of it smaller, and innerWidth grows.
  assert.ok(await page.run(`return $("html").scrollWidth <= $("html").clientWidth`), about);
}

shopTest("the page is whole with the longest words and from right to left, in its readers' units",
  async (shop) => {
    // As long as a name gets.
    await shop.forno.write("PATCH", "/api/pizzasizes/famiglia", { name: "Familienpizza" });
    const page = await shop.orderPage({ width: 320, height: 640 });
    for (const [language, direction, title, length] of [
      ["de-AT", "ltr", "Größe", "37 cm"], ["ar", "rtl", "الحجم", "37 سم"],
    ] as const) {
      await page.speak(language);
      await page.go(`${shop.forno.origin}/`);
      await page.until(topping("Mushrooms"));
      await page.is("document.documentElement.dir", direction);
      await page.says(title);
      await page.is(`document.body.innerText.replaceAll(/\\s/g, " ").includes("${length}")`, true);
      await assertRoomy(page, `${language}, the menu`);
      assert.deepEqual(await page.brokenWords(words), [], language);
      await choose(page, "Mushrooms");
      await page.click(".unfold-button");
      await assertRoomy(page, `${language}, the order`);
      await page.resize(320, 640, "200%");
      await assertRoomy(page, `${language}, the order, large`);
      await page.click("#place");
      await placedNumber(page);
      await assertRoomy(page, `${language}, the tracker, large`);
      await page.resize(320, 640);
      await assertRoomy(page, `${language}, the tracker`);
      assert.deepEqual(await page.brokenWords(words), [], `${language}, the tracker`);
    }
    await page.speak("en-US");
    await page.go(`${shop.forno.origin}/`);
    await page.says("14.5\u00a0in");
    await page.go(`${shop.forno.origin}/?for=Terrassenaussenbereichstisch17`);
    await page.says("Terrassenaussenbereichstisch17");
    await assertRoomy(page, "a table with a long name");
    await page.resize(360, 640, "200%");
    assert.deepEqual(await page.brokenWords(".shop-name"), [], "beside a table, large");
  });

shopTest("the first screen of a phone begins with the pizzas", async (shop) => {
  const page = await shop.orderPage({ width: 390, height: 844 });
  const top = `boxOf(".shop-pizzas li").top / innerHeight < `;
  await page.is(`${top} 0.42`, true);
  // In large text, the sign of the search lies within its button.
  await page.resize(390, 844, "200%");
  await page.is(`boxOf(".search .icon").right < boxOf(".search input").right`, true);
  await page.resize(360, 640);
  await page.is(`${top} 0.6`, true);
  // The search gives its place to the filters until it is used.
  await page.is(`boxOf(".search").width === boxOf(".search").height`, true);
  await page.click("#search");
  await page.is(`boxOf(".search").width > innerWidth / 2`, true);
});

shopTest("Place order is in sight on low screens, with room for the menu", async (shop) => {
  const page = await shop.browser.open(
    `${shop.forno.origin}/?for=${encodeURIComponent("Terrasse hinten links ".repeat(9))}`);
  await choose(page, "Mushrooms");
  await shop.change({ soldOut: { toppings: ["funghi"], pizzasizes: ["grande"] } });
  await page.says("Just sold out");
  for (const [width, height] of [
    [320, 320], [568, 320], [320, 568], [1024, 320],
  ] as const) {
    await page.resize(width, height);
    for (const at of ["scrollTo(0, 0)", "scrollTo(0, 1500)"]) {
      await page.run(at);
      const about = `${width} × ${height}, ${at}`;
      await page.is(`(() => {
        const { left, right, top, bottom } = boxOf("#place");
        return top >= 0 && bottom <= innerHeight && left >= 0 && right <= innerWidth;
      })()`, true, about);
      // The share of the height that nothing lies above.
      assert.ok(await page.run<number>(`const x = Math.min(innerWidth / 2, 200);
        return Array.from({ length: innerHeight }, (_, y) => document.elementFromPoint(x, y))
          .filter((one) => !one?.closest(".order, .lost-bar, .finder")).length
            / innerHeight`) >= 0.3,
      about);
    }
  }
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

shopTest("no name on a tile breaks at any width, also in large text", async (shop) => {
  const page = await shop.orderPage({ width: 390, height: 844 });
  await page.run(`$$(".tile-button").forEach((one) => one.click())`);
  for (const size of ["100%", "200%"]) {
    for (const width of [320, 390, 900]) {
      await page.resize(width, 844, size);
      await assertRoomy(page, `${size}, ${width} pixels`);
      // At 200 % a phone of 320 has no room for some of them.
      if (size === "200%" && width === 320) continue;
      const words = ".tile bdi, .sizes .tile-text";
      assert.deepEqual(await page.brokenWords(words), [], `${size}, ${width}`);
    }
  }
});

shopTest("nine different pizzas are in reach on a phone and beside the menu", async (shop) => {
  const page = await shop.orderPage();
  const names = await page.run<string[]>(`return texts(".menu-lists .toppings .tile-text bdi")`);
  for (let first = 0; first < 9; first += 1) {
    if (first > 0) await page.tap("Another pizza");
    await choose(page, ...names.slice(first, first + 6));
  }
  const last = rowWith(names.slice(8, 14).join(", "));
  await page.is(`${last}.getBoundingClientRect().bottom < boxOf("#chosen").bottom + 1`, true,
    "the current row");
  const areInReach = async (): Promise<void> => {
    await page.run(`${last}.scrollIntoView(false)`);
    for (const one of [`${last}.querySelector("p")`, `$("#place")`]) {
      await page.is(`((one, { left, right, top, bottom }) => one.contains(
        document.elementFromPoint((left + right) / 2, (top + bottom) / 2)))(
        ${one}, ${one}.getBoundingClientRect())`, true);
    }
  };
  await page.resize(1280, 640);
  await areInReach();
  await page.resize(320, 640);
  await page.click(".unfold-button");
  await page.until(`document.getAnimations().length === 0 && $("#chosen").checkVisibility()`);
  await areInReach();
  await page.press(keys.escape);
  await page.is(`$(".unfolded")`, null);
});
