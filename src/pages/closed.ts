/**
 * The orders of a day: those that are closed, with a way back; the day in figures, bars and as CSV.
 * A day's orders are those placed on it, by this device's calendar.
 */

import { explain, read, serverNow } from "./api.ts";
import { button, byId, el, onClick, part, setText, unseen } from "./dom.ts";
import { takeOrder } from "./kitchen.ts";
import { parts, stages, tally } from "./model.ts";
import type { Order, Reference, Status } from "./model.ts";
import { moveOrder } from "./moves.ts";
import { clock, day, number, t } from "./words.ts";

const made: readonly Status[] = ["Ready", "Out for Delivery", "Delivered"];
/** As many as are looked through by eye. */
const shownAtOnce = 60;

const dayInput = byId("day", HTMLInputElement);
const search = byId("closed-search", HTMLInputElement);
/** The day that was read last, and its orders; none are known of a day that could not be read. */
let known: { readonly day: string; readonly orders: readonly Order[] } | undefined;
/** What was found by its number on another day. */
let elsewhere: readonly Order[] = [];
/** The reading of a day that is under way; what it reads may be out of date when it is there. */
let reading: Promise<void> | undefined;
let isOutdated = false;
/** Until another day is chosen it is today, also after midnight. */
let isToday = true;

dayInput.addEventListener("change", () => { choose(dayInput.value); });
for (const [id, by] of [["day-before", -1], ["day-after", 1]] as const) {
  onClick(id, () => {
    const { start } = chosenDay();
    start.setDate(start.getDate() + by);
    choose(calendarDay(start));
  });
}
search.addEventListener("input", () => {
  elsewhere = [];
  showList();
});
part("closed-find").addEventListener("submit", (event) => {
  event.preventDefault();
  void find();
});
onClick("csv", saveCsv);

/** Reads and shows the day that is chosen. */
export function showClosed(): Promise<void> {
  if (isToday) dayInput.value = calendarDay(new Date(serverNow()));
  isOutdated = true;
  reading ??= readDay().finally(() => { reading = undefined; });
  return reading;
}

/** After a change of one order while the tab is shown: reads that one again. */
export async function closedChanged(id: string): Promise<void> {
  if (reading !== undefined || known === undefined) return showClosed();
  const { day: shown, orders } = known;
  const { data } = await read<Order[]>(`api/orders?embed=names&id=${encodeURIComponent(id)}`);
  if (known?.day !== shown) return;
  const others = orders.filter((order) => order.id !== id);
  const ofDay = data.filter(({ placedAt }) => calendarDay(new Date(placedAt)) === shown);
  known = { day: shown, orders: [...others, ...ofDay] };
  elsewhere = elsewhere.flatMap((order) => order.id === id ? data : [order]);
  showList();
  showFigures();
}

function choose(value: string): void {
  dayInput.value = value;
  isToday = value === "" || value === calendarDay(new Date(serverNow()));
  void showClosed();
}

async function readDay(): Promise<void> {
  while (isOutdated) {
    isOutdated = false;
    const { start, end } = chosenDay();
    const { value } = dayInput;
    const query = `since=${start.toISOString()}&until=${end.toISOString()}`;
    try {
      const orders = await readAll(`api/orders?embed=names&limit=1000&${query}`);
      known = { day: value, orders };
      setText(part("closed-note"), "");
    } catch (fault) {
      if (known?.day !== value) known = undefined;
      setText(part("closed-note"), explain(fault));
    }
  }
  showList();
  showFigures();
}

/** All pages of a list. */
async function readAll(path: string): Promise<Order[]> {
  const { data, next } = await read<Order[]>(path);
  return next === undefined ? data : [...data, ...await readAll(next)];
}

function chosenDay(): { start: Date; end: Date } {
  const [year = 0, month = 1, date = 1] = dayInput.value.split("-").map(Number);
  return { start: new Date(year, month - 1, date), end: new Date(year, month - 1, date + 1) };
}

function calendarDay(date: Date): string {
  const two = (value: number) => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** By its whole number, on whatever day it was placed; people type it in small letters too. */
async function find(): Promise<void> {
  const id = search.value.trim();
  if (id === "") return;
  const ids = [...new Set([id, id.toUpperCase()])].map((one) => `id=${encodeURIComponent(one)}`);
  try {
    elsewhere = (await read<Order[]>(`api/orders?embed=names&${ids.join("&")}`)).data;
    showList();
  } catch (fault) {
    setText(part("closed-note"), explain(fault));
  }
}

function showList(): void {
  const wanted = search.value.trim().toLowerCase();
  const all = new Map([...known?.orders ?? [], ...elsewhere].map((order) => [order.id, order]));
  const closed = [...all.values()].filter(({ id, status }) =>
    id.toLowerCase().includes(wanted) && (isClosed(status) || wanted !== ""));
  closed.sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1));
  const rest = closed.length - shownAtOnce;
  const none = known === undefined ? ""
    : wanted === "" ? t("No order of this day is closed yet.")
      : t("No order of this day has that number: Find looks through all days.");
  const lines = closed.slice(0, shownAtOnce).map(line);
  if (rest > 0) lines.push(el("li", {}, t("{count} more: search by number", { count: rest })));
  part("closed-list").replaceChildren(
    ...lines.length > 0 ? lines : [el("li", { class: "quiet" }, none)]);
}

function moment(date: Date): string {
  return t("{day}, {time}", { day: day(date), time: clock(date) });
}

function isClosed(status: Status): boolean {
  return status === "Delivered" || status === "Cancelled";
}

function line(order: Order): HTMLElement {
  const { id, status, placedAt, updatedAt } = order;
  const to = status === "Delivered" ? "Ready" : "Pending";
  const reopen = button("staff", () => {
    void moveOrder(order, to, takeOrder).then(() => closedChanged(id)).then(() => {
      if (document.activeElement === document.body) search.focus();
    });
  }, t("Reopen"), unseen(` ${id}`));
  const text = parts(order).flatMap(tally).map((one) => one.text).join(" · ");
  const [placed, changed] = [new Date(placedAt), new Date(updatedAt)];
  return el("li", {},
    el("p", {}, el("b", {}, id), " ", stages[status], el("br"),
      el("time", { datetime: placedAt }, moment(placed)), " → ",
      el("time", { datetime: updatedAt },
        placed.toDateString() === changed.toDateString() ? clock(changed) : moment(changed)),
      el("br"), el("bdi", {}, text)),
    ...isClosed(status) ? [reopen] : []);
}

function showFigures(): void {
  const { orders } = known ?? {};
  part("of-day").hidden = part("bars-of-day").hidden = orders === undefined;
  if (orders === undefined) return;
  const done = orders.filter(({ status }) => made.includes(status));
  const count = (status: Status) => orders.filter((order) => order.status === status).length;
  const figures = [
    [t("Orders"), orders.length], [t("Delivered"), count("Delivered")],
    [t("Cancelled"), count("Cancelled")], [t("Pizzas made"), done.length],
    [t("Drinks"), done.flatMap(({ beverages }) => beverages).length],
  ] as const;
  part("figures").replaceChildren(...figures.map(([label, value]) =>
    el("div", {}, el("dt", {}, label), el("dd", {}, number(value)))));
  part("bars-of-day").replaceChildren(
    bars(t("Orders by hour"), byHour(orders)),
    bars(t("Sizes made"), byCount(done.map(({ pizzaSize }) => pizzaSize))),
    bars(t("Toppings made"), byCount(done.flatMap(({ toppings }) => toppings))));
}

function byCount(references: readonly Reference[]): Row[] {
  return tally(references).map(({ name, count }) => [name, count] as const)
    .sort(([, a], [, b]) => b - a);
}

/** From the first hour with an order to the last, those without one too. */
function byHour(orders: readonly Order[]): Row[] {
  const hours = orders.map(({ placedAt }) => new Date(placedAt).getHours());
  const [first, last] = [Math.min(...hours), Math.max(...hours)];
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => {
    const hour = first + index;
    const label = clock(new Date(2000, 0, 1, hour));
    return [label, hours.filter((one) => one === hour).length] as const;
  });
}

type Row = readonly [label: string, count: number];

function bars(title: string, rows: readonly Row[]): HTMLElement {
  const most = Math.max(...rows.map(([, count]) => count));
  return el("table", {}, el("caption", {}, title), el("tbody", {}, ...rows.map(([label, count]) => {
    const bar = el("span", { class: "bar-line" });
    bar.style.inlineSize = `${(count / most) * 100}%`;
    return el("tr", {}, el("th", { scope: "row" }, label),
      el("td", {}, bar, number(count)));
  })));
}

/** RFC 4180, with the mark by which spreadsheets know UTF-8. */
function saveCsv(): void {
  const head = [
    t("Number"), t("Placed"), t("Last change"), t("Stage"), t("Size"), t("Toppings"), t("Drinks"),
  ];
  const rows = (known?.orders ?? []).map((order) => [
    order.id, localTime(order.placedAt), localTime(order.updatedAt), stages[order.status],
    ...parts(order).map((list) => tally(list).map(({ text }) => text).join("; ")),
  ]);
  const text = [head, ...rows].map((cells) => `${cells.map(cell).join(",")}\r\n`).join("");
  const url = URL.createObjectURL(new Blob([`\ufeff${text}`], { type: "text/csv" }));
  el("a", { href: url, download: `${t("orders")}-${known?.day}.csv` }).click();
  // The browser has taken it by then.
  setTimeout(() => { URL.revokeObjectURL(url); }, 60_000);
}

/** A spreadsheet works out what begins like a formula, and a name is anybody's: made a text. */
function cell(text: string): string {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n;]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

function localTime(moment: string): string {
  const date = new Date(moment);
  return `${calendarDay(date)} ${date.toTimeString().slice(0, 5)}`;
}
