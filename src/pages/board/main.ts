/** Entry of the board: what each press does, and what starts when the page opens. */

import { serverNow } from "../shared/api.ts";
import { listen, patch } from "../shared/dom.ts";
import { isSoldOut, itemOf } from "../shared/menu.ts";
import { session } from "../shared/session.ts";
import { follow } from "../shared/stream.ts";
import type { MenuKind, Status } from "../shared/types.ts";
import { t } from "../shared/words.ts";
import { calendarDay, dayBeside } from "./day.ts";
import { dayTable } from "./done-tab.ts";
import {
  chimeForMore, closePopup, download, keepSettings, listenForPrinting, measureColumns, placePopup,
  printTicket, readSettings, scrollColumn, showOverlays, showTitle, startChime, stayAwake,
} from "./effects.ts";
import { changeItem, openForm, saveItem } from "./item-form.ts";
import { listenForKeys } from "./keys.ts";
import { moveTo, reopen, undoNotice } from "./moves.ts";
import type { Stage } from "./orders.ts";
import { findOrder, load, readDay, searchDay, today } from "./reading.ts";
import {
  closeShop, openShop, removeItem, saveShop, setSoldOut, tell,
} from "./shop-writes.ts";
import { sessionChanged, signInByLink, signOut } from "./sign-in.ts";
import { applyChanges, onChange, scales, set, state } from "./state.ts";
import type { Tab } from "./state.ts";
import { viewOf } from "./view.ts";

function draw(): void {
  const page = document.getElementById("page");
  const column = document.activeElement?.closest(".column");
  if (page !== null) patch(page, viewOf(state()));
  // The last card of a column has left, and no other took its place.
  if (document.activeElement === document.body) {
    column?.querySelector<HTMLElement>(".head")?.focus({ preventScroll: true });
  }
  showOverlays();
  showTitle();
  chimeForMore();
  measureColumns();
}

/** Does something about an item, whose menu closes. `of`: "toppings funghi". */
function about(of: string, act: (kind: MenuKind, id: string) => unknown): void {
  const [kind = "", id = ""] = of.split(" ");
  const item = itemOf(state().menu, kind as MenuKind, id);
  closePopup();
  if (item === undefined || !state().isStaff) return;
  void tell(Promise.resolve(act(kind as MenuKind, id)), item.name);
}

function onStaff(act: () => void): void {
  if (state().isStaff) act();
}

/** Instead of the browser. */
function submit(event: Event, act: (form: HTMLFormElement) => unknown): void {
  event.preventDefault();
  act(event.target as HTMLFormElement);
}

const value = (field: HTMLElement): string => (field as HTMLInputElement).value;

listen({
  tab: (of) => {
    set({ tab: of as Tab, popup: undefined, isSumsOpen: false });
    // Whoever comes back wants today.
    if (of === "done") void readDay(today());
  },
  "close-dialog": (_, __, event) => {
    event.preventDefault();
    set({ dialog: undefined });
  },
  popup: (of) => { set({ popup: state().popup === of ? undefined : of }); },
  undo: (of) => { void undoNotice(Number(of)); },

  // Settings and the sign-in.
  settings: () => { set({ dialog: { type: "settings" } }); },
  switch: (of, field) => { keepSettings({ [of]: (field as HTMLInputElement).checked }); },
  limit: (of, field) => {
    const minutes = Math.round(Number(value(field)));
    const isLimit = minutes >= 1 && minutes <= 999;
    if (isLimit) keepSettings({ limits: { ...state().settings.limits, [of]: minutes } });
  },
  scale: (of) => {
    const scale = scales[scales.indexOf(state().settings.scale) + Number(of)];
    if (scale !== undefined) keepSettings({ scale });
  },
  "sign-in": (_, __, event) => { submit(event, signInByLink); },
  "sign-out": () => { void signOut(); },

  // Orders.
  choose: (of) => { set({ chosen: of as Stage }); },
  below: (of) => { scrollColumn(of as Stage); },
  sums: () => { set({ isSumsOpen: !state().isSumsOpen }); },
  move: (of, _, event) => {
    const [, id = "", to = ""] = /^(\S+) (.+)$/.exec(of) ?? [];
    moveTo(id, to as Status, event);
  },
  print: (of) => {
    const one = state().orders.get(of);
    closePopup();
    if (one !== undefined) printTicket(one);
  },

  // The tab Done.
  day: (_, field) => { if (value(field) !== "") void readDay(value(field)); },
  "day-by": (of) => { void readDay(dayBeside(state().day?.date ?? "", Number(of))); },
  "find-number": (_, field) => { searchDay(value(field)); },
  find: (_, __, event) => { submit(event, findOrder); },
  reopen: (of) => { onStaff(() => { reopen(of); }); },
  csv: () => {
    const { day } = state();
    if (day?.isRead) download(`${t("orders")}-${day.date}.csv`, dayTable(day.orders));
  },

  // The tab Menu.
  "search-menu": (_, field) => { set({ menuSearch: value(field) }); },
  "sold-out": (of) => {
    about(of, (kind, id) => setSoldOut(kind, id, !isSoldOut(state().menu, kind, id)));
  },
  add: (of) => { onStaff(() => { openForm(of as MenuKind); }); },
  change: (of) => { about(of, changeItem); },
  duplicate: (of) => {
    about(of, (kind, id) => { openForm(kind, itemOf(state().menu, kind, id)); });
  },
  remove: (of) => { about(of, removeItem); },
  "save-item": (_, __, event) => { submit(event, saveItem); },
  "save-shop": (_, __, event) => { submit(event, saveShop); },
  "open-shop": () => { onStaff(openShop); },
  "close-shop": () => { onStaff(() => { set({ dialog: { type: "closing" } }); }); },
  "offer-notice": (of) => {
    (document.getElementById("closing-notice") as HTMLInputElement).value = of;
  },
  "close-now": (_, __, event) => { submit(event, closeShop); },
});

function tick(): void {
  const { now, day, tab } = state();
  set({ now: serverNow() });
  // Midnight: the day that was today is not any more.
  const wasToday = day?.date === calendarDay(new Date(now));
  if (tab === "done" && wasToday && day.date !== today()) void readDay(today());
}

readSettings();
set({ now: serverNow(), aliveAt: serverNow() });
onChange(draw);
session.addEventListener("change", sessionChanged);
sessionChanged();
startChime();
listenForPrinting();
listenForKeys();
stayAwake();
document.addEventListener("visibilitychange", stayAwake);
setInterval(tick, 1000);
addEventListener("resize", () => {
  measureColumns();
  placePopup();
});
// Neither bubbles: columns scroll by themselves, and Escape closes a dialog.
document.addEventListener("scroll", ({ target }) => {
  measureColumns();
  if (target instanceof Element && target.closest(".popup") === null) closePopup();
}, { capture: true, passive: true });
document.addEventListener("close", ({ target }) => {
  if (target instanceof Element && target.matches(".form")) set({ dialog: undefined });
}, { capture: true });
void follow({
  load,
  apply: (changes) => { set(applyChanges({ ...state(), now: serverNow() }, changes, Date.now())); },
  alive: () => { set({ aliveAt: serverNow(), isLost: false }); },
  lost: () => { set({ isLost: true, now: serverNow() }); },
  quietMs: 3000,
});
