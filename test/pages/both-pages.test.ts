/** Both pages are safe, small and readable, and work under any path (contract part 7). */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../helpers/readme.ts";
import { topping as sample } from "../helpers/samples.ts";
import { choose, order, topping } from "./customer.ts";
import { keys, words as headings } from "./browser.ts";
import { startProxy } from "./proxy.ts";
import { cardIn, cardOf, shopTest } from "./shop.ts";

shopTest("hostile names are text on both pages", async (shop) => {
  const name = `<img src=x onerror="document.title='owned'"><script>1</script>`;
  await shop.forno.write("POST", "/api/toppings", sample({ id: "cattivo", name }));
  await shop.place({ toppings: [{ id: "cattivo" }] });
  const [page, board] = await Promise.all([shop.orderPage(), shop.board()]);
  await choose(page, "onerror");
  for (const window of [page, board]) {
    await window.until(`document.body.innerText.includes('<img src=x onerror=')`);
    await window.is(`$("main img")`, null);
  }
});

shopTest("on a narrow phone nothing scrolls sideways, targets are large, and no text is pale",
  async (shop) => {
    const id = "a-rather-long-identifier-that-somebody-chose-for-an-order-of-theirs";
    await shop.place(id);
    const view = { width: 360, height: 740 };
    for (const window of [await shop.orderPage(view), await shop.board(view)]) {
      await window.is("document.documentElement.scrollWidth", 360);
      assert.deepEqual(await window.run(smallTargets), []);
      for (const value of ["light", "dark"]) {
        await window.emulateMedia({ "prefers-color-scheme": value });
        // Colors fade, and so does the head of a new card: only the last ones count.
        await window.until("document.getAnimations().every((one) => one.playState === 'finished')");
        assert.deepEqual(await window.run(paleTexts), [], value);
      }
    }
  });

/** A dot of a pixel. */
const dot = "data:image/png;base64," +
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==";

/** Every logo that the page has shown, and the tab's. */
const logos = `[...new Set([...window.logos, $("link[rel=icon]").href])]`;
const noteLogos = `window.logos = [];
new MutationObserver(() => {
  const logo = document.querySelector("#page img")?.src;
  if (logo) window.logos.push(logo);
}).observe(document, { subtree: true, childList: true, attributes: true });`;

shopTest("both pages have the shop's color and logo from the start, and take new ones",
  async (shop) => {
    const colors = `(({ backgroundColor, color }) => [backgroundColor, color])(
      getComputedStyle($(".act")))`;
    await shop.change({ color: "#f2c230", logo: dot });
    const [page, board] = await Promise.all([
      shop.orderPage({ before: noteLogos }), shop.board({ before: noteLogos }),
    ]);
    for (const window of [page, board]) await window.is(logos, [dot]);
    await choose(page, "Basil");
    await page.is(colors, ["rgb(242, 194, 48)", "rgb(0, 0, 0)"]);
    assert.deepEqual(await page.run(paleTexts), []);
    await shop.change({ color: "#0a5c8c", logo: null });
    await page.is(colors, ["rgb(10, 92, 140)", "rgb(255, 255, 255)"]);
    for (const window of [page, board]) {
      await window.is(`$("#page img").src.endsWith("/icon.svg")`, true);
      await window.is(`$("link[rel=icon]").href.endsWith("/icon.svg")`, true);
    }
    await shop.change({ color: null });
    await page.is(colors, ["rgb(179, 38, 26)", "rgb(255, 255, 255)"]);
  });

/** Parts of a dialog, or of the page, that stick out of the window. */
const spilled = `$$("dialog, dialog *, main :is(button, input)").filter((one) => {
  const { left, right, width } = one.getBoundingClientRect();
  return width > 0 && !one.closest(".unseen") && (left < -1 || right > $("html").clientWidth + 1);
}).map((one) => one.outerHTML.slice(0, 120))`;

/** The button in front whose name begins so. */
const buttonOf = (start: string): string => `seen("button").find((one) =>
  one.closest("dialog") === $("dialog") && (one.ariaLabel ?? one.textContent).trim()
    .startsWith(${JSON.stringify(start)}))`;

shopTest("nothing on the board sticks out, and no word is broken, narrow and in large text",
  async (shop) => {
    const plain = { pizzaSize: { id: "grande" }, toppings: [], beverages: [] };
    for (const [at, status] of ["Pending", "Preparing", "Ready", "Out for Delivery"].entries()) {
      // About as wide as a number gets.
      await shop.forno.write("POST", "/api/orders", {
        id: `WMWMW${at}`, status, ...at === 0 && { table: "Kastanienlaube" }, ...plain,
      });
    }
    const board = await shop.board({}, await shop.device("Tablet at the pass", "owner"));
    const page = [[320, "100%"], [700, "100%"]] as const;
    const dialog = [[320, "100%"], [390, "200%"]] as const;
    const more = `$("article .more-button")`;
    // Widths and sizes of text to look at, after presses on buttons or expressions, in turn.
    const ways = [
      [dialog, "Menu", "Add a pizza"], [page, "Tables"], [dialog, "Tables", more], [page, "Done"],
      [page, "Menu"], [page, "Orders"], [dialog, more], [dialog, more, "Change"],
      [page, "Ready"], [dialog, "Ready", cardOf("WMWMW2", ".row-text-button")],
      [page, "Orders", "Search"], [dialog, "Settings", "Shop"], [dialog, "Settings"],
      [dialog, "Settings", "Table cards"], [dialog, "Settings", "Devices"],
      [dialog, "Settings", "Devices", "Add a device"],
    ] as const;
    // The longest words, and those that go from right to left.
    for (const language of ["de", "ar"]) {
      const words = JSON.parse(readFileSync(join(root, `data/words/${language}.json`), "utf8"));
      await board.resize(390, 844);
      await board.speak(language);
      await board.reload();
      await board.is(`$$(".card").length`, 2);
      await board.is(`(([first, second]) => first > second)($$(".tab").map((one) =>
        one.getBoundingClientRect().x))`, language === "ar", "the first is on the right");
      for (const [sizes, ...way] of ways) {
        for (const step of way) await board.tapOn(step in words ? buttonOf(words[step]) : step);
        for (const [width, text] of sizes) {
          await board.resize(width, 844, text);
          const about = `${language}, ${way}, ${width} px, ${text}`;
          if (sizes === dialog) await board.until(`$("dialog")`);
          assert.deepEqual(await board.run(`return ${spilled}`), [], about);
          const selector = `${headings}, dialog span, :is(h2, h3) bdi`;
          assert.deepEqual(await board.brokenWords(selector), [], about);
        }
        await board.resize(390, 844);
        await board.press(keys.escape);
      }
    }
  });

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

shopTest("only what has changed falls back from a browser's translation", async (shop) => {
  const page = await shop.orderPage({ before: translation });
  await choose(page, "Basil");
  await page.run("translate.replace();");
  await page.is("original()", []);
  await page.run(`${topping("BASIL")}.click();`);
  await page.until("original().length > 0");
  const changed = await page.run<string[]>("return original()");
  assert.deepEqual(changed.filter((text) => !/Basil|toppings/.test(text)), [], "what is chosen");
  await shop.change({ notice: "Try the new oven." });
  await page.until("original().includes('Try the new oven.')");
  await page.is("original().filter((text) => !/Basil|toppings|oven/.test(text))", []);
  await page.run("translate.replace();");
  await page.click("#place");
  await page.until(`$("article .now")`);
  await shop.place("AAA111");
  const board = await shop.board({ before: translation });
  await board.until(cardIn("New", "AAA111"));
  await board.run(`translate.write();
    document.title = "KITCHEN";`);
  const before = await board.run("return document.body.innerText");
  await board.run("letPass(5000);");
  await board.painted();
  await board.is("[original(), document.title]", [[], "KITCHEN"]);
  await board.is("document.body.innerText", before);
  await board.run("letPass(1_000_000);");
  await board.until("original().length > 0");
  await board.is("original().filter((text) => !/min|late/.test(text))", []);
  await board.click(".card .move-button");
  await board.until(`$(".card button.pizza")`);
});

shopTest("a browser of early 2023 is new enough, as on the old tablet of a kitchen",
  async (shop) => {
    await shop.place();
    const before = `for (const [owner, ...names] of [
      [String.prototype, "isWellFormed", "toWellFormed"], [Promise, "withResolvers", "try"],
      [Object, "groupBy"], [Map, "groupBy"], [Array, "fromAsync"], [URL, "parse", "canParse"],
      [AbortSignal, "any"], [Set.prototype, "union", "intersection", "difference", "isSubsetOf"],
      [Iterator.prototype, "map", "filter", "some", "find", "toArray"],
    ]) for (const name of names) delete owner[name];`;
    const page = await shop.browser.open(`${shop.forno.origin}/#token=${shop.forno.customer}`,
      { before });
    const number = await order(page, "Mushrooms");
    const board = await shop.board({ before });
    await board.until(cardIn("New", number));
    for (const name of ["Done", "Menu", "Settings"]) await board.tap(name);
    await board.until(`$("dialog .settings")`);
  });

shopTest("a page that is never drawn says after five seconds which browsers it needs",
  async (shop) => {
    for (const path of ["/", "/board"]) {
      const window = await shop.browser.open("about:blank");
      await window.devtools("Network.enable");
      await window.devtools("Network.setBlockedURLs", { urls: ["*.js"] });
      await window.go(shop.forno.origin + path);
      const sentence = `seen(".too-old").map((one) => one.innerText.trim().slice(0, 17))`;
      await window.is(sentence, []);
      await window.run("for (const one of document.getAnimations()) one.currentTime = 5000;");
      await window.is(sentence, ["Nothing here yet?"]);
    }
  });

const smallTargets = `return $$("button, summary, a, label")
  .filter((one) => one.checkVisibility())
  .map((one) => [one.textContent, one.getBoundingClientRect()])
  .filter(([, { width, height }]) => width < 44 || height < 44).map(([text]) => text);`;

/**
 * Texts below WCAG's contrast of 4.5 (or 3, where large) against the color painted behind
 * them.
 */
const paleTexts = `
  const rgba = (color) => {
    const canvas = new OffscreenCanvas(1, 1).getContext("2d");
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].map((value) => value / 255);
  };
  const behind = (element) => {
    if (element === null) return rgba("Canvas");
    const [r, g, b, a] = rgba(getComputedStyle(element).backgroundColor);
    if (a === 1) return [r, g, b];
    const below = behind(element.parentElement);
    return [r, g, b].map((value, at) => value * a + below[at] * (1 - a));
  };
  const light = (color) => color.slice(0, 3)
    .map((value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
    .reduce((sum, value, at) => sum + value * [0.2126, 0.7152, 0.0722][at], 0);
  return $$("body *").filter((one) => one.checkVisibility()
    && !one.closest(".unseen") && [...one.childNodes].some(({ nodeType, data }) =>
      nodeType === 3 && data.trim() !== "")).filter((one) => {
    const { color, fontSize, fontWeight } = getComputedStyle(one);
    const pixels = parseFloat(fontSize);
    const large = pixels >= 24 || (pixels >= 18.66 && fontWeight >= 700);
    const [a, b] = [light(rgba(color)), light(behind(one))].sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05) < (large ? 3 : 4.5);
  }).map((one) => one.outerHTML.slice(0, 120));`;

const shifted = `new Promise((resolve) => {
  new PerformanceObserver((list) => {
    resolve(list.getEntries().reduce((sum, { value }) => sum + value, 0));
  }).observe({ type: "layout-shift", buffered: true });
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(0)));
})`;

shopTest("a page is light, 52 KiB and the board 68, and next to nothing shifts while it comes up",
  async (shop) => {
    await shop.change({ notice: "Try the new oven." });
    await shop.place("AAA111");
    // Arabic words weigh most.
    const view = { width: 390, height: 844, language: "ar" };
    for (const [window, mostKiB] of [
      [await shop.orderPage(view), 52], [await shop.board(view), 68],
    ] as const) {
      assert.ok((await window.run<number>(`return ${shifted}`)) < 0.02);
      // With headers; a file that the browser asks for twice comes once over the wire.
      const loaded = await window.run<[string, number][]>(`return [
        ...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource"),
      ].map(({ name, transferSize }) => [name, transferSize]);`);
      for (const [name] of loaded) assert.equal(new URL(name).origin, shop.forno.origin);
      const files = loaded.filter(([name]) => !/^\/(api|healthz)/.test(new URL(name).pathname));
      const total = files.reduce((sum, [, bytes]) => sum + bytes, 0);
      assert.ok(files.length > 4 && total <= mostKiB * 1024,
        `${total} bytes: ${JSON.stringify(files)}`);
    }
  });

shopTest("the page works under a path of a proxy", async (shop, t) => {
  // It is not found, whatever the page asks for elsewhere.
  const { origin } = await startProxy(t, shop.forno.port, ({ url = "" }, _, sendOn) => {
    sendOn(url.startsWith("/forno/") ? url.slice("/forno".length) : "/outside");
  });
  const page = await shop.browser.open(`${origin}/forno/#token=${shop.forno.customer}`);
  await page.until(topping("Mushrooms"));
  const number = await order(page, "Mushrooms");
  await page.is("location.href", `${origin}/forno/?group=${number}`);
  const board = await shop.browser.open(`${origin}/forno/board#token=${shop.forno.staff}`);
  await board.until(cardIn("New", number));
});

/** The frames of such elements, chosen and others, without their colors. */
const frames = `const [all, chosen] = arguments;
  const framesOf = (wanted) => new Set($$(all).filter((one) => one.matches(chosen) === wanted)
    .map(getComputedStyle).map(({ borderTopStyle, borderTopWidth }) =>
      borderTopStyle + " " + borderTopWidth));
  return [[...framesOf(true)], [...framesOf(false)]];`;

shopTest("in forced colors, a frame of its own shows what is chosen", async (shop) => {
  const [page, board] = [await shop.orderPage(), await shop.board()];
  await choose(page, "Mushrooms");
  for (const [window, all, chosen] of [
    [page, ".sizes label", ".chosen"], [page, ".tile", ".chosen"],
    [board, ".top .tab", "[aria-current]"],
  ] as const) {
    await window.emulateMedia({ "forced-colors": "active" });
    const [own, others] = await window.run<[string[], string[]]>(frames, all, chosen);
    assert.deepEqual([own.length, others.length], [1, 1], all);
    assert.notDeepEqual(own, others, all);
  }
});
