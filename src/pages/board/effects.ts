/**
 * The board's device: remembers settings, rings, keeps the screen on, prints, saves a table, and
 * knows the cards that are in sight.
 */

import { save } from "../shared/storage.ts";
import { t } from "../shared/words.ts";
import { type OpenOrder, type Stage, stages } from "./orders.ts";
import { type Below, drawNow, pendingCount, set, type Settings, state } from "./state.ts";

export function keepSettings(change: Partial<Settings>): void {
  const settings = { ...state().settings, ...change };
  set({ settings });
  save("board", settings);
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

/** The browser's own Print command prints all open orders. */
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

/** Whether a card is in sight, as far as the browser has told. */
const inSight = new WeakMap<Element, boolean>();

/** The browser tells what comes into sight: to measure it, each draw would lay out every card. */
const sight = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) inSight.set(target, isIntersecting);
  countBelow();
  // A card counts once its number is in sight.
}, { scrollMargin: "0px 0px -40px" });

/** Counts the cards below what is in sight, in each column. */
export function countBelow(): void {
  const below = Object.fromEntries(stages.map((stage) => [stage, belowIn(stage)]));
  if (JSON.stringify(below) !== JSON.stringify(state().below)) set({ below });
}

function belowIn(stage: Stage): Below | undefined {
  const cards = [...listOf(stage)?.children ?? []];
  for (const card of cards) sight.observe(card);
  const first = cards.findIndex((card) => inSight.get(card));
  // The column is empty or not shown, as most are on a phone, or the browser has not told yet.
  if (first < 0) return undefined;
  const hidden = cards.slice(first).filter((card) => inSight.get(card) === false);
  return {
    count: hidden.length,
    isScrolled: first > 0,
    hasNew: hidden.some((card) => card.matches(".is-new")),
  };
}

/** The newest are at the end; from there the way leads back to the top. */
export function scrollColumn(stage: Stage): void {
  const list = listOf(stage);
  const isAtEnd = state().below[stage]?.count === 0;
  list?.scrollTo({ top: isAtEnd ? 0 : list.scrollHeight, behavior: "smooth" });
}

function listOf(stage: Stage): HTMLElement | null {
  return document.querySelector(`.cards[data-stage="${stage}"]`);
}

/** Space between a menu and what is around it. */
const gapPx = 4;

/**
 * Puts the open menu over what its card or row says, never over a main button. On a narrow card it
 * lies between its own buttons and the next card's, or above them where there is more room; on a
 * wide card beside its buttons; on a row of the menu tab at the end.
 */
export function placePopup(): void {
  const popup = document.querySelector<HTMLElement>(".popup");
  const button = document.querySelector<HTMLElement>(".more[aria-expanded=true]");
  const row = button?.closest("li");
  if (!popup || !button || !row) return;
  popup.style.maxBlockSize = popup.style.maxInlineSize = "";
  const startOf = ({ left, right }: DOMRect): number =>
    document.dir === "rtl" ? innerWidth - right : left;
  const [dots, card, ways] = [button.getBoundingClientRect(), row.getBoundingClientRect(),
    waysOf(row)];
  const isNarrow = ways !== undefined && ways.width > card.width / 2;
  const width = !ways ? popup.offsetWidth
    : (isNarrow ? card.width : startOf(ways) - startOf(card)) - 2 * gapPx;
  popup.style.maxInlineSize = `${width}px`;
  popup.style.insetInlineStart = `${ways ? startOf(card) + gapPx
    : startOf(dots) + dots.width - width}px`;

  const own = isNarrow ? ways : dots;
  const [before, next] = isNarrow
    ? [waysOf(row.previousElementSibling), waysOf(row.nextElementSibling)] : [];
  const above = own.top - Math.max(0, before?.bottom ?? 0) - 2 * gapPx;
  const below = Math.min(innerHeight, next?.top ?? innerHeight) - own.bottom - 2 * gapPx;
  const goesUp = popup.offsetHeight > below && above > below;
  popup.style.maxBlockSize = `${Math.max(goesUp ? above : below, 0)}px`;
  popup.style.top = `${goesUp ? own.top - gapPx - popup.offsetHeight : own.bottom + gapPx}px`;
}

function waysOf(card: Element | null): DOMRect | undefined {
  return card?.querySelector(".ways")?.getBoundingClientRect();
}

/** The focus goes back to the button that opened the menu. */
export function closePopup(): void {
  if (state().popup === undefined) return;
  const button = document.querySelector<HTMLElement>(".more[aria-expanded=true]");
  if (document.activeElement?.closest(".popup")) button?.focus({ preventScroll: true });
  set({ popup: undefined });
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
  document.title = pending > 0 ? `(${pending}) ${title}` : title;
}

