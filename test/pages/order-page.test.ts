/** The customers' page in a real browser (contract part 7). */

import assert from "node:assert/strict";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import { cardIn, holdBack, openShop, type Shop } from "./shop.ts";
import { keys, type Window } from "./webdriver.ts";

const topping = (name: string) => `[...document.querySelectorAll("#toppings .more")]
  .find((one) => one.textContent.includes("${name}"))`;

async function choose(page: Window, ...toppings: string[]): Promise<void> {
  await page.click("#sizes label:nth-child(3)");
  for (const name of toppings) await page.run(`${topping(name)}.click();`);
}

/** Where the page went after the order was placed: its number. */
function placedNumber(page: Window): Promise<string> {
  return page.until(`document.querySelector("#steps .now")
    && document.querySelector("#number").textContent`);
}

async function orders(shop: Shop): Promise<Record<string, any>[]> {
  return (await shop.forno.call("GET", "/api/orders", { token: shop.forno.staff })).json;
}

test("an order goes from the customer's page to the board and every step comes back", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  const [page, board] = await Promise.all([shop.orderPage(), shop.board()]);
  await choose(page, "Mushrooms", "Mozzarella", "Mozzarella");
  await page.click("#beverages li:nth-child(3) .more");
  assert.equal(await page.run(`return document.querySelector("#summary").innerText`),
    "Large, 14.5 in\nMushrooms\n2× Mozzarella\nChinotto");
  await page.click("#place");
  const number = await placedNumber(page);
  const { placedAt, updatedAt, ...order } = (await orders(shop))[0] ?? {};
  assert.deepEqual(order, {
    id: number,
    pizzaSize: { id: "grande" },
    toppings: [{ id: "funghi" }, { id: "mozzarella" }, { id: "mozzarella" }],
    beverages: [{ id: "chinotto" }],
    status: "Pending",
  });
  assert.equal(updatedAt, placedAt);
  await board.until(cardIn("Pending", number));
  for (const [column, title] of [
    ["Preparing", "Preparing"], ["Ready", "Ready"], ["Out for Delivery", "Out for Delivery"],
  ] as const) {
    await board.click(".card .main");
    await board.until(cardIn(column, number));
    await page.until(`document.querySelector("#steps .now").textContent === "${title}"`);
  }
  await board.click(".card .main");
  await page.until(`document.title.startsWith("Delivered")`);
  assert.deepEqual(await page.complaints(), []);
});

test("an answer about another order changes nothing on the one that is shown", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  await shop.place();
  const page = await shop.orderPage();
  await page.run(`${holdBack("NOBODY")}
    window.goTo = (id) => {
      history.pushState(null, "", "?order=" + id);
      dispatchEvent(new PopStateEvent("popstate"));
    };
    goTo("NOBODY");`);
  await page.until("window.letGo");
  await page.run(`goTo("AAA111")`);
  await page.until(`document.querySelector("#steps .now")`);
  await page.run("letGo()");
  await page.until("window.isTaken");
  assert.ok(await page.run(`return document.querySelector("#steps .now") !== null`));
  assert.match(await page.text(), /The kitchen has your order/);
});

test("what was chosen survives a reload", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  const page = await shop.orderPage();
  await choose(page, "Mushrooms", "Mozzarella", "Mozzarella");
  const summary = `document.querySelector("#summary").innerText`;
  const chosen = await page.run(`return ${summary}`);
  for (let count = 0; count < 5; count += 1) {
    await page.reload();
    await page.until(`document.querySelectorAll("#toppings .chosen").length === 2`);
    assert.equal(await page.run(`return ${summary}`), chosen);
  }
});

test("the order's link survives a reload and works for whoever it is sent to", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  const page = await shop.orderPage();
  await choose(page, "Basil");
  await page.click("#place");
  const number = await placedNumber(page);
  const address = await page.address();
  assert.equal(address, `${shop.forno.origin}/?order=${number}`);
  await page.reload();
  assert.equal(await placedNumber(page), number);
  const friend = await shop.browser.open(address);
  assert.equal(await placedNumber(friend), number);
  assert.match(await friend.text(), /Basil/);
});

test("a token leaves the address at once and is kept for the tab alone", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  const page = await shop.orderPage();
  assert.equal(await page.address(), `${shop.forno.origin}/`);
  assert.equal(await page.run("return JSON.stringify(localStorage).includes('eyJ')"), false);
  await page.reload();
  await choose(page, "Basil");
  await page.click("#place");
  await placedNumber(page);
});

test("without a token the page shows the menu and says how to get one", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  const page = await shop.browser.open(`${shop.forno.origin}/`);
  await page.until(`!document.querySelector("#access").hidden`);
  await page.until(topping("Mushrooms"));
  assert.match(await page.text(), /ask the shop for its order link/);
  await choose(page, "Mushrooms");
  await page.click("#place");
  assert.equal(await page.run("return document.activeElement.id"), "access");
  assert.deepEqual([await orders(shop), await page.complaints()], [[], []]);
});

test("where guests are welcome an order needs no token and is followed all the same", async (t) => {
  const shop = await openShop(t, { GUEST_ORDERS: "on", ORDER_READS: "own" });
  if (shop === undefined) return;
  const page = await shop.browser.open(`${shop.forno.origin}/`);
  await page.until(topping("Mushrooms"));
  await choose(page, "Mushrooms");
  await page.click("#place");
  const number = await placedNumber(page);
  const [token, body] = [shop.forno.staff, { status: "Preparing" }];
  await shop.forno.call("PATCH", `/api/orders/${number}`, { token, body });
  await page.until(`document.querySelector("#steps .now").textContent === "Preparing"`);
  await page.reload();
  await placedNumber(page);
  assert.deepEqual(await page.complaints(), []);
});

test("a token that has run out is dropped and the page reads on without it", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  const old = shop.forno.token({ role: "customer", sub: "carla", exp: 1_700_000_000 });
  const page = await shop.browser.open(`${shop.forno.origin}/#token=${old}`);
  await page.until(topping("Mushrooms"));
  await page.until(`!document.querySelector("#access").hidden`);
  assert.deepEqual(await page.complaints(/ 401 /), []);
});

test("a double click makes one order", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  const page = await shop.orderPage();
  await choose(page, "Mushrooms");
  await page.doubleClick("#place");
  const number = await placedNumber(page);
  assert.deepEqual((await orders(shop)).map(({ id }) => id), [number]);
  assert.deepEqual(await page.complaints(), []);
});

test("an order whose answer was lost is sent again and is there once", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  const page = await shop.orderPage();
  await page.run(`
    const real = fetch;
    window.fetch = async (...request) => {
      const response = await real(...request);
      if (request[1].method !== "POST" || window.lost) return response;
      window.lost = true;
      throw new TypeError("lost on the way");
    };`);
  await choose(page, "Mushrooms");
  await page.click("#place");
  await page.until(`document.querySelector("#place-note").textContent.includes("sent again")`);
  assert.equal(await page.run(`return document.querySelector("#choices").disabled`), true);
  const number = await placedNumber(page);
  assert.deepEqual((await orders(shop)).map(({ id }) => id), [number]);
});

test("an order under way survives a reload, even when the kitchen has begun", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  const page = await shop.orderPage();
  await page.run(`
    const real = fetch;
    window.fetch = (...request) => real(...request).then((response) =>
      request[1].method === "POST" ? new Promise(() => { window.sent = true; }) : response);`);
  await choose(page, "Mushrooms");
  await page.click("#place");
  await page.until("window.sent");
  const [order] = await orders(shop);
  const [path, body] = [`/api/orders/${order?.["id"]}`, { status: "Preparing" }];
  await shop.forno.call("PATCH", path, { token: shop.forno.staff, body });
  await page.reload();
  assert.equal(await placedNumber(page), order?.["id"]);
  assert.equal((await orders(shop)).length, 1);
});

test("an order can be put together and placed by keyboard alone", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  const page = await shop.orderPage();
  await tabTo(page, "input[type=radio]");
  await page.press(keys.space, keys.down);
  await tabTo(page, "#toppings .more");
  await page.press(keys.enter, keys.enter);
  await tabTo(page, "#toppings .less");
  await page.press(keys.space);
  await tabTo(page, "#place");
  await page.press(keys.enter);
  await placedNumber(page);
  const [order] = await orders(shop);
  assert.deepEqual([order?.["pizzaSize"], order?.["toppings"]],
    [{ id: "normale" }, [{ id: "pomodoro" }]]);
});

async function tabTo(page: Window, selector: string): Promise<void> {
  for (let pressed = 0; pressed < 60; pressed += 1) {
    if (await page.run("return document.activeElement.matches(arguments[0])", selector)) return;
    await page.press(keys.tab);
  }
  assert.fail(`Expected Tab to reach ${selector}, got past 60 stops`);
}

test("hostile names are text on both pages", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  const name = `<img src=x onerror="document.title='owned'"><script>1</script>`;
  const body = { id: "cattivo", name, isVegetarian: true, isVegan: false };
  await shop.forno.call("POST", "/api/toppings", { token: shop.forno.staff, body });
  await shop.place({ toppings: [{ id: "cattivo" }] });
  const [page, board] = await Promise.all([shop.orderPage(), shop.board()]);
  await choose(page, "onerror");
  for (const window of [page, board]) {
    await window.until(`document.body.innerText.includes('<img src=x onerror=')`);
    assert.equal(await window.run("return document.querySelectorAll('main img').length"), 0);
    assert.deepEqual(await window.complaints(), []);
  }
});

for (const scheme of ["light", "dark"]) {
  test(`on a narrow phone nothing scrolls sideways and targets are large, ${scheme}`, async (t) => {
    const shop = await openShop(t);
    if (shop === undefined) return;
    await shop.place({ id: "a-rather-long-identifier-that-somebody-chose-for-an-order-of-theirs" });
    const view = { width: 360, height: 740, media: { "prefers-color-scheme": scheme } };
    for (const window of await Promise.all([shop.orderPage(view), shop.board(view)])) {
      assert.equal(await window.run("return document.documentElement.scrollWidth"), 360);
      assert.deepEqual(await window.run(smallTargets), []);
      assert.deepEqual(await window.run(paleTexts), []);
    }
  });
}

const smallTargets = `return [...document.querySelectorAll("button, summary, a, label")]
  .filter((one) => one.checkVisibility())
  .map((one) => [one.textContent, one.getBoundingClientRect()])
  .filter(([, { width, height }]) => width < 44 || height < 44).map(([text]) => text);`;

/**
 * Texts below WCAG's contrast of 4.5 (or 3, where large) against the colour painted behind
 * them.
 */
const paleTexts = `
  const rgba = (colour) => {
    const canvas = new OffscreenCanvas(1, 1).getContext("2d");
    canvas.fillStyle = colour;
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
  const light = (colour) => colour.slice(0, 3)
    .map((value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
    .reduce((sum, value, at) => sum + value * [0.2126, 0.7152, 0.0722][at], 0);
  return [...document.querySelectorAll("body *")].filter((one) => one.checkVisibility()
    && !one.closest(".unseen") && [...one.childNodes].some(({ nodeType, data }) =>
      nodeType === 3 && data.trim() !== "")).filter((one) => {
    const { color, fontSize, fontWeight } = getComputedStyle(one);
    const pixels = parseFloat(fontSize);
    const large = pixels >= 24 || (pixels >= 18.66 && fontWeight >= 700);
    const [a, b] = [light(rgba(color)), light(behind(one))].sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05) < (large ? 3 : 4.5);
  }).map((one) => one.outerHTML.slice(0, 120));`;

test("both pages together are under 60 kB, and nothing of them comes from elsewhere", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  const sizes = new Map<string, number>();
  for (const window of await Promise.all([shop.orderPage(), shop.board()])) {
    const loaded = await window.run<[string, number][]>(`return [
      ...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource"),
    ].map(({ name, decodedBodySize }) => [name, decodedBodySize]);`);
    for (const [name, bytes] of loaded) {
      const { origin, pathname } = new URL(name);
      assert.equal(origin, shop.forno.origin);
      if (!/^\/(api|healthz)/.test(pathname)) sizes.set(pathname, bytes);
    }
  }
  assert.ok(sizes.has("/pages/order-page.js") && sizes.has("/pages/board.css"));
  const total = [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
  assert.ok(total < 60_000, `Expected less than 60000 bytes, got ${total}`);
});

test("nothing moves for those who ask for less motion", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  await shop.place();
  const url = `${shop.forno.origin}/?order=AAA111`;
  const glows = "return document.getAnimations().length > 0";
  const page = await shop.browser.open(url);
  await placedNumber(page);
  assert.equal(await page.run(glows), true);
  const calm = await shop.browser.open(url, { media: { "prefers-reduced-motion": "reduce" } });
  await placedNumber(calm);
  assert.equal(await calm.run(glows), false);
});

test("the page works under a path of a proxy", async (t) => {
  const shop = await openShop(t);
  if (shop === undefined) return;
  const origin = await proxyUnder(t, "/forno", shop.forno.port);
  const page = await shop.browser.open(`${origin}/forno/#token=${shop.forno.customer}`);
  await page.until(topping("Mushrooms"));
  await choose(page, "Mushrooms");
  await page.click("#place");
  const number = await placedNumber(page);
  assert.equal(await page.address(), `${origin}/forno/?order=${number}`);
  const board = await shop.browser.open(`${origin}/forno/board#token=${shop.forno.staff}`);
  await board.until(cardIn("Pending", number));
  assert.deepEqual(await page.complaints(), []);
});

async function proxyUnder(t: TestContext, path: string, port: number): Promise<string> {
  const proxy = createServer((incoming, outgoing) => {
    const { url = "", method, headers } = incoming;
    if (!url.startsWith(`${path}/`)) {
      outgoing.writeHead(404).end();
      return;
    }
    const onward = request({ port, method, headers, path: url.slice(path.length) }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on("error", () => outgoing.destroy());
    outgoing.on("close", () => onward.destroy());
    incoming.pipe(onward);
  });
  t.after(() => {
    proxy.close();
    proxy.closeAllConnections();
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  // A TCP server's address is one.
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}
