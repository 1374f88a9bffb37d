/** Place order is always in sight and in reach (contract part 7). */

import assert from "node:assert/strict";
import { keys, type Window } from "./browser.ts";
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

shopTest("nine pizzas of twelve toppings are ordered by touch, on screens of any size",
  async (shop) => {
    const page = await shop.orderPage();
    await page.devtools("Emulation.setTouchEmulationEnabled", { enabled: true });
    const sizes = [[320, 640], [390, 844], [768, 1024], [1280, 640]] as const;
    for (let pizza = 1; pizza <= 9; pizza += 1) {
      if (pizza > 1) await page.run(`document.querySelector("[data-do=another]").click()`);
      await page.run(addTwelve);
      if (![1, 6, 9].includes(pizza)) continue;
      for (const [width, height] of sizes) {
        const about = `${pizza} pizzas at ${width} × ${height}`;
        await page.resize(width, height);
        await page.run("scrollTo(0, 0)");
        const sideways = await page.run<number>("return document.documentElement.scrollWidth");
        assert.ok(sideways <= width, `${about}: nothing scrolls sideways`);
        assert.ok(await reach(page, "#place"), `${about}: Place order is in reach`);
        if (width < 900) await touch(page, ".unfold");
        await page.until(`document.getAnimations().length === 0
          && document.querySelector("#chosen").checkVisibility()`);
        const last = "#chosen section:last-child p";
        await page.run("document.querySelector(arguments[0]).scrollIntoView()", last);
        for (const part of [last, "#place"]) assert.ok(await reach(page, part), `${about}: ${part}`);
        if (width < 900) await page.press(keys.escape);
      }
    }
    await page.resize(320, 640);
    await touch(page, "#place");
    await page.until(`document.querySelectorAll(".part").length === 9`);
    assert.deepEqual((await orders(shop)).map(({ toppings }) => toppings.length),
      Array.from({ length: 9 }, () => 12));
  });
