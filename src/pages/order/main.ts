/**
 * Entry of the order page (contract part 7): loads, carries out what is pressed, and follows the
 * shop. `?order=ID`, once or several times, shows those orders; without it there is the menu.
 * `?for=Table 7` puts that name before the ids.
 */

import { readGuestOrders } from "../shared/api.ts";
import { ask } from "../shared/dialogs.ts";
import { listen, patch } from "../shared/dom.ts";
import { nameOf, readMenu } from "../shared/menu.ts";
import { session } from "../shared/session.ts";
import { follow } from "../shared/stream.ts";
import { t } from "../shared/words.ts";
import {
  chosenOf, type ExtraKind, noteOf, withAnother, withCurrent, withExtra, withItems, withOnly,
} from "./basket.ts";
import { panel } from "./order-view.ts";
import { readOrders, route } from "./orders.ts";
import { goToSizes, pickSize, placeOrder, settle, stopSending } from "./placing.ts";
import {
  apply, canOrder, type Diet, soldOutIn, type State, type Step, withMenu,
} from "./state.ts";
import { onChange, set, setBasket, state } from "./store.ts";
import { foundCount, titleOf, view } from "./view.ts";

const root = document.querySelector("#page") ?? document.body;

function draw(): void {
  patch(root, view(state()));
  document.title = titleOf(state());
}

async function load(): Promise<void> {
  const isFirst = !state().isLoaded;
  const [menu, guests] = await Promise.all([readMenu(), readGuestOrders(), readOrders()]);
  set({ ...withMenu(state(), menu), guests, isLoaded: true });
  const { isSending, basket } = state();
  if (isSending || basket.unanswered === "") return;
  // The page before was closed while it was sending.
  if (!(await settle()) && isFirst) set({ message: t("Stopped. Your order is kept.") });
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

/** `at`: of a pizza, which comes into view in the row of pizzas. */
function turnTo(at: number): void {
  setBasket({ current: at });
  queueMicrotask(() => {
    document.querySelector(".pizzas .chosen")?.closest("li")
      ?.scrollIntoView({ block: "nearest", inline: "nearest" });
  });
}

function addPizza(like?: number): void {
  const { basket } = state();
  setBasket(withAnother(basket, like === undefined ? undefined : basket.pizzas[like]));
  turnTo(state().basket.current);
}

async function remove(at: number): Promise<void> {
  const question = t("Remove pizza {number}?", { number: at + 1 });
  const isMeant = await ask(question, t("Remove"), t("Keep it"));
  if (isMeant) setBasket(withOnly(state().basket, (_, index) => index !== at));
}

const steps: Readonly<Record<Step["action"], () => unknown>> = {
  "": () => undefined,
  place: placeOrder,
  sizes: pickSize,
  "show-out": showSoldOut,
  link: () => { document.getElementById("access")?.focus(); },
  check: noteConnection,
};

function noteConnection(): void {
  set({ isOffline: !navigator.onLine });
}

/** Turns to the first pizza, and to the tile, of what is sold out. */
function showSoldOut(): void {
  const [kind, id] = soldOutIn(state()).find(([one]) => one !== "pizzasizes") ?? [];
  const at = state().basket.pizzas.findIndex(({ toppings }) => toppings.includes(id ?? ""));
  if (kind === "toppings") turnTo(at);
  set({ search: "", diet: "", isUnfolded: false });
  queueMicrotask(() => {
    const tile = [...document.querySelectorAll<HTMLElement>(".less")]
      .find(({ dataset }) => dataset["of"] === `${kind} ${id}`);
    tile?.scrollIntoView({ block: "center" });
    tile?.focus({ preventScroll: true });
  });
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
    addPizza();
    goToSizes();
  },
  "copy-pizza": (at) => { addPizza(Number(at)); },
  turn: (at) => {
    turnTo(Number(at));
    if (state().isUnfolded) goToSizes();
  },
  remove: (at) => void remove(Number(at)),
  drop: () => {
    const out = soldOutIn(state()).map(([kind, id]) => `${kind} ${id}`);
    setBasket(withItems(state().basket, (kind, id) =>
      kind === "pizzasizes" || !out.includes(`${kind} ${id}`)));
  },
  unfold: () => { set({ isUnfolded: !state().isUnfolded }); },
  step: (action) => { steps[action as Step["action"]](); },
  stop: stopSending,
  "all-visits": () => { set({ areAllVisitsShown: true }); },
  note: (_, field) => { setBasket({ note: noteOf((field as HTMLTextAreaElement).value) }); },
  "write-note": () => {
    set({ isUnfolded: true });
    queueMicrotask(() => { document.getElementById("note-text")?.focus(); });
  },
});
addEventListener("keydown", (event) => {
  if (event.key === "Escape") set({ isUnfolded: false });
  // A note has no lines: Enter closes the keyboard of a phone.
  if (event.key !== "Enter" || event.isComposing) return;
  if (event.target instanceof HTMLTextAreaElement) {
    event.preventDefault();
    event.target.blur();
  }
});
// The unfolded order must not cover the element with the focus.
addEventListener("focusin", ({ target }) => {
  if (!(target as Element).closest(".order, dialog")) set({ isUnfolded: false });
});
addEventListener("popstate", route);
for (const event of ["online", "offline"]) addEventListener(event, noteConnection);
panel.addEventListener("change", () => { set({}); });
session.addEventListener("change", () => { set({}); });

draw();
onChange(draw);
void follow({
  load,
  apply: (changes) => { set(changes.reduce(apply, state())); },
  found: () => { set({ lostAt: undefined }); },
  lost: (lostAt) => { set({ lostAt }); },
  quietMs: 6000,
  answerWithinMs: 4000,
});
