/** Counts the orders that the server looks at, by reads of their status. */

import { setImmediate } from "node:timers/promises";
import type { Order } from "../../dist/resources/order.js";

/** The most orders whose status was read in one turn of the event loop during `work`. */
export async function mostReadInATurn(
  rows: Iterable<{ readonly value: Order }>,
  work: () => Promise<void>,
): Promise<number> {
  let read = 0;
  for (const { value } of rows) {
    const { status } = value;
    const get = (): typeof status => {
      read += 1;
      return status;
    };
    Object.defineProperty(value, "status", { get, enumerable: true });
  }
  let most = 0;
  let isDone = false;
  const watching = (async () => {
    for (; !isDone; most = Math.max(most, read)) {
      read = 0;
      await setImmediate();
    }
  })();
  await work();
  isDone = true;
  await watching;
  return most;
}
