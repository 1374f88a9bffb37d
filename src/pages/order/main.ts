/**
 * Entry of the order page (contract part 7): loads, carries out what is pressed, and follows the
 * shop. `?order=ID`, once or several times, shows those orders; without it there is the menu.
 * `?for=tavolo-7` puts a name before the ids.
 */

import { read } from "../shared/api.ts";
import { ask, listen, patch } from "../shared/dom.ts";
import { nameOf, readMenu } from "../shared/menu.ts";
import { session } from "../shared/session.ts";
import { follow } from "../shared/stream.ts";
import { t } from "../shared/words.ts";
import {
  basketLike, chosenOf, type ExtraKind, isEmpty, isForgotten, isSending, withAnotherPizza,
  withCurrent, withExtra, withOnly,
} from "./basket.ts";
import { askToNotify, readOrders, route, tellNews } from "./orders.ts";
import { goToSizes, placeOrder, sendOrders } from "./placing.ts";
import { apply, canOrder, type Diet, type State, withMenu } from "./state.ts";
import { onChange, set, setBasket, state } from "./store.ts";
import { ordersShown } from "./ticket.ts";
import { foundCount, titleOf, view } from "./view.ts";

const root = document.querySelector("#page") ?? document.body;

function draw(): void {
  patch(root, view(state()));
  document.title = titleOf(state());
}

async function load(): Promise<void> {
  const [menu, guests] = await Promise.all([readMenu(), readGuests(), readOrders()]);
  const isFirst = !state().isLoaded;
  set({ ...withMenu(state(), menu), guests, isLoaded: true });
  // A reload came in between.
  if (isFirst && isSending(state().basket)) void sendOrders();
}

/** The index says whether guests may order. */
async function readGuests(): Promise<boolean> {
  const { data } = await read<{ readonly guestOrders: boolean }>("api");
  return data.guestOrders;
}

/** `of`: "toppings funghi". */
function change(of: string, by: 1 | -1): void {
  const { basket, menu } = state();
  const [kind, id = ""] = of.split(" ") as [ExtraKind, string];
  if (by > 0 && !canOrder(menu, kind, id)) return;
  const next = withExtra(basket, kind, id, by);
  const count = chosenOf(next, kind).filter((one) => one === id).length;
  setBasket(next);
  set({ announcement: t("{name}: {number}", { name: nameOf(menu, kind, id), number: count }) });
}

function narrow(part: Pick<State, "search"> | Pick<State, "diet">): void {
  set(part);
  set({ announcement: t("{count} found", { count: foundCount(state()) }) });
}

async function remove(at: number): Promise<void> {
  const question = t("Remove pizza {number}?", { number: at + 1 });
  const isMeant = await ask(question, t("Remove"), t("Keep it"));
  // Another tab may have sent it in the meantime.
  if (!isMeant || isSending(state().basket)) return;
  setBasket(withOnly(state().basket, (_, index) => index !== at));
}

/** Begins with the same again, unless something else has been begun. */
function orderAgain(): void {
  const placed = ordersShown(state());
  if (isEmpty(state().basket) && placed.length > 0) set({ basket: basketLike(placed) });
}

listen({
  size: (id, tile) => {
    const { top } = tile.getBoundingClientRect();
    setBasket(withCurrent(state().basket, { size: id }));
    // With the first size the row of pizzas comes in above: the tile stays under the finger.
    queueMicrotask(() => { scrollBy(0, tile.getBoundingClientRect().top - top); });
  },
  add: (of) => { change(of, 1); },
  take: (of) => { change(of, -1); },
  search: (_, field) => { narrow({ search: (field as HTMLInputElement).value }); },
  diet: (of) => { narrow({ diet: of === state().diet ? "" : of as Diet }); },
  another: () => {
    setBasket(withAnotherPizza(state().basket));
    goToSizes();
  },
  turn: (at) => {
    setBasket({ current: Number(at) });
    if (state().isUnfolded) goToSizes();
  },
  remove: (at) => void remove(Number(at)),
  unfold: () => { set({ isUnfolded: !state().isUnfolded }); },
  place: () => void placeOrder(),
  notify: () => void askToNotify(),
  copy: () => {
    navigator.clipboard.writeText(location.href)
      .then(() => { set({ isCopied: true }); }, () => undefined);
  },
  again: orderAgain,
});
addEventListener("keydown", ({ key }) => {
  if (key === "Escape") set({ isUnfolded: false });
});
addEventListener("popstate", route);
session.addEventListener("change", () => { set({}); });
setInterval(() => {
  if (state().lostAt !== undefined) set({});
}, 1000);

if (isForgotten(state().basket)) {
  set({
    basket: { ...state().basket, sentAs: "" },
    note: t("We couldn’t confirm your order. Check it, and order again."),
  });
}
draw();
onChange(draw);
void follow({
  load,
  apply: (changes) => {
    const before = state();
    set(changes.reduce(apply, before));
    tellNews(before);
  },
  found: () => { set({ lostAt: undefined }); },
  lost: (lostAt) => { set({ lostAt }); },
  quietMs: 6000,
});
