/**
 * What the board does to its device: it remembers settings, rings, keeps the screen on, prints,
 * saves a table, and measures what is in sight.
 */

import { isNumber, isShapeOf, keep, kept } from "../shared/storage.ts";
import { isNew, stages } from "./orders.ts";
import type { Limits, OpenOrder, Stage } from "./orders.ts";
import { noneBelow, pendingCount } from "./state.ts";
import type { Below, Settings } from "./state.ts";
import { drawNow, set, state } from "./store.ts";
import { t } from "../shared/words.ts";

const isSettings = isShapeOf<Settings>({
  scale: isNumber,
  chimes: isSwitch,
  usesKeys: isSwitch,
  limits: isShapeOf<Limits>({
    Pending: isNumber, Preparing: isNumber, Ready: isNumber, "Out for Delivery": isNumber,
  }),
});

function isSwitch(value: unknown): value is boolean {
  return typeof value === "boolean";
}

export function readSettings(): void {
  set({ settings: kept("board", isSettings) ?? state().settings });
}

export function keepSettings(change: Partial<Settings>): void {
  const settings = { ...state().settings, ...change };
  set({ settings });
  keep("board", settings);
}

/** The lock ends when the page is hidden, and a browser may refuse it: the board works on. */
export function stayAwake(): void {
  if (document.visibilityState !== "visible") return;
  navigator.wakeLock?.request("screen").catch(() => undefined);
}

const ringEveryMs = 8000;
/** A rising fourth, in hertz: heard over an extractor fan without being a siren. */
const notes = [784, 1047];
const bell: { audio: AudioContext | undefined; waiting: number } = { audio: undefined, waiting: 0 };

/** Rings while an order is Pending, and at once when there are more than before. */
export function startChime(): void {
  setInterval(ring, ringEveryMs);
  for (const gesture of ["pointerup", "keydown"]) addEventListener(gesture, allowSound);
}

export function chimeForMore(): void {
  const waiting = pendingCount(state());
  const isMore = waiting > bell.waiting;
  bell.waiting = waiting;
  if (isMore) ring();
}

function allowSound(): void {
  if (bell.audio?.state === "running") return;
  bell.audio ??= new AudioContext();
  void bell.audio.resume().then(() => {
    set({ isMuted: bell.audio?.state !== "running" });
    ring();
  });
}

function ring(): void {
  const { settings: { chimes }, isStaff } = state();
  if (bell.waiting === 0 || bell.audio?.state !== "running" || !chimes || !isStaff) return;
  for (const [index, hertz] of notes.entries()) strike(bell.audio, hertz, index);
}

function strike(audio: AudioContext, hertz: number, index: number): void {
  const [tone, loudness] = [audio.createOscillator(), audio.createGain()];
  const start = audio.currentTime + index * 0.22;
  const end = start + 1.2;
  tone.frequency.value = hertz;
  loudness.gain.setValueAtTime(0.5, start);
  loudness.gain.exponentialRampToValueAtTime(0.001, end);
  tone.connect(loudness).connect(audio.destination);
  tone.start(start);
  tone.stop(end);
}

/** What is to be printed when nobody asked for one order: all that are open. */
export function listenForPrinting(): void {
  const printAll = (): void => {
    if (state().printing.length === 0) layTickets([...state().orders.values()]);
  };
  addEventListener("beforeprint", printAll);
  addEventListener("afterprint", () => { set({ printing: [] }); });
  // A browser may tell that the medium is a screen again before it has printed all pages: that is
  // no sign that the tickets can go.
  matchMedia("print").addEventListener("change", ({ matches }) => { if (matches) printAll(); });
}

export function printTicket(order: OpenOrder): void {
  layTickets([order]);
  print();
}

/** Each ticket is a page of its own, 80 mm wide and as high as what it says. */
function layTickets(printing: readonly OpenOrder[]): void {
  set({ printing });
  drawNow();
  const pages = new CSSStyleSheet();
  const tickets = document.querySelectorAll<HTMLElement>(".ticket");
  pages.replaceSync([...tickets].map((ticket, index) => {
    const millimeters = Math.ceil(ticket.getBoundingClientRect().height / 96 * 25.4) + 1;
    return `@page ticket-${index} { size: 80mm ${millimeters}mm; margin: 0; }`;
  }).join("\n"));
  document.adoptedStyleSheets = [pages];
}

export function download(name: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  link.download = name;
  link.click();
  // The browser has taken it by then.
  setTimeout(() => { URL.revokeObjectURL(link.href); }, 60_000);
}

/** How much of a card must be seen for it to count as in sight: its number. */
const headPx = 40;

/** Counts the cards below what is in sight, in each column. */
export function measureColumns(): void {
  const before = state();
  const below = Object.fromEntries(stages.map((stage) => [stage, belowIn(stage)])) as
    Record<Stage, Below>;
  if (JSON.stringify(below) !== JSON.stringify(before.below)) set({ below });
}

function belowIn(stage: Stage): Below {
  const list = listOf(stage);
  if (list === null) return noneBelow;
  const bottom = list.scrollTop + list.clientHeight;
  const isInside = list.scrollHeight <= list.clientHeight;
  const hidden = isInside ? [] : [...list.querySelectorAll<HTMLElement>(":scope > li")]
    .filter(({ offsetTop }) => offsetTop + headPx > bottom);
  const { orders, now } = state();
  return {
    count: hidden.length,
    isScrolled: list.scrollTop > headPx,
    isNew: hidden.some(({ dataset }) => {
      const one = orders.get(dataset["order"] ?? "");
      return one !== undefined && isNew(one, now);
    }),
  };
}

/** The newest are at the end; from there the way leads back to the top. */
export function scrollColumn(stage: Stage): void {
  const list = listOf(stage);
  const isAtEnd = list !== null && state().below[stage].count === 0;
  list?.scrollTo({ top: isAtEnd ? 0 : list.scrollHeight, behavior: "smooth" });
}

function listOf(stage: Stage): HTMLElement | null {
  return document.querySelector(`.cards[data-stage="${stage}"]`);
}

/** Space between a menu and what is around it. */
const gapPx = 4;

/**
 * Puts the open menu beside its button, over what a card or a row says. It never covers a main
 * button: where there is little room below it opens upward, and where there is little at all it
 * scrolls inside.
 */
export function placePopup(): void {
  const popup = document.querySelector<HTMLElement>(".popup");
  const button = document.querySelector<HTMLElement>(".more[aria-expanded=true]");
  if (popup === null || button === null) return;
  popup.style.maxBlockSize = "";
  const [from, row] = [button.getBoundingClientRect(), boxOf(button, "li")];
  const main = boxOf(button, "li", ".ways");
  const isBeside = main !== undefined && row !== undefined && main.width < row.width / 2;
  const isRtl = document.dir === "rtl";
  const width = popup.offsetWidth;
  // On a card it lies over the contents: at the start, as wide as the space beside the buttons.
  const edge = isRtl ? (main ? row?.right ?? 0 : from.right) : (main ? row?.left ?? 0 : from.left);
  const end = main && isBeside ? (isRtl ? main.right + gapPx : main.left - gapPx)
    : isRtl ? row?.left ?? 0 : row?.right ?? innerWidth;
  const left = main === undefined ? (isRtl ? from.left : from.right - width)
    : isRtl ? Math.max(end, edge - width - gapPx) : Math.min(edge + gapPx, end - width);
  const top = main && !isBeside ? main.bottom + gapPx : from.bottom + gapPx;
  const others = [...document.querySelectorAll(".cards .ways")]
    .map((one) => one.getBoundingClientRect())
    .filter((box) => box.left < left + width && box.right > left);
  const lower = Math.min(innerHeight, ...others.map((box) => box.top).filter((y) => y >= top));
  const upper = Math.max(0, ...others.map((box) => box.bottom).filter((y) => y <= from.top));
  const [below, above] = [lower - top - gapPx, from.top - upper - 2 * gapPx];
  const goesUp = popup.offsetHeight > below && above > below;
  const height = Math.min(popup.offsetHeight, Math.max(goesUp ? above : below, 0));
  popup.style.maxBlockSize = `${height}px`;
  popup.style.left = `${Math.max(gapPx, left)}px`;
  popup.style.top = `${goesUp ? from.top - gapPx - height : top}px`;
}

function boxOf(element: Element, row: string, part?: string): DOMRect | undefined {
  const found = element.closest(row);
  return (part === undefined ? found : found?.querySelector(part))?.getBoundingClientRect();
}

/** Opens the dialog that was drawn, and the menu: they take the focus. */
export function showOverlays(): void {
  const dialog = document.querySelector<HTMLDialogElement>("dialog.form");
  if (dialog !== null && !dialog.open) dialog.showModal();
  const popup = document.querySelector<HTMLElement>(".popup");
  if (popup !== null && popup.dataset["shown"] !== state().popup) {
    popup.dataset["shown"] = state().popup ?? "";
    placePopup();
    popup.querySelector("button")?.focus({ preventScroll: true });
  }
}

export function showTitle(): void {
  const { menu } = state();
  const pending = pendingCount(state());
  const title = t("{shop}: kitchen", { shop: menu.shop.name });
  const text = pending > 0 ? `(${pending}) ${title}` : title;
  if (document.title !== text) document.title = text;
}

