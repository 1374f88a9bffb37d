/**
 * Entry of the staff's board (contract part 7): joins the live stream, the cards and the tabs, and
 * says who is signed in, or that nobody is.
 */

import {
  claims, dropToken, isRefusal, isStaff, serverNow, session, signInWith, token, tokenIn,
} from "./api.ts";
import { closedChanged, showClosed } from "./closed.ts";
import { showColumns } from "./columns.ts";
import { chimeFor, device, dropSecondTaps } from "./device.ts";
import { ask, byId, onClick, part, setText } from "./dom.ts";
import {
  kitchen, loadOrders, ordersShown, removeOrder, showAges, showItems, takeOrder,
} from "./kitchen.ts";
import { showMenuTab } from "./menu-tab.ts";
import { changeMenu, loadMenu, shop } from "./model.ts";
import type { Order } from "./model.ts";
import { follow } from "./stream.ts";
import type { Change } from "./stream.ts";
import { clock, day, t } from "./words.ts";

const tabs = ["orders", "closed", "menu"];
const [hour, dayLong] = [3600, 24 * 3600];
/** Whether the service has told all open orders since the page or the sign-in began. */
let areKnown = false;
let isLoading = true;
let why = "";

function ordersChanged(): void {
  const orders = ordersShown();
  // Signed out, nobody here can tell that there are none.
  showColumns(orders, !isStaff() ? "?" : isLoading ? "…" : areKnown ? "0" : "?");
  showTitle();
  chimeFor(pendingOrders());
  showSession();
}

function pendingOrders(): number {
  return ordersShown().filter(({ status }) => status === "Pending").length;
}

function showTitle(): void {
  const pending = pendingOrders();
  const title = t("{shop}: kitchen", { shop: shop.name });
  document.title = pending > 0 ? `(${pending}) ${title}` : title;
  setText(part("waiting"), pending > 0 ? String(pending) : "");
}

function showShop(): void {
  const { name, isOpen, notice } = shop;
  setText(part("shop-name"), name);
  const state = isOpen ? t("Open") : t("Closed to customers");
  setText(part("shop-state"), notice === "" ? state : `${state} · ${notice}`);
  part("shop-state").classList.toggle("shut", !isOpen);
  showTitle();
}

function menuChanged(): void {
  showShop();
  showMenuTab();
  showItems();
}

async function load(): Promise<void> {
  // A later load has begun, and sees to the orders too.
  if (!(await loadMenu())) return;
  menuChanged();
  try {
    await loadOrders();
    areKnown = true;
    why = "";
  } catch (fault) {
    // Not lost but refused: ORDER_READS asks for a sign-in. What was there stays, greyed.
    if (!isRefusal(fault, 401)) throw fault;
    areKnown = false;
  }
  isLoading = false;
  ordersChanged();
}

async function changed(change: Change): Promise<void> {
  if (changeMenu(change)) return menuChanged();
  if (change.event === "orders.deleted") removeOrder(change.data.id);
  // Every other event of orders carries the whole order (contract part 6).
  else await takeOrder(change.data as Order);
  if (!part("closed").hidden) await closedChanged(change.data.id);
}

/** The service decides what a sign-in may do; this only puts buttons away that it would refuse. */
function showSession(): void {
  const isSignedIn = isStaff();
  document.body.classList.toggle("signed-out", !isSignedIn);
  part("access").hidden = isSignedIn;
  part("sign-out").hidden = !isSignedIn;
  setText(part("access-why"), why);
  const bar = isSignedIn ? endsSoon() : waiting();
  setText(part("sign-in-bar"), bar);
  part("sign-in-bar").hidden = bar === "";
}

function waiting(): string {
  const count = ordersShown().length;
  if (count > 0) return t("Signed out: {count} orders may be waiting", { count });
  return areKnown ? t("Signed out") : t("Signed out: orders may be waiting");
}

/** An hour before its end; a day, where it lasts a week or longer. */
function endsSoon(): string {
  const now = serverNow() / 1000;
  const { exp = Infinity, iat = now } = claims() ?? {};
  const isLong = exp - iat >= 7 * dayLong;
  if (exp - now > (isLong ? dayLong : hour)) return "";
  const end = new Date(exp * 1000);
  return isLong ? t("The sign-in ends on {day}: have a new sign-in link ready.", { day: day(end) })
    : t("The sign-in ends at {time}: have a new sign-in link ready.", { time: clock(end) });
}

function sessionChanged(): void {
  // With a customer's, the service may tell no other orders: the board would take that for none.
  if (token() !== null && !isStaff()) {
    why = t("That was not a sign-in for staff.");
    dropToken();
    return;
  }
  areKnown = false;
  ordersChanged();
}

async function signIn(): Promise<void> {
  const pasted = byId("pasted", HTMLInputElement);
  // Quotes and blanks that came along with it are none of a token's characters.
  const value = (tokenIn(pasted.value.trim()) ?? pasted.value).replaceAll(/[^\w.-]/g, "");
  why = t("That is not a sign-in link of this shop, or it has expired.");
  if (await signInWith(value)) pasted.value = "";
  showSession();
}

async function signOut(): Promise<void> {
  const isMeant = await ask(
    t("Sign this device out? It takes a new sign-in link to work the board again."),
    t("Sign out"), t("Stay signed in"),
  );
  if (!isMeant) return;
  dropToken();
  location.reload(); // What was read with the token goes as well.
}

function showTab(name: string): void {
  for (const tab of tabs) {
    part(tab).hidden = tab !== name;
    part(`show-${tab}`).setAttribute("aria-current", String(tab === name));
  }
  if (name === "closed") void showClosed();
  ordersChanged();
}

for (const tab of tabs) onClick(`show-${tab}`, () => { showTab(tab); });
onClick("sign-out", () => { void signOut(); });
part("sign-in").addEventListener("submit", (event) => {
  event.preventDefault();
  void signIn();
});
session.addEventListener("change", sessionChanged);
device.addEventListener("change", showAges);
kitchen.addEventListener("change", ordersChanged);
for (const id of ["orders", "notices"]) dropSecondTaps(part(id));
setInterval(() => {
  showAges();
  showSession();
}, 5000);
sessionChanged();
void follow(load, changed, 3000);
