/** The placed orders that the page follows, and the way to them. */

import { isRefusal, read } from "../shared/api.ts";
import type { Order } from "../shared/types.ts";
import { savedVisits } from "./basket.ts";
import { addressOf, idsFollowed, idsInAddress, type Shown } from "./state.ts";
import { set, state } from "./store.ts";

/** Throws where no answer settles it. */
export async function readOrders(): Promise<void> {
  const ids = idsFollowed(state());
  // Any other text is no id: the server would refuse the question.
  const asked = ids.filter((id) => /^[\w.~:@+,-]{1,128}$/.test(id));
  if (ids.length === 0) return;
  const query = new URLSearchParams(asked.map((id) => ["id", id]));
  const found = asked.length === 0 ? [] : await read<readonly Order[]>(`api/orders?${query}`)
    .then(({ data }) => data, (fault: unknown) => {
      if (isRefusal(fault, 401)) return undefined;
      throw fault;
    });
  const shown = ids.map((id): readonly [string, Shown] =>
    [id, found === undefined ? "signed out" : found.find((one) => one.id === id) ?? "missing"]);
  set({ orders: { ...state().orders, ...Object.fromEntries(shown) } });
}

/** Shows what the address asks for. */
export function route(): void {
  set({
    ids: idsInAddress(), visits: savedVisits(), message: "", isUnfolded: false, isJustPlaced: false,
  });
  // Without an answer the stream is lost too, and reads everything when it is back.
  readOrders().catch(() => undefined);
}

export function goToOrders(ids: readonly string[]): void {
  history.pushState(null, "", addressOf(ids));
  route();
  scrollTo(0, 0);
  queueMicrotask(() => { document.getElementById("title")?.focus(); });
}
