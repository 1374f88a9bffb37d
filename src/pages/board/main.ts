/** Entry of the board: reads and follows the shop, and carries out what is pressed. */

import { explain, isRefusal, read, serverNow } from "../shared/api.ts";
import { ask, listen, patch } from "../shared/dom.ts";
import { itemOf, isSoldOut, readMenu } from "../shared/menu.ts";
import {
  claims, dropToken, isStaff, session, signInWith, token, tokenIn,
} from "../shared/session.ts";
import { follow } from "../shared/stream.ts";
import type { MenuKind, Order, Status } from "../shared/types.ts";
import { dayText, t, timeText } from "../shared/words.ts";
import { boundsOf, calendarDay, changeDay, dayBeside, emptyDay } from "./day.ts";
import type { Day } from "./day.ts";
import { dayTable } from "./done-tab.ts";
import {
  chimeForMore, download, keepSettings, listenForPrinting, measureColumns, placePopup,
  printTicket, readSettings, scrollColumn, showOverlays, showTitle, startChime,
  stayAwake,
} from "./effects.ts";
import { addItem, changeItem, saveItem, setField } from "./item-form.ts";
import {
  changeShop, moveOrder, notify, removeItem, setSoldOut, tell, undoLatest, undoNotice,
} from "./moves.ts";
import { groupsWith, inStage, openOrdersOf, stages } from "./orders.ts";
import type { Groups, Stage } from "./orders.ts";
import { waysFrom } from "./orders-tab.ts";
import { applyChanges, isGuarded, pendingCount, scales, stageBeside } from "./state.ts";
import type { Tab } from "./state.ts";
import { onChange, set, state } from "./store.ts";
import { viewOf } from "./view.ts";

const openOrders = `api/orders?embed=names&${stages
  .map((stage) => `status=${encodeURIComponent(stage)}`).join("&")}`;

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

async function load(): Promise<void> {
  const [menu, orders] = await Promise.all([readMenu(), readOpenOrders()]);
  if (orders === undefined) {
    // Not lost but refused: this shop's orders need a sign-in. What was there stays.
    set({ menu, orderReads: "refused" });
    return;
  }
  const groups = groupsWith(new Map(), orders.map(({ id }) => id));
  set({
    menu, groups, orders: openOrdersOf(orders, state().orders), orderReads: "open", arrived: [],
    ...state().isStaff ? { signedOut: undefined, signInFault: "" } : {},
  });
  if (state().tab === "done") void readDay();
  await countClosed(groups);
}

async function readOpenOrders(): Promise<readonly Order[] | undefined> {
  try {
    return (await read<readonly Order[]>(openOrders)).data;
  } catch (fault) {
    if (!isRefusal(fault, 401)) throw fault;
    return undefined;
  }
}

/** Some that were placed together may be closed: asks for the next numbers until there is none. */
async function countClosed(groups: Groups): Promise<void> {
  if (groups.size === 0) return;
  const next = [...groups].flatMap(([first, total]) =>
    [1, 2, 3].map((more) => `id=${encodeURIComponent(`${first}-${total + more}`)}`));
  const { data } = await read<readonly Order[]>(`api/orders?${next.join("&")}`);
  const found = groupsWith(new Map(), data.map(({ id }) => id));
  set({ groups: groupsWith(state().groups, data.map(({ id }) => id)) });
  await countClosed(new Map([...found].filter(([first, total]) =>
    total === (groups.get(first) ?? 0) + 3)));
}

function today(): string {
  return calendarDay(new Date(serverNow()));
}

/** Reads the day that is shown, at first today. */
async function readDay(date = state().day?.date ?? today()): Promise<void> {
  const before = state().day;
  const one = before?.date === date ? before : emptyDay(date);
  set({ day: { ...one, told: [] } });
  const { start, end } = boundsOf(date);
  const times = `since=${start.toISOString()}&until=${end.toISOString()}`;
  const isShown = (): boolean => state().day?.date === date;
  try {
    const orders = await readAll(`api/orders?embed=names&limit=1000&${times}`);
    if (isShown()) changeDayBy((now) => (now.told ?? []).reduce(changeDay, { ...now, orders }));
  } catch (fault) {
    if (isShown()) changeDayBy((now) => ({ ...now, note: explain(fault) }));
    return;
  }
  if (isShown()) changeDayBy((now) => ({ ...now, told: undefined, note: "" }));
}

function changeDayBy(change: (now: Day) => Day): void {
  const { day: now } = state();
  if (now !== undefined) set({ day: change(now) });
}

async function readAll(path: string): Promise<readonly Order[]> {
  const { data, next } = await read<readonly Order[]>(path);
  return next === undefined ? data : [...data, ...await readAll(next)];
}

/** By its whole number, on whatever day it was placed; people type it in small letters too. */
async function findOrder(): Promise<void> {
  const id = state().day?.search.trim() ?? "";
  if (id === "") return;
  const ids = [...new Set([id, id.toUpperCase()])].map((one) => `id=${encodeURIComponent(one)}`);
  try {
    const { data } = await read<readonly Order[]>(`api/orders?embed=names&${ids.join("&")}`);
    const note = data.length === 0 ? t("No order has that number.") : "";
    changeDayBy((now) => ({ ...now, elsewhere: data, note }));
  } catch (fault) {
    changeDayBy((now) => ({ ...now, note: explain(fault) }));
  }
}

function openTab(tab: Tab): void {
  set({ tab, popup: undefined, isSumsOpen: false });
  // Whoever comes back wants today.
  if (tab === "done") void readDay(today());
}

const [hour, dayLong] = [3600, 24 * 3600];

/** An hour before its end; a day, where it lasts a week or longer. */
function signInEnds(): string {
  const now = serverNow() / 1000;
  const { exp = Infinity, iat = now } = claims() ?? {};
  const isLong = exp - iat >= 7 * dayLong;
  if (exp - now > (isLong ? dayLong : hour)) return "";
  const end = new Date(exp * 1000);
  return isLong ? t("Sign-in ends on {day}", { day: dayText(end) })
    : t("Sign-in ends at {time}", { time: timeText(end) });
}

function sessionChanged(): void {
  const before = state();
  const isOurs = isStaff();
  // With a customer's, the service may tell no other orders: the board would take that for none.
  if (!isOurs && token() !== null) {
    set({ signInFault: t("That link isn’t for staff.") });
    dropToken(token());
    return;
  }
  const hasEnded = before.isStaff && !isOurs && before.orderReads === "open";
  const ended = { at: serverNow(), waiting: pendingCount(before) };
  set({
    isStaff: isOurs, orderReads: "loading", popup: undefined, signInEnds: signInEnds(),
    signedOut: before.signedOut ?? (hasEnded ? ended : undefined),
  });
}

async function signInByLink(): Promise<void> {
  const input = document.getElementById("link") as HTMLInputElement;
  // Quotes and blanks that came along are none of a token's characters.
  const value = (tokenIn(input.value.trim()) ?? input.value).replaceAll(/[^\w.-]/g, "");
  set({ signInFault: t("That isn’t a sign-in link of this shop, or it has expired.") });
  if (await signInWith(value)) input.value = "";
}

async function signOut(): Promise<void> {
  const isMeant = await ask(
    t("Sign out on this device? You will need a new sign-in link to use the board again."),
    t("Sign out"), t("Stay signed in"),
  );
  if (!isMeant) return;
  dropToken(token());
  // What was read with the token goes as well.
  location.reload();
}

/** `of`: "K7QX3M Out for Delivery". */
function move(of: string, event?: Event): void {
  const [, id = "", to = ""] = /^(\S+) (.+)$/.exec(of) ?? [];
  const one = state().orders.get(id);
  closePopup();
  if (one === undefined || !state().isStaff) return;
  const isPress = event instanceof MouseEvent && event.detail > 0;
  if (isPress && isGuarded(state(), one, Date.now())) return;
  void moveOrder(one.order, to as Status);
}

function reopen(id: string): void {
  const { day: shown, isStaff: isOurs } = state();
  const all = [...shown?.orders ?? [], ...shown?.elsewhere ?? []];
  const order = all.find((one) => one.id === id);
  if (order === undefined || !isOurs) return;
  void moveOrder(order, order.status === "Delivered" ? "Ready" : "Pending");
}

function closePopup(): void {
  const { popup } = state();
  if (popup === undefined) return;
  const hadFocus = document.activeElement?.closest(".popup") !== null;
  set({ popup: undefined });
  if (!hadFocus) return;
  for (const button of document.querySelectorAll<HTMLElement>(".more")) {
    if (button.dataset["of"] === popup) button.focus({ preventScroll: true });
  }
}

/** Does something about an item, whose menu closes. `of`: "toppings funghi". */
function about(of: string, act: (kind: MenuKind, id: string) => unknown): void {
  const [kind = "", id = ""] = of.split(" ");
  const item = itemOf(state().menu, kind as MenuKind, id);
  closePopup();
  if (item === undefined || !state().isStaff) return;
  const done = act(kind as MenuKind, id);
  if (done instanceof Promise) void tell(done, item.name);
}

function shopChange(change: Parameters<typeof changeShop>[0]): Promise<unknown> {
  return tell(changeShop(change), state().menu.shop.name);
}

async function saveShop(): Promise<void> {
  const { shop } = state().menu;
  const { name = shop.name, notice = shop.notice } = state().shopDraft;
  if (name.trim() === "") {
    set({ shopDraft: { ...state().shopDraft, fault: t("The shop needs a name.") } });
    document.getElementById("shop-name")?.focus();
    return;
  }
  await tell(changeShop(() => ({ name: name.trim(), notice: notice.trim() })).then(() => {
    set({ shopDraft: {} });
    notify(t("Saved"));
  }), shop.name);
}

/** A notice that says when the shop is back is wrong once it is back. */
function openShop(): Promise<unknown> {
  const [start = ""] = t("Back at {time}", { time: "|" }).replaceAll(/[⁨⁩]/g, "").split("|");
  return shopChange(({ notice }) => ({
    isOpen: true, notice: notice.replaceAll(/[⁨⁩]/g, "").startsWith(start) ? "" : notice,
  }));
}

function closeShop(): void {
  const { dialog } = state();
  if (dialog?.type !== "closing") return;
  const notice = dialog.notice.trim();
  set({ dialog: undefined });
  void shopChange(() => ({ isOpen: false, notice }));
}

const onStaff = (act: () => unknown): void => {
  if (state().isStaff) act();
};

const value = (element: HTMLElement): string => (element as HTMLInputElement).value;

listen({
  tab: (of) => { openTab(of as Tab); },
  choose: (of) => { set({ chosen: of as Stage }); },
  below: (of) => { scrollColumn(of as Stage); },
  sums: () => { set({ isSumsOpen: !state().isSumsOpen }); },
  scale: (of) => {
    const scale = scales[scales.indexOf(state().settings.scale) + Number(of)];
    if (scale !== undefined) keepSettings({ scale });
  },
  settings: () => { set({ dialog: { type: "settings" } }); },
  "close-dialog": (_, __, event) => {
    event.preventDefault();
    set({ dialog: undefined });
  },
  switch: (of, element) => {
    keepSettings({ [of]: (element as HTMLInputElement).checked });
  },
  limit: (of, element) => {
    const minutes = Math.round((element as HTMLInputElement).valueAsNumber);
    const isLimit = minutes >= 1 && minutes <= 999;
    if (isLimit) keepSettings({ limits: { ...state().settings.limits, [of]: minutes } });
  },
  "sign-in": (_, __, event) => {
    event.preventDefault();
    void signInByLink();
  },
  "sign-out": () => { void signOut(); },

  popup: (of) => { set({ popup: state().popup === of ? undefined : of }); },
  move: (of, _, event) => { move(of, event); },
  print: (of) => {
    const one = state().orders.get(of);
    closePopup();
    if (one !== undefined) printTicket(one);
  },
  undo: (of) => { void undoNotice(Number(of)); },

  day: (_, element) => { if (value(element) !== "") void readDay(value(element)); },
  "day-by": (of) => { void readDay(dayBeside(state().day?.date ?? "", Number(of))); },
  "find-number": (_, element) => {
    changeDayBy((now) => ({ ...now, search: value(element), elsewhere: [], note: "" }));
  },
  find: (_, __, event) => {
    event.preventDefault();
    void findOrder();
  },
  reopen,
  csv: () => {
    const { day: shown } = state();
    if (shown?.orders === undefined) return;
    download(`${t("orders")}-${shown.date}.csv`, dayTable(shown.orders));
  },

  "search-menu": (_, element) => { set({ menuSearch: value(element) }); },
  "sold-out": (of) => {
    about(of, (kind, id) => setSoldOut(kind, id, !isSoldOut(state().menu, kind, id)));
  },
  add: (of) => { onStaff(() => { addItem(of as MenuKind); }); },
  change: (of) => { about(of, (kind, id) => changeItem(kind, id)); },
  duplicate: (of) => {
    about(of, (kind, id) => { addItem(kind, itemOf(state().menu, kind, id)); });
  },
  remove: (of) => { about(of, (kind, id) => removeItem(kind, id)); },
  field: (of, element) => {
    const input = element as HTMLInputElement;
    setField(of, input.type === "checkbox" ? input.checked : input.value);
  },
  "save-item": (_, __, event) => {
    event.preventDefault();
    void saveItem();
  },
  "shop-text": (of, element) => {
    const { fault, ...draft } = state().shopDraft;
    set({ shopDraft: { ...draft, [of]: value(element) } });
  },
  "save-shop": (_, __, event) => {
    event.preventDefault();
    onStaff(() => saveShop());
  },
  "close-shop": () => { onStaff(() => { set({ dialog: { type: "closing", notice: "" } }); }); },
  "open-shop": () => { onStaff(() => openShop()); },
  "closing-notice": (_, element) => {
    set({ dialog: { type: "closing", notice: value(element) } });
  },
  "offer-notice": (of) => { set({ dialog: { type: "closing", notice: of } }); },
  "close-now": (_, __, event) => {
    event.preventDefault();
    closeShop();
  },
});

function pressed(event: KeyboardEvent): void {
  const { popup, isSumsOpen } = state();
  if (event.key === "Escape") {
    if (isSumsOpen) set({ isSumsOpen: false });
    return closePopup();
  }
  if (popup !== undefined && event.target instanceof Element && event.target.closest(".popup")) {
    return stepInPopup(event);
  }
  // Held, it would press what takes the focus, card after card.
  if (event.repeat && event.key === "Enter") event.preventDefault();
  const { tab, settings: { usesKeys }, isStaff: isOurs, chosen, orders } = state();
  if (!usesKeys || tab !== "orders" || !isOurs || !isPlain(event)) return;
  const one = inStage(orders, chosen)[digitOf(event) - 1];
  const toTheLeft = document.dir === "rtl" ? 1 : -1;
  if (one !== undefined) move(`${one.order.id} ${waysFrom[one.stage].buttons[0]?.[0] ?? ""}`);
  else if (event.key === "ArrowLeft") step(toTheLeft);
  else if (event.key === "ArrowRight") step(-toTheLeft);
  else if (event.key.toLowerCase() === "u") void undoLatest();
  else return;
  set({ withKeys: true });
}

/** The head takes the focus: it comes into view, is read out, and Tab goes on from there. */
function step(by: number): void {
  const chosen = stageBeside(state().chosen, by);
  set({ chosen });
  document.getElementById(`column-${stages.indexOf(chosen)}`)?.focus();
}

function stepInPopup(event: KeyboardEvent): void {
  if (event.key === "Tab") return closePopup();
  const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (by === 0) return;
  event.preventDefault();
  const items = [...document.querySelectorAll<HTMLElement>(".popup button")];
  const at = items.findIndex((item) => item === document.activeElement);
  items.at((at + by) % items.length)?.focus();
}

/** Not part of a browser's shortcut, of a held key, or of what is being typed. */
function isPlain({ target, repeat, ctrlKey, altKey, metaKey }: KeyboardEvent): boolean {
  const typing = target instanceof Element && target.closest("input, textarea, dialog") !== null;
  return !typing && !repeat && !ctrlKey && !altKey && !metaKey;
}

/** By place on the keyboard too: where digits are shifted (AZERTY) the key is another sign. */
function digitOf({ key, code }: KeyboardEvent): number {
  return Number(/^[1-9]$/.exec(key)?.[0] ?? /^Digit([1-9])$/.exec(code)?.[1]);
}

function pressedElsewhere({ target }: Event): void {
  const element = target instanceof Element ? target : undefined;
  if (element?.closest(".popup, .more") === null) closePopup();
  if (state().isSumsOpen && element?.closest(".sums") === null) set({ isSumsOpen: false });
  if (state().withKeys) set({ withKeys: false });
}

/** The column in which something is done is the one that number keys work in. */
function chooseColumn({ target }: Event): void {
  const list = target instanceof Element ? target.closest(".column")?.querySelector("ol") : null;
  const stage = stages.find((one) => one === list?.dataset["stage"]);
  if (stage !== undefined && stage !== state().chosen) set({ chosen: stage });
}

const ticks = { count: 0 };

function tick(): void {
  ticks.count += 1;
  const { isLost, day: shown, tab } = state();
  if (!isLost && ticks.count % 5 > 0) return;
  const now = serverNow();
  set({ now, signInEnds: signInEnds() });
  // Midnight: the day that was today is not any more.
  const wasToday = shown?.date === calendarDay(new Date(now - 5000));
  if (tab === "done" && wasToday && shown.date !== calendarDay(new Date(now))) openTab("done");
}

readSettings();
set({ now: serverNow(), aliveAt: serverNow() });
onChange(draw);
session.addEventListener("change", sessionChanged);
sessionChanged();
startChime();
listenForPrinting();
stayAwake();
setInterval(tick, 1000);
addEventListener("keydown", pressed);
addEventListener("pointerdown", pressedElsewhere);
addEventListener("pointerdown", chooseColumn);
addEventListener("focusin", chooseColumn);
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
document.addEventListener("visibilitychange", stayAwake);
void follow({
  load,
  apply: (changes) => { set(applyChanges({ ...state(), now: serverNow() }, changes, Date.now())); },
  alive: () => { set({ aliveAt: serverNow(), isLost: false }); },
  lost: () => { set({ isLost: true, now: serverNow() }); },
  quietMs: 3000,
});
