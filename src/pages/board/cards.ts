/** The content of an order's card: its pizzas, its one clock, its buttons. Pure values. */

import { isSoldOut, type Menu } from "../shared/menu.ts";
import { type PizzaRow, type Stage, statusFacts } from "../shared/orders.ts";
import { pizzaParts, type PizzaParts } from "../shared/pizza-text.ts";
import type { Status } from "../shared/types.ts";
import { clockText, t } from "../shared/words.ts";
import { type BoardOrder, isCancelledElsewhere, type Pizza } from "./known-orders.ts";
import { isNew, sinceOf } from "./lists.ts";
import { isToMake } from "./statuses.ts";

const minuteMs = 60_000;
const lateAfterMinutes = 15;
const veryLateAfterMinutes = 30;
const coldAfterMinutes = 5;
const maxMinutes = 180;

/** A card does not show what was cancelled here. */
export function isOnCard(pizza: Pizza): boolean {
  return pizza.status !== "Cancelled" || isCancelledElsewhere(pizza);
}

function minutesSince(moment: string, now: number): number {
  return Math.max(0, Math.floor((now - Date.parse(moment)) / minuteMs));
}

/** Minutes, and after three hours hours: "71 min", "3 h". */
export function ageText(moment: string, now: number): string {
  const minutes = minutesSince(moment, now);
  return minutes <= maxMinutes ? t("{minutes} min", { minutes })
    : t("{hours} h", { hours: Math.floor(minutes / 60) });
}

/** 0: in time. 1: for 15 minutes it should have been there. 2: for 30. */
export type Lateness = 0 | 1 | 2;

export function latenessOf({ stage, dueAt }: BoardOrder, now: number): Lateness {
  const minutes = minutesSince(dueAt, now);
  return stage === "closed" || minutes < lateAfterMinutes ? 0
    : minutes < veryLateAfterMinutes ? 1 : 2;
}

/** Pizzas get cold. */
export function isCold(order: BoardOrder, now: number): boolean {
  return order.stage === "ready" && minutesSince(sinceOf(order), now) >= coldAfterMinutes;
}

/** The one clock: the time it is wanted at, the time a new one came, or how long ago that was. */
export function clockOf(order: BoardOrder, now: number): string {
  const { wantedAt, placedAt } = order;
  return isNew(order, now) && wantedAt === undefined && latenessOf(order, now) === 0
    ? clockText(placedAt) : dueText(order, now);
}

/** "for 19:30", then how long ago that was; without a wanted time how long ago it was placed. */
export function dueText({ dueAt, wantedAt }: BoardOrder, now: number): string {
  return wantedAt !== undefined && now < Date.parse(wantedAt)
    ? t("for {time}", { time: clockText(wantedAt) }) : ageText(dueAt, now);
}

/** A button that moves pizzas on. */
export interface Move {
  readonly pizzas: readonly Pizza[];
  readonly to: Status;
  readonly label: string;
}

export function pizzasAt({ pizzas }: BoardOrder, stage: Stage): readonly Pizza[] {
  return pizzas.filter(({ status }) => statusFacts[status].stage === stage);
}

/** The one button for the whole order. */
export function mainMove(order: BoardOrder): Move | undefined {
  const { stage, count, table } = order;
  const pizzas = pizzasAt(order, stage);
  const move = (to: Status, label: string): Move => ({ pizzas, to, label });
  switch (stage) {
    case "new": return move("Preparing", t("Start"));
    case "making":
      return move("Ready", count === 1 ? t("Ready")
        : t("All {count} ready", { count: pizzas.length }));
    case "ready": return move("Delivered", table === "" ? t("Picked up") : t("Served"));
    case "on the way": return move("Delivered", t("Delivered"));
    case "closed": return undefined;
  }
}

/** Where a press on a row of equal pizzas brings them. Undefined before Start, and in the end. */
export function nextStatus([{ status }]: PizzaRow): Status | undefined {
  const { stage } = statusFacts[status];
  return stage === "making" ? "Ready" : stage === "ready" ? "Preparing" : undefined;
}

/** The parts of a pizza that its row shows. Toppings also where nothing else tells them. */
export function shownParts(menu: Menu, [pizza]: PizzaRow, showsToppings: boolean): PizzaParts {
  const parts = pizzaParts(menu, pizza);
  const isTold = parts.differences !== undefined && !showsToppings;
  return { ...parts, toppings: isTold ? [] : parts.toppings };
}

/** Items of a pizza that is still to be made, and that are sold out by now. */
export function soldOutIn(menu: Menu, pizza: Pizza): readonly string[] {
  if (!isToMake(pizza)) return [];
  const { pizzaSize, toppings, pizza: name } = pizza;
  const names = toppings.filter(({ id }) => isSoldOut(menu, "toppings", id))
    .map((topping) => topping.name);
  const isSizeOut = isSoldOut(menu, "pizzasizes", pizzaSize.id);
  return [...new Set([...isSizeOut ? [pizzaSize.name] : [], ...names])]
    .filter((each) => each !== name);
}
