/**
 * Entry of the order page (contract part 7): loads, draws, and follows the shop. `?group=K7QX3M`
 * shows the orders of that number; without it there is the menu. `?for=Table 7` says where it is.
 */

import { readGuestOrders, readMenu } from "../shared/api.ts";
import { nameDocument, patch } from "../shared/dom.ts";
import { listenForLinks, signInByToken, tokenIn } from "../shared/links.ts";
import { showLook } from "../shared/look.ts";
import { guardPresses } from "../shared/presses.ts";
import { claims, refusedSignIn, session, token } from "../shared/session.ts";
import { follow } from "../shared/stream.ts";
import { withMenu } from "./events.ts";
import { applyChanges, followAddress, readOrders } from "./following.ts";
import { closeBasket, focusSizes } from "./navigation.ts";
import { isMenuShown, isSending, isStaff } from "./state.ts";
import { drawNow, onChange, set, state, until } from "./store.ts";
import { documentTitle, view } from "./view.ts";

const root = document.querySelector("#page") ?? document.body;

function draw(): void {
  showLook(state().menu.shop);
  patch(root, view(state()));
  nameDocument(documentTitle(state()));
}

async function load(isMenuDue: boolean): Promise<void> {
  const [menu = state().menu, guestOrders] = await Promise.all([
    isMenuDue ? readMenu() : undefined, readGuestOrders(), readOrders(),
  ]);
  const { isLoaded } = state();
  set({ ...withMenu(state(), menu), guestOrders, isLoaded: true });
  // Staff are about to write down a call.
  if (!isLoaded && isStaff(state()) && isMenuShown(state())) {
    drawNow();
    focusSizes();
  }
}

function noteConnection(): void {
  set({ isOffline: !navigator.onLine });
}

guardPresses();
listenForLinks(async (link) => {
  await until((now) => !isSending(now));
  return signInByToken(tokenIn(link));
});
addEventListener("keydown", (event) => {
  if (event.key === "Escape") closeBasket();
  if (event.key !== "Enter" || event.isComposing) return;
  const field = event.target as HTMLElement;
  // A note has no lines: Enter closes the keyboard of a phone.
  if (field.matches(".order :is(textarea, input)")) {
    event.preventDefault();
    field.blur();
  }
});
// A step back may only fold the order: the browser would scroll then.
history.scrollRestoration = "manual";
addEventListener("popstate", followAddress);
for (const event of ["online", "offline"]) addEventListener(event, noteConnection);
const signedIn = { token: token() };
session.addEventListener("change", () => {
  // Another person may see other orders, and a device that was removed none.
  const isKept = token() === signedIn.token && refusedSignIn()?.reason !== "removed";
  signedIn.token = token();
  set({
    claims: claims(), refused: refusedSignIn(),
    ...isKept ? {} : { orders: new Map(), isAddressKnown: false },
  });
});

draw();
onChange(draw);
void follow({
  load,
  apply: applyChanges,
  forget: () => { set({ orders: new Map(), isAddressKnown: false }); },
  connected: () => {
    const { lostAt, isOffline } = state();
    if (lostAt !== undefined || isOffline) set({ lostAt: undefined, isOffline: false });
  },
  lost: (lostAt) => { set({ lostAt }); },
});
