/** A page that its browser translates (contract part 7). */

import assert from "node:assert/strict";
import { choose, topping } from "./customer.ts";
import { cardIn, shopTest } from "./shop.ts";

/**
 * The two ways of browsers: `replace` puts elements in the place of texts, `write` writes into
 * them. A translation is in capitals. `original`: the texts in sight that are not translated.
 */
const translation = `{
  const textsOf = () => {
    const walker = document.createTreeWalker($("#page"), NodeFilter.SHOW_TEXT);
    const nodes = [];
    while (walker.nextNode()) if (/[a-z]{2}/.test(walker.currentNode.data)) {
      nodes.push(walker.currentNode);
    }
    return nodes;
  };
  window.translate = {
    write: () => { for (const text of textsOf()) text.data = text.data.toUpperCase(); },
    replace: () => {
      for (const text of textsOf()) {
        const [outer, inner] = [1, 2].map(() => document.createElement("font"));
        inner.textContent = text.data.toUpperCase();
        outer.append(inner);
        text.replaceWith(outer);
      }
    },
  };
  window.original = () => textsOf().map(({ data }) => data.trim());
}`;

for (const way of ["write", "replace"] as const) {
  shopTest(`only what has changed falls back from a translation (${way})`, async (shop) => {
    const page = await shop.orderPage({ before: translation });
    await choose(page, "Basil");
    await page.run(`translate.${way}();`);
    await page.is("original()", []);
    await page.run(`${topping("BASIL")}.click();`);
    await page.until("original().length > 0");
    const changed = await page.run<string[]>("return original()");
    assert.deepEqual(changed.filter((text) => !/Basil|toppings/.test(text)), [], "what is chosen");
    await shop.change({ notice: "Try the new oven." });
    await page.until("original().includes('Try the new oven.')");
    await page.is("original().filter((text) => !/Basil|toppings|oven/.test(text))", []);
    await page.run(`translate.${way}();`);
    const board = await shop.board({ before: translation });
    await shop.place("AAA111");
    await board.until(cardIn("Pending", "AAA111"));
    await board.run(`translate.${way}();
      document.title = "KITCHEN";`);
    const before = await board.run("return document.body.innerText");
    await board.run("letPass(5000);");
    await board.painted();
    await board.is("[original(), document.title]", [[], "KITCHEN"]);
    await board.is("document.body.innerText", before);
    await board.run("letPass(360_000);");
    await board.until("original().length > 0");
    await board.is("original().filter((text) => !/min|late/.test(text))", []);
    await board.click(".card .main");
    await board.until(`$$(".column")[1].querySelector(".card")`);
    await page.click("#place");
    await page.until(`$("article .now")`);
  });
}
