/** The trackers of an address, and their words for guests. Pure values. */

import {
  isOpen, possibleNumbers, statusFacts, type WholeOrder, wholeOrders,
} from "../shared/orders.ts";
import type { Status } from "../shared/types.ts";
import { t, timeText } from "../shared/words.ts";
import { ownOrderOf, ownWholeOrders } from "./own-orders.ts";
import { isMenuShown, isStaff, type State } from "./state.ts";

/** A placed order that waits for longer says since when. */
const longWaitMs = 15 * 60_000;

/** The orders of the number in the address: those of a group, else the one with that id. */
export function trackersOf(state: State): readonly WholeOrder[] {
  if (isMenuShown(state)) return [];
  const orders = [...state.orders.values()];
  const lists = possibleNumbers(state.addressNumber).flatMap((number) => [
    orders.filter(({ group }) => group === number), orders.filter(({ id }) => id === number),
  ]);
  return wholeOrders(lists.find((found) => found.length > 0) ?? []);
}

/** Whether an order of this device waits to be eaten. */
export function isAnyReady(state: State): boolean {
  return [...ownWholeOrders(state.ownOrders, state.orders), ...trackersOf(state)]
    .some(({ stage }) => stage === "ready");
}

/** The table in the header: that of all orders that are shown, else that of the address. */
export function tableShown(state: State): string {
  const [first = "", ...others] = new Set(trackersOf(state).map(({ table }) => table));
  return others.length === 0 && first !== "" ? first : state.addressTable;
}

/** Why a number shows no orders. */
export type Absence = "loading" | "refused" | "missing" | "foreign" | "not followed" | "unknown";

export function absenceOf(state: State): Absence {
  const { isAddressKnown, isDenied, refused, claims, addressNumber, ownOrders } = state;
  if (!isAddressKnown) return "loading";
  const ownOrder = possibleNumbers(addressNumber)
    .map((number) => ownOrderOf(ownOrders, number)).find(Boolean);
  if (isDenied && refused !== undefined) return "refused";
  if (ownOrder !== undefined) {
    return isStaff(state) || ownOrder.by === (claims?.sub ?? "") ? "missing" : "not followed";
  }
  // The shop lists a customer's own orders alone, or all of them: the page cannot tell which.
  return isDenied || claims !== undefined && !isStaff(state) ? "foreign" : "unknown";
}

/** The words that guests see for a status. At a table some are others. */
const statusNames: Readonly<Record<Status, string>> = {
  Pending: t("Received"),
  Preparing: t("Being made"),
  Ready: t("Ready"),
  "Out for Delivery": t("On its way"),
  Delivered: t("Delivered"),
  Cancelled: t("Cancelled"),
};

export function statusName(status: Status, isAtTable: boolean): string {
  return status === "Delivered" && isAtTable ? t("Served") : statusNames[status];
}

interface ProgressStep {
  readonly name: Status;
  readonly progress: "done" | "now" | "cancelled" | "ahead";
}

/** The way of an order with that status, from the first step to the last. */
export function stepsOf(status: Status): readonly ProgressStep[] {
  if (status === "Cancelled") {
    return [{ name: "Pending", progress: "done" }, { name: status, progress: "cancelled" }];
  }
  const made = status === "Out for Delivery" ? status : "Ready";
  const names = ["Pending", "Preparing", made, "Delivered"] as const;
  const now = names.indexOf(status);
  return names.map((name, index) => ({
    name,
    progress: index < now || status === "Delivered" ? "done" : index === now ? "now" : "ahead",
  }));
}

/** How far an order is, in few words: for the title of the tab, and for an own order. */
export function progressText({ stage, count, readyCount, table }: WholeOrder): string {
  const isPartReady = readyCount > 0 && readyCount < count;
  if (isPartReady) {
    return t("{count} of {total} pizzas are ready.", { count: readyCount, total: count });
  }
  switch (stage) {
    case "new": return statusNames.Pending;
    case "making": return statusNames.Preparing;
    case "ready": return statusNames.Ready;
    case "on the way": return statusNames["Out for Delivery"];
    case "closed": return statusName(count === 0 ? "Cancelled" : "Delivered", table !== "");
  }
}

/** The sentence about an order, large above its pizzas. `now`: by `serverNow`. */
export function headlineOf(whole: WholeOrder, state: State, now: number): string {
  const { stage, count, readyCount, table, pizzas } = whole;
  if (readyCount > 0 && readyCount < count) return progressText(whole);
  const isRest = pizzas.some(({ status }) => status === "Delivered");
  const begun = pizzas.filter(({ status }) => statusFacts[status].stage === "making").length;
  if (begun > 0) {
    return count === 1 ? t("Your pizza is being made.")
      : t("{count} of {total} pizzas are being made.", { count: begun, total: count });
  }
  switch (stage) {
    case "new": return receivedText(whole, state, now);
    case "on the way":
      return isRest ? t("The rest is on its way.") : statusNames["Out for Delivery"];
    case "closed": return count === 0 ? t("This order was cancelled.") : t("Enjoy your meal!");
    case "making":
    case "ready":
      return `${isRest ? t("The rest is ready.") : t("Ready!")} ${
        table === "" ? t("Come and get it.") : t("We bring it to {table}.", { table })}`;
  }
}

function receivedText({ dueAt, placedAt }: WholeOrder, state: State, now: number): string {
  if (state.isJustPlaced) {
    return isStaff(state) ? t("The kitchen has it.") : t("Thank you! The kitchen has it.");
  }
  if (now - Date.parse(dueAt) < longWaitMs) return t("The kitchen has your order and starts soon.");
  return t("The kitchen has your order since {time} and hasn’t begun.", {
    time: timeText(Date.parse(placedAt)),
  });
}

/** While the shop can still change or cancel it. */
export function isAnyOpen({ pizzas }: WholeOrder): boolean {
  return pizzas.some(isOpen);
}
