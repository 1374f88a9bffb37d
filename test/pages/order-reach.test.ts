/** Place order is always in sight and in reach (contract part 7). */

import assert from "node:assert/strict";
import type { Window } from "./browser.ts";
import { orders } from "./customer.ts";
import { shopTest } from "./shop.ts";

/** The middle of an element where a finger finds it: in the window, and with nothing above it. */
function reach(page: Window, selector: string): Promise<[x: number, y: number] | undefined> {
  return page.run(`const element = document.querySelector(arguments[0]);
    const { left, right, top, bottom } = element.getBoundingClientRect();
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    const isInside = left >= 0 && top >= 0 && right <= visualViewport.width
      && bottom <= visualViewport.height;
    return isInside && element.contains(document.elementFromPoint(x, y)) ? [x, y] : undefined;`,
  selector);
}

async function touch(page: Window, selector: string): Promise<void> {
  const [x, y] = await reach(page, selector) ?? assert.fail(`${selector} is out of reach`);
  const touchPoints = [{ x, y }];
  await page.devtools("Input.dispatchTouchEvent", { type: "touchStart", touchPoints });
  await page.devtools("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
}

const addTwelve = `document.querySelector(".sizes label:nth-child(3) input").click();
  [...document.querySelectorAll("[aria-labelledby=toppings] .more")].slice(0, 12)
    .forEach((one) => one.click());`;

for (const [width, height, count] of [
  [320, 640, 6], [360, 740, 6], [390, 844, 6], [768, 1024, 6], [1280, 640, 9],
] as const) {
  shopTest(`${count} pizzas of twelve toppings are ordered by touch at ${width} × ${height}`,
    async (shop) => {
      const page = await shop.orderPage({ width, height });
      await page.devtools("Emulation.setTouchEmulationEnabled", { enabled: true });
      for (let pizza = 1; pizza <= count; pizza += 1) {
        if (pizza > 1) await page.run(`document.querySelector("[data-do=another]").click()`);
        await page.run(`${addTwelve} scrollTo(0, 0)`);
        const isWhole = await page.run("return document.documentElement.scrollWidth <= arguments[0]",
          width);
        assert.ok(isWhole, `${pizza} pizzas: nothing scrolls sideways`);
        assert.ok(await reach(page, "#place"), `${pizza} pizzas: Place order is in reach`);
      }
      if (width < 900) await touch(page, ".unfold");
      await page.until(`document.getAnimations().length === 0
        && document.querySelector("#chosen").checkVisibility()`);
      const last = "#chosen section:last-child p";
      await page.run("document.querySelector(arguments[0]).scrollIntoView()", last);
      for (const part of [last, "#place"]) assert.ok(await reach(page, part), part);
      await touch(page, "#place");
      await page.until(`document.querySelectorAll(".part").length === arguments[0]`, count);
      assert.deepEqual((await orders(shop)).map(({ toppings }) => toppings.length),
        Array.from({ length: count }, () => 12));
    });
}
