/** Entry of the staff's board (contract part 7): joins the live stream, the cards, and the tabs. */

import "./keys.ts";
import { isRefusal } from "./api.ts";
import { chimeFor } from "./chime.ts";
import { showClosed } from "./closed.ts";
import { showCounts } from "./counts.ts";
import { byId, onClick, part, setText } from "./dom.ts";
import {
  kitchen, loadOrders, ordersShown, removeOrder, showAges, showItem, takeOrder,
} from "./kitchen.ts";
import { menuTabChanged, showMenuTab } from "./menu-tab.ts";
import { changeMenu, loadMenu } from "./menu.ts";
import type { Order } from "./order.ts";
import { dropToken, isStaff, session, token, tokenIn } from "./session.ts";
import { follow } from "./stream.ts";
import type { Change } from "./stream.ts";
import { dropSecondTaps } from "./taps.ts";

const tabs = ["orders", "closed", "menu"];
const title = document.title;
const amounts = [...document.querySelectorAll(".amount")];

function ordersChanged(): void {
  const orders = ordersShown();
  for (const amount of amounts) {
    setText(amount, String(amount.closest(".column")?.querySelector("ol")?.childElementCount));
  }
  const pending = orders.filter(({ status }) => status === "Pending").length;
  document.title = pending > 0 ? `(${pending}) ${title}` : title;
  chimeFor(pending);
  showCounts(orders);
}

async function load(): Promise<void> {
  // A later load has begun, and sees to the orders too.
  if (!(await loadMenu())) return;
  showMenuTab();
  await loadOrders().catch((fault) => {
    if (!isRefusal(fault, 401)) throw fault;
    // Not lost but refused: ORDER_READS asks for a sign-in, and the panel says so already.
    for (const { id } of ordersShown()) removeOrder(id);
  });
}

async function changed(change: Change): Promise<void> {
  const menuChange = changeMenu(change);
  if (menuChange !== undefined) {
    if (menuChange.kind !== "shop") menuTabChanged(menuChange.kind, menuChange.before);
    showItem(change.data.id);
  } else if (change.event === "orders.deleted") removeOrder(change.data.id);
  // Every other event of orders carries the whole order (contract part 6).
  else await takeOrder(change.data as Order);
}

/** The service decides what a sign-in may do; this only puts buttons away that it would refuse. */
function showSession(): void {
  document.body.classList.toggle("read-only", !isStaff());
  part("access").hidden = isStaff();
  part("sign-out").hidden = token() === null;
  setText(part("access-why"), token() === null
    ? "Nobody is signed in here, or the sign-in has ended."
    : "This sign-in is not a staff sign-in.");
  if (!isStaff()) part("pasted").focus();
}

function showTab(name: string): void {
  for (const tab of tabs) {
    part(tab).hidden = tab !== name;
    part(`show-${tab}`).setAttribute("aria-current", String(tab === name));
  }
  if (name === "closed") void showClosed();
}

for (const tab of tabs) onClick(`show-${tab}`, () => { showTab(tab); });
onClick("sign-out", () => {
  dropToken();
  location.reload(); // What was read with the token goes as well.
});
part("sign-in").addEventListener("submit", (event) => {
  event.preventDefault();
  const pasted = byId("pasted", HTMLInputElement).value.trim();
  // Quotes and blanks that came along with it are none of a token's characters.
  location.hash = `token=${(tokenIn(pasted) ?? pasted).replaceAll(/[^\w.-]/g, "")}`;
});
session.addEventListener("change", showSession);

for (const id of ["orders", "notices"]) dropSecondTaps(part(id));
showSession();
kitchen.addEventListener("change", ordersChanged);
setInterval(showAges, 5000);
void follow(load, changed, 3000);
