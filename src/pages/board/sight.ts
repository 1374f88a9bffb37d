/** The cards that are in sight, and how many are below. */

import { type Stage, stages } from "./orders.ts";
import { type Below, set, state } from "./state.ts";

/** As far as the browser has told. */
const inSight = new WeakMap<Element, boolean>();

/** The browser reports the cards in sight. Measuring would lay out every card at each draw. */
const sight = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) inSight.set(target, isIntersecting);
  countBelow();
  // A card counts once its number is in sight.
}, { scrollMargin: "0px 0px -40px" });

/** Counts the orders below what is in sight, in each column. */
export function countBelow(): void {
  const below = Object.fromEntries(stages.map((stage) => [stage, belowIn(stage)]));
  if (JSON.stringify(below) !== JSON.stringify(state().below)) set({ below });
}

function belowIn(stage: Stage): Below | undefined {
  const cards = [...listOf(stage)?.children ?? []] as HTMLElement[];
  for (const card of cards) sight.observe(card);
  const first = cards.findIndex((card) => inSight.get(card));
  // The column is empty or not shown, as most are on a phone, or the browser has not told yet.
  if (first < 0) return undefined;
  const hidden = cards.slice(first).filter((card) => inSight.get(card) === false);
  return {
    count: hidden.reduce((sum, { dataset }) => sum + Number(dataset["count"]), 0),
    hasNew: hidden.some((card) => card.matches(".is-new")),
  };
}

/** The newest are at the end. */
export function scrollColumn(stage: Stage): void {
  const list = listOf(stage);
  list?.scrollTo({ top: list.scrollHeight, behavior: "smooth" });
}

function listOf(stage: Stage): HTMLElement | null {
  return document.querySelector(`.cards[data-stage="${stage}"]`);
}
