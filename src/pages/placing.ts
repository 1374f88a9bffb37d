/**
 * Places an order so that it is there exactly once. What gets no answer is sent again, the same
 * body under the same id, until there is one; a 409 then tells our own order from a stranger's.
 */

import { explain, isRefusal, passes, read, Refusal, write } from "./api.ts";
import { pause } from "./dom.ts";
import { holdsTheSame, orderPath } from "./order.ts";
import type { Order, OrderContent } from "./order.ts";
import { signIn, token } from "./session.ts";
import { t } from "./words.ts";

const longestWaitSeconds = 15;

/**
 * False: the id is another order's, and this one is not placed. Throws the Refusal that trying
 * again would not cure. `say` hears why it takes longer. Where `guests` are taken, an order
 * without a valid token is placed as one.
 */
export async function place(
  order: OrderContent, guests: boolean, say: (text: string) => void,
): Promise<boolean> {
  let isNew = false;
  for (let tries = 0; ; tries += 1) {
    try {
      if (token() === null && guests) await becomeGuest();
      await write<Order>("POST", "api/orders", order);
      return true;
    } catch (fault) {
      if (isRefusal(fault, 409) && fault.type === "id-taken") {
        return fault.identical || isOurs(order);
      }
      // An old guest's token has run out, and is dropped already: come in again.
      if (guests && !isNew && isRefusal(fault, 401)) {
        isNew = true;
        continue;
      }
      if (!passes(fault)) throw fault;
      const seconds = waitSeconds(fault, tries);
      say(t("{reason} Your order is kept, and sent again in {seconds} s.", {
        reason: explain(fault), seconds,
      }));
      await pause(seconds * 1000);
      say(t("Sending your order again…"));
    }
  }
}

/** Why an order was not taken, and what to do. */
export function whyRefused(fault: unknown): string {
  if (!(fault instanceof Refusal)) return explain(fault);
  if (fault.type === "shop-closed") return t("The shop is closed and takes no order right now.");
  if (fault.type === "sold-out") {
    return t("Something on it has just sold out. Take it off and order again.");
  }
  if (fault.status === 400) return t("Something on it is no longer on the menu. Choose again.");
  return explain(fault);
}

async function becomeGuest(): Promise<void> {
  const { data } = await write<{ readonly token: string }>("POST", "api/tokens");
  signIn(data.token);
}

/**
 * Not identical, and yet ours: the kitchen may have moved it on while its answer was lost. A
 * stranger's order that this token may not read is a 404.
 */
async function isOurs(order: OrderContent): Promise<boolean> {
  try {
    const { data } = await read<Order>(orderPath(order.id));
    return holdsTheSame(data, order);
  } catch (fault) {
    if (isRefusal(fault, 404)) return false;
    throw fault;
  }
}

function waitSeconds(fault: unknown, tries: number): number {
  const asked = fault instanceof Refusal ? fault.retryAfterSeconds : 0;
  return Math.min(Math.max(asked, 2 ** tries), longestWaitSeconds);
}
