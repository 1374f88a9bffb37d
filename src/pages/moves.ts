/**
 * Moves orders from status to status, each write bound to the very state its tap was aimed at
 * (If-Match): of two tablets on one order the slower one changes nothing and sees the newer state.
 * What came of it is told in a row of its own at the foot, which covers nothing, with a way to undo
 * it for ten seconds. No notice moves while it is there, but the oldest makes room.
 */

import { explain, isRefusal, read, write } from "./api.ts";
import { button, el, part } from "./dom.ts";
import { orderPath, stages } from "./model.ts";
import type { Order, Status } from "./model.ts";
import { t } from "./words.ts";

type Take = (order: Order) => Promise<void>;

/** By order, the latest of its moves that are under way, and the state it was aimed at. */
const underWay = new Map<string, { readonly seen: Order; readonly moving: Promise<unknown> }>();
/** The latest of them that is no undo. */
let latest: Promise<HTMLElement | undefined> | undefined;
/** Each order as this board left it, while that can be undone: a second undo starts there. */
const left = new Map<string, Order>();

/**
 * `seen` is the order as the tap found it, `take` shows what it became. Every outcome is told;
 * nothing is thrown. A second tap on the same state does nothing; one on what a move has made of
 * the order waits until that move is over.
 */
export function moveOrder(
  seen: Order, to: Status, take: Take, undoable = true,
): Promise<unknown> {
  const { id } = seen;
  const before = underWay.get(id);
  if (before?.seen.updatedAt === seen.updatedAt) return before.moving;
  const moving = Promise.resolve(before?.moving)
    .then(() => carryOut(seen, to, take, undoable)).finally(() => {
      if (underWay.get(id)?.moving === moving) underWay.delete(id);
      if (latest === moving) latest = undefined;
    });
  underWay.set(id, { seen, moving });
  if (undoable) latest = moving;
  return moving;
}

/** Undoes the move that is under way, once it is done, and none where it fails; else the latest. */
export async function undoLastMove(): Promise<void> {
  const moving = latest;
  const undo = await moving;
  if (undo?.isConnected) undo.click();
  else if (!moving || undo) undoLatest();
}

/** Resolves to the button that undoes it, if there is one. */
async function carryOut(
  seen: Order, to: Status, take: Take, undoable: boolean,
): Promise<HTMLElement | undefined> {
  const { id } = seen;
  try {
    const { order, written } = await advance(seen, to);
    if (written) leave(order);
    await take(order);
    const undo = async () => {
      while (underWay.has(id)) await underWay.get(id)?.moving;
      await moveOrder(left.get(id) ?? order, seen.status, take, false);
    };
    const stage = stages[order.status];
    if (written) {
      return notify(t("{number}: {stage}", { number: id, stage }),
        undoable ? () => { void undo(); } : undefined);
    }
    return notify(t("{number} was changed on another screen: {stage}", { number: id, stage }));
  } catch (fault) {
    return notify(`${id}: ${explain(fault)}`);
  }
}

function leave(order: Order): void {
  left.set(order.id, order);
  setTimeout(() => { if (left.get(order.id) === order) left.delete(order.id); }, shownForMs);
}

/** The order as it is stored now, and whether that is our doing. */
async function advance(seen: Order, to: Status): Promise<{ order: Order; written: boolean }> {
  const path = orderPath(seen.id);
  // Lists and events carry no ETag, so it is fetched, with the state that it stands for.
  const { data, etag } = await read<Order>(path);
  if (data.updatedAt !== seen.updatedAt) return { order: data, written: false };
  try {
    const answer = await write<Order>("PATCH", path, { status: to }, etag);
    return { order: answer.data, written: true };
  } catch (fault) {
    if (!isRefusal(fault, 412)) throw fault;
    return { order: (await read<Order>(path)).data, written: false };
  }
}

/** How long an undo can be had. */
const shownForMs = 10_000;

/** Narrower, a line with its button is cut off. */
const placePx = 300;

/** Returns the button that undoes it, if there is one. */
export function notify(text: string, undo?: () => void): HTMLElement | undefined {
  const line = el("div", { class: "notice" }, el("span", {}, text));
  const drop = () => {
    const hadFocus = line.contains(document.activeElement);
    line.remove();
    if (hadFocus) document.querySelector<HTMLElement>("[aria-current=true]")?.focus();
  };
  const way = undo && button("undo", () => {
    drop();
    undo();
  }, t("Undo"));
  if (way) line.append(way);
  line.style.gridColumn = String(freePlace());
  part("notices").append(line);
  setTimeout(drop, shownForMs);
  return way;
}

/** The latest stands last in the document, wherever its place is. */
function undoLatest(): void {
  [...part("notices").querySelectorAll("button")].at(-1)?.click();
}

/** In sight: the oldest one there moves behind the others, where it can be scrolled to. */
function freePlace(): number {
  const inSight = Math.max(1, Math.floor(part("notices").clientWidth / placePx));
  const lines = [...part("notices").querySelectorAll<HTMLElement>(".notice")];
  const placeOf = ({ style }: HTMLElement) => Number(style.gridColumnStart);
  const taken = lines.map(placeOf);
  for (let place = 1; place <= inSight; place += 1) if (!taken.includes(place)) return place;
  const oldest = lines.find((line) => placeOf(line) <= inSight);
  const place = oldest === undefined ? 1 : placeOf(oldest);
  if (oldest !== undefined) oldest.style.gridColumn = String(Math.max(...taken) + 1);
  return place;
}
