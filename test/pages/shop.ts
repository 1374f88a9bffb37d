/** A shop for the pages' tests: a server, orders to fill it with, and the two pages' links. */

import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { type Client, startForno } from "../helpers/forno.ts";
import { findBrowser, type Browser, type View, type Window } from "./browser.ts";

export type Shop = ReturnType<typeof shopOf>;
type Env = Readonly<Record<string, string>>;
type Act = (shop: Shop, t: TestContext) => Promise<void>;

/** A test in a shop of its own, skipped where there is no browser. `env`: the shop's settings. */
export function shopTest(name: string, act: Act): void;
export function shopTest(name: string, env: Env, act: Act): void;
export function shopTest(name: string, ...rest: [Act] | [Env, Act]): void {
  const [env, act] = rest.length === 1 ? [{}, ...rest] : rest;
  test(name, async (t) => {
    const browser = findBrowser(t);
    if (browser === undefined) return;
    await act(shopOf(await startForno(t, { env }), browser), t);
    assert.deepEqual(browser.faults, []);
  });
}

export function shopOf(forno: Client, browser: Browser) {
  const { origin, staff, customer, token } = forno;
  const read = async (path: string): Promise<any> =>
    (await forno.call("GET", path, { token: forno.owner })).json;
  return {
    forno,
    browser,
    /** The order page, signed in as the customer carla. */
    async orderPage(view?: View): Promise<Window> {
      const page = await browser.open(`${origin}/#token=${customer}`, view);
      await page.until(`$(".tiles li")`);
      return page;
    },
    /** The board, signed in as the staff's rosa or with these claims, with the orders there are. */
    async board(view?: View, claims?: Record<string, unknown>): Promise<Window> {
      const board = claims === undefined ? staff : token(claims);
      const page = await browser.open(`${origin}/board#token=${board}`, view);
      // Once the shop has said whether it accepts the link, or the board that it is none.
      await page.until(`(localStorage.getItem("/board-token") !== null
        || $("#link-fault")?.textContent || $("dialog"))
        && ($("#link") || $(".badge-number")?.textContent)`);
      return page;
    },
    /** Changes what the shop can do now. */
    async change(body: Record<string, unknown>): Promise<void> {
      await forno.write("PATCH", "/api/shop", body);
    },
    /** Places orders as carla, not by the page: their ids, or what differs from a plain one. */
    async place(...orders: (string | Record<string, unknown>)[]): Promise<void> {
      for (const order of orders) {
        const body = { ...plain, ...typeof order === "string" ? { id: order } : order };
        const answer = await forno.call("POST", "/api/orders", { token: customer, body });
        assert.equal(answer.status, 201, answer.text);
      }
    },
    /** Changes an order as rosa, not by the board. */
    async update(id: string, changes: Record<string, unknown>): Promise<void> {
      await forno.write("PATCH", `/api/orders/${id}`, changes);
    },
    /** Reads a path as the owner of the shop. */
    read,
    async statusOf(id: string): Promise<string> {
      return (await read(`/api/orders/${id}`)).status;
    },
    /** Adds a device, not by the board: what makes a token its own. */
    async device(name: string, role = "staff") {
      const body = { name, role, expires: "1d" };
      const { json } = await forno.call("POST", "/api/devices", { token: forno.owner, body });
      return { role, sub: name, device: json.id };
    },
  };
}

const plain = {
  id: "AAA111",
  pizzaSize: { id: "grande" },
  toppings: [{ id: "funghi" }, { id: "mozzarella" }, { id: "mozzarella" }],
  beverages: [{ id: "chinotto" }],
  status: "Pending",
};

/** The card or the row of that name, or an element on it: an expression for the page. */
export function cardOf(name: string, selector = ""): string {
  return cardAmong("", name, selector);
}

type Stage = "New" | "Making" | "Ready" | "On the way" | "Later";

/** The same, where the order is that far: of those to make, a new one can be started. */
export function cardIn(stage: Stage, name: string, selector = ""): string {
  return cardAmong(`&& one.closest("section").querySelector("h2").firstChild.textContent.replace(
    "To make", /^Start/.test(one.querySelector(".move-button")?.textContent) ? "New" : "Making")
    === "${stage}"`, name, selector);
}

function cardAmong(condition: string, name: string, selector: string): string {
  const card = `$$("#orders article:not([inert])").find((one) =>
    one.ariaLabel === ${JSON.stringify(name)} ${condition})`;
  return selector === "" ? card : `${card}?.querySelector(${JSON.stringify(selector)})`;
}

/** The row of a pizza on the card of that name, a button once it is being made. */
export function rowOf(name: string, pizza: string): string {
  return `[...${cardOf(name)}?.querySelectorAll("li .pizza") ?? []].find((one) =>
    one.querySelector("p").innerText.includes(${JSON.stringify(pizza)}))`;
}

/** All that stands on the card of that name, in one line. */
export function textOf(name: string): string {
  return `${cardOf(name)}?.innerText.replace(/\\s+/g, " ")`;
}

/** The lines of what was pressed, with their Undo. */
export const undoLines = `texts(".undo p")`;

/** Places pizzas of one order, by name: P1, P2 … */
export async function placeWhole(
  shop: Shop, fields: object, ...pizzas: readonly string[]
): Promise<void> {
  await shop.place(...pizzas.map((pizza, index) =>
    ({ id: `P${index + 1}`, group: "K7QX3M", pizza, beverages: [], ...fields })));
}

/** A script: the boxes of the board's controls in sight, by name. */
export const controlBoxes = `return Object.fromEntries($$("button, a, input")
  .filter((one) => one.checkVisibility({ visibilityProperty: true }))
  .map((one) => [one.ariaLabel ?? one.textContent, one.getBoundingClientRect()])
  .filter(([, { top, bottom }]) => top >= 0 && bottom <= innerHeight)
  .map(([name, { x, y, width, height }]) => [name, [x, y, width, height].map(Math.round)]));`;

/** For `intercept`: waits until the test calls `letGo()` in the page. */
export const held = "await new Promise((resolve) => { window.letGo = resolve; });";
