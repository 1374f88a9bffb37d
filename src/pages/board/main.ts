/** Entry of the board: the actions of its buttons and fields, and the start of the page. */

import { serverNow } from "../shared/api.ts";
import { type Action, listen, patch } from "../shared/dom.ts";
import { isSoldOut, itemOf, type MenuItem } from "../shared/menu.ts";
import { session } from "../shared/session.ts";
import { follow } from "../shared/stream.ts";
import type { MenuKind, Status } from "../shared/types.ts";
import { t } from "../shared/words.ts";
import { chimeForMore, startChime } from "./chime.ts";
import { calendarDay, dayBeside } from "./day.ts";
import { download, showDialog, showTitle, stayAwake } from "./device.ts";
import { changeLock, lockOut, openDevices } from "./devices.ts";
import type { InviteDialog } from "./dialogs.ts";
import { dayTable } from "./done-tab.ts";
import { guardWhile, isGuarded } from "./guard.ts";
import { changeItem, openForm, saveItem } from "./item-form.ts";
import { changeInvite, copyLink, makeCode, openInvite, watchDevices } from "./invite.ts";
import { listenForKeys } from "./keys.ts";
import { markSeen, moveOrders, reopen } from "./moves.ts";
import { undoNotice } from "./notices.ts";
import type { Stage } from "./orders.ts";
import { closePopup, placePopup, showPopup } from "./popup.ts";
import { listenForPrinting, printTickets } from "./printing.ts";
import { findOrder, load, readDay, searchDay, today } from "./reading.ts";
import { closeShop, openShop, removeItem, saveShop, setSoldOut, tell } from "./shop-writes.ts";
import { countBelow, scrollColumn } from "./sight.ts";
import { sessionChanged, signInByForm, signOut } from "./sign-in.ts";
import {
  applyChanges, canAct, onChange, pendingCount, saveReadyTimes, saveSettings, scales, set, state,
  type State, type Tab,
} from "./state.ts";
import { addTwelve, changeCards, openCards, printCards } from "./table-cards.ts";
import { viewOf } from "./view.ts";

function draw(): void {
  const page = document.getElementById("page");
  const column = document.activeElement?.closest(".column");
  guardWhile(() => {
    if (page !== null) patch(page, viewOf(state()));
    showPopup();
  });
  // The last card of a column has left, and no other took its place.
  if (document.activeElement === document.body) {
    column?.querySelector<HTMLElement>(".head")?.focus({ preventScroll: true });
  }
  saveReadyTimes();
  showDialog();
  showTitle();
  chimeForMore();
  countBelow();
}

type Actions = Readonly<Record<string, Action>>;

const value = (field: HTMLElement): string => (field as HTMLInputElement).value;
const isChecked = (field: HTMLElement): boolean => (field as HTMLInputElement).checked;
const data = (form: HTMLElement): FormData => new FormData(form as HTMLFormElement);

/** Actions for everybody. `listen` explains their arguments. */
const openActions: Actions = {
  tab: (of) => {
    set({ tab: of as Tab, popup: undefined, isSumsOpen: false });
    // Begins with today, whatever day was shown before.
    if (of === "done") void readDay(today());
  },
  "close-dialog": () => { set({ dialog: undefined }); },

  settings: () => { set({ dialog: { type: "settings" } }); },
  switch: (of, field) => { saveSettings({ [of]: isChecked(field) }); },
  minutes: (of, field) => {
    const minutes = Math.round(Number(value(field)));
    if (!(minutes >= 1 && minutes <= 999)) return;
    saveSettings(of === "promise" ? { promise: minutes }
      : { limits: { ...state().settings.limits, [of]: minutes } });
  },
  scale: (of) => {
    const scale = scales[scales.indexOf(state().settings.scale) + Number(of)];
    if (scale !== undefined) saveSettings({ scale });
  },
  "sign-in": (_, form) => { void signInByForm(form as HTMLFormElement); },
  "sign-out": () => { void signOut(); },

  choose: (of) => {
    const { alone } = state().settings;
    set({ chosen: of as Stage });
    // Where there is room for all four, a head has its column fill the screen.
    if (alone === "" ? hasFourColumns() : alone !== of) saveSettings({ alone: of as Stage });
    else if (alone === of) saveSettings({ alone: "" });
  },
  "all-columns": () => { saveSettings({ alone: "" }); },
  below: (of) => { scrollColumn(of as Stage); },
  "try-now": () => { dispatchEvent(new Event("online")); },
  unfold: (of) => { set({ unfolded: state().unfolded === of ? undefined : of as Stage }); },
  sums: () => { set({ isSumsOpen: !state().isSumsOpen }); },

  day: (_, field) => { if (value(field) !== "") void readDay(value(field)); },
  "day-by": (of) => { void readDay(dayBeside(state().day?.date ?? "", Number(of))); },
  "find-number": (_, field) => { searchDay(value(field)); },
  find: () => { void findOrder(); },
  csv: () => {
    const { day } = state();
    if (day?.isRead) download(`${t("orders")}-${day.date}.csv`, dayTable(day.orders));
  },
  "search-menu": (_, field) => { set({ menuSearch: value(field) }); },
};

/** Actions that need a sign-in. */
const staffActions: Actions = {
  popup: (of) => {
    set({ popup: state().popup === of ? undefined : of });
    const [, id] = /^[^/]+\/([^/]+)$/.exec(of) ?? [];
    if (id !== undefined) markSeen([id], "changed");
  },
  undo: (of) => { void undoNotice(Number(of)); },

  move: (of) => {
    closePopup();
    const [ids = "", to] = of.split("/");
    moveOrders(ids.split(" "), to as Status);
  },
  // A press on a card says that its news were read, but for a cancelled one, which has a button.
  read: (of) => { markSeen(of.split(" "), "changed"); },
  seen: (of) => { markSeen([of], "cancelled"); },
  print: (of) => {
    closePopup();
    printTickets(of.split(" "));
  },
  reopen,

  "sold-out": (of) => {
    about(of, (kind, { id }) => setSoldOut(kind, id, !isSoldOut(state().menu, kind, id)));
  },
  add: (of) => { openForm(of as MenuKind); },
  change: (of) => { about(of, (kind, { id }) => changeItem(kind, id)); },
  duplicate: (of) => { about(of, async (kind, item) => { openForm(kind, item); }); },
  remove: (of) => { about(of, (kind, { id }) => removeItem(kind, id)); },
  "save-item": (_, form) => { void saveItem(form as HTMLFormElement); },
  "save-shop": (_, form) => { saveShop(data(form)); },
  "open-shop": openShop,
  "close-shop": () => { set({ dialog: { type: "closing" } }); },
  "offer-notice": (of) => {
    (document.getElementById("closing-notice") as HTMLInputElement).value = of;
  },
  "close-now": (_, form) => { closeShop(data(form)); },
};

/** Actions of the large dialogs, for staff: they say themselves where the connection is lost. */
const dialogActions: Actions = {
  devices: openDevices,
  "lock-out": (of) => { void lockOut(of); },
  "let-in": (of) => { void changeLock("DELETE", of); },
  "add-device": openInvite,
  "device-name": (_, field) => { changeInvite({ name: value(field) }); },
  "device-role": (of) => { changeInvite({ role: of as InviteDialog["role"] }); },
  "device-life": (of) => { changeInvite({ life: of as InviteDialog["life"] }); },
  "new-code": () => { void makeCode(); },
  "copy-code": () => { void copyLink(); },
  "table-cards": () => { void openCards(); },
  "table-names": (_, field) => { changeCards({ names: value(field) }); },
  "cards-address": (_, field) => { changeCards({ address: value(field) }); },
  paper: (of) => { changeCards({ paper: of === "A4" ? "A4" : "Letter" }); },
  "add-twelve": addTwelve,
  "print-cards": printCards,
};

function hasFourColumns(): boolean {
  const columns = document.querySelector(".columns");
  return columns !== null && getComputedStyle(columns).getPropertyValue("--columns") === "4";
}

/** Does something about an item, whose menu closes. `of`: "toppings/funghi". */
function about(of: string, act: (kind: MenuKind, item: MenuItem) => Promise<void>): void {
  closePopup();
  const [kind = "", id = ""] = of.split("/");
  const item = itemOf(state().menu, kind as MenuKind, id);
  if (item !== undefined) void tell(act(kind as MenuKind, item), item.name);
}

const only = (may: (now: State) => boolean, some: Actions): Actions =>
  Object.fromEntries(Object.entries(some).map(([name, act]): [string, Action] =>
    [name, (...press) => { if (may(state())) act(...press); }]));

listen({
  ...openActions, ...only(canAct, staffActions), ...only(({ isStaff }) => isStaff, dialogActions),
}, isGuarded);

function tick(): void {
  const { now, day, tab } = state();
  // Ages are told in minutes.
  if (serverNow() - now < 5000) return;
  set({ now: serverNow() });
  // Midnight: the day that was today is not any more.
  const wasToday = day?.date === calendarDay(new Date(now));
  if (tab === "done" && wasToday && day.date !== today()) void readDay(today());
}

set({ now: serverNow() });
onChange(draw);
session.addEventListener("change", sessionChanged);
sessionChanged();
startChime();
listenForPrinting();
listenForKeys();
stayAwake();
document.addEventListener("visibilitychange", stayAwake);
setInterval(tick, 1000);
setInterval(watchDevices, 1000);
addEventListener("resize", placePopup);
// Neither bubbles: columns scroll by themselves, and Escape closes a dialog.
document.addEventListener("scroll", ({ target }) => {
  if (target instanceof Element && target.closest(".popup") === null) closePopup();
}, { capture: true, passive: true });
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
