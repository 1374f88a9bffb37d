/** Entry of the board: the actions of its buttons and fields, and the start of the page. */

import { serverNow } from "../shared/api.ts";
import { type Action, listen, patch } from "../shared/dom.ts";
import { isSoldOut, itemOf, type MenuItem } from "../shared/menu.ts";
import { session } from "../shared/session.ts";
import { follow } from "../shared/stream.ts";
import type { MenuKind, Status } from "../shared/types.ts";
import { closeBar, listenForBar, showBar } from "./bar.ts";
import { chimeForMore, startChime } from "./chime.ts";
import { saveAsCsv } from "./csv.ts";
import { dayBeside } from "./day.ts";
import { showDialog, showTitle, stayAwake } from "./device.ts";
import { guardWhile, isGuarded } from "./guard.ts";
import { changeItem, openForm, saveItem } from "./item-form.ts";
import { markSeen, moveOrders, reopen } from "./moves.ts";
import { saveNews } from "./news.ts";
import { undoNotice } from "./notices.ts";
import type { Stage } from "./orders.ts";
import { listenForPrinting, printTickets } from "./printing.ts";
import { load, readDay, searchDay, today } from "./reading.ts";
import { removeItem, saveShop, setSoldOut, tell } from "./shop-writes.ts";
import { countBelow, scrollColumn } from "./sight.ts";
import { sessionChanged, signInByForm, signOut } from "./sign-in.ts";
import {
  applyChanges, canAct, onChange, pendingCount, saveSettings, scales, set, state,
  type State, type Tab,
} from "./state.ts";
import { addTwelve, nameTables, openCards, printCards } from "./table-cards.ts";
import { viewOf } from "./view.ts";

function draw(): void {
  const page = document.getElementById("page");
  const column = document.activeElement?.closest(".column");
  guardWhile(() => { if (page !== null) patch(page, viewOf(state())); });
  // The last card of a column has left, and no other took its place.
  if (document.activeElement === document.body) {
    column?.querySelector<HTMLElement>("button")?.focus({ preventScroll: true });
  }
  saveNews(state().marks);
  showBar();
  showDialog();
  showTitle();
  chimeForMore();
  countBelow();
}

type Actions = Readonly<Record<string, Action>>;

const value = (field: HTMLElement): string => (field as HTMLInputElement).value;
const data = (form: HTMLElement | null): FormData => new FormData(form as HTMLFormElement);

/** Actions for everybody. `listen` explains their arguments. */
const openActions: Actions = {
  tab: (of) => {
    set({ tab: of as Tab, bar: undefined, isSumsOpen: false });
    // Begins with today, whatever day was shown before.
    if (of === "done") void readDay(today());
  },
  "close-dialog": () => { set({ dialog: undefined }); },

  settings: () => { set({ dialog: { type: "settings" } }); },
  sound: () => { saveSettings({ chimes: !state().settings.chimes }); },
  scale: (of) => {
    const scale = scales[scales.indexOf(state().settings.scale) + Number(of)];
    if (scale !== undefined) saveSettings({ scale });
  },
  "sign-in": (_, form) => { void signInByForm(form as HTMLFormElement); },
  "sign-out": () => { void signOut(); },

  choose: (of) => { set({ chosen: of as Stage }); },
  below: (of) => { scrollColumn(of as Stage); },
  "try-now": () => { dispatchEvent(new Event("online")); },
  sums: () => { set({ isSumsOpen: !state().isSumsOpen }); },

  day: (_, field) => { if (value(field) !== "") void readDay(value(field)); },
  "day-by": (of) => { void readDay(dayBeside(state().day?.date ?? "", Number(of))); },
  "find-number": (_, field) => { searchDay(value(field)); },
  csv: () => {
    const { day } = state();
    if (day?.isRead) saveAsCsv(day);
  },
  "search-menu": (_, field) => { set({ menuSearch: value(field) }); },
};

/** Actions that need a sign-in. */
const staffActions: Actions = {
  more: (of, button) => {
    set({ bar: { of, part: "" } });
    const ids = button.closest<HTMLElement>(".card")?.dataset["of"] ?? "";
    markSeen(ids.split(" "), "changed");
  },
  pick: (part) => {
    const { bar } = state();
    if (bar !== undefined) set({ bar: { ...bar, part } });
  },
  "close-bar": closeBar,
  undo: (of) => { undoNotice(Number(of)); },

  move: (of) => {
    closeBar();
    const [ids = "", to] = of.split("/");
    moveOrders(ids.split(" "), to as Status);
  },
  // A press on a card says that its news were read, but for a cancelled one, which has a button.
  read: (of) => { markSeen(of.split(" "), "changed"); },
  seen: (of) => { markSeen([of], "cancelled"); },
  print: (of) => {
    closeBar();
    printTickets(of.split(" "));
  },
  reopen,

  "sold-out": (of) => {
    about(of, (kind, { id }) => setSoldOut(kind, id, !isSoldOut(state().menu, kind, id)));
  },
  add: (of) => { openForm(of as MenuKind); },
  change: (of) => { about(of, (kind, { id }) => changeItem(kind, id)); },
  remove: (of) => { about(of, (kind, { id }) => removeItem(kind, id)); },
  "save-item": (_, form) => { void saveItem(form as HTMLFormElement); },
  "save-shop": (_, form) => { saveShop(data(form), state().menu.shop.isOpen); },
  "turn-shop": (_, button) => {
    saveShop(data((button as HTMLButtonElement).form), !state().menu.shop.isOpen);
  },
};

/** Actions of the large dialogs, for staff: they say themselves where the connection is lost. */
const dialogActions: Actions = {
  "table-cards": () => { void openCards(); },
  "table-names": (_, field) => { nameTables(value(field)); },
  "add-twelve": addTwelve,
  "print-cards": printCards,
};

/** Does something about an item, whose bar closes. `of`: "toppings/funghi". */
function about(of: string, act: (kind: MenuKind, item: MenuItem) => Promise<void>): void {
  closeBar();
  const [kind = "", id = ""] = of.split("/");
  const item = itemOf(state().menu, kind as MenuKind, id);
  if (item !== undefined) void tell(act(kind as MenuKind, item), item.name);
}

const only = (may: (now: State) => boolean, some: Actions): Actions =>
  Object.fromEntries(Object.entries(some).map(([name, act]): [string, Action] =>
    [name, (...press) => { if (may(state())) act(...press); }]));

listenForBar();
listen({
  ...openActions, ...only(canAct, staffActions), ...only(({ isStaff }) => isStaff, dialogActions),
}, isGuarded);

function pressed(event: KeyboardEvent): void {
  if (event.key === "Escape") closeBar();
  // Held, it would press what takes the focus, card after card.
  if (event.repeat && event.key === "Enter") event.preventDefault();
}

set({ now: serverNow() });
onChange(draw);
session.addEventListener("change", sessionChanged);
sessionChanged();
startChime();
listenForPrinting();
stayAwake();
document.addEventListener("visibilitychange", stayAwake);
// Ages are told in minutes.
setInterval(() => { set({ now: serverNow() }); }, 5000);
addEventListener("keydown", pressed);
// It does not bubble: Escape closes a dialog.
document.addEventListener("close", ({ target }) => {
  if (target instanceof Element && target.matches(".form")) set({ dialog: undefined });
}, { capture: true });
void follow({
  load,
  apply: (changes) => { set(applyChanges({ ...state(), now: serverNow() }, changes)); },
  found: () => { set({ lost: undefined }); },
  lost: (at) => { set({ lost: state().lost ?? { at, waiting: pendingCount(state()) } }); },
  quietMs: 700,
  answerWithinMs: 1800,
});
