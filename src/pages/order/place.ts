/**
 * Places an order so that it exists exactly once. What gets no answer is sent again, the same body
 * under the same id, until there is an answer; a 409 then tells our own order from a stranger's.
 */

import {
  explain, isRefusal, orderPath, passes, read, Refusal, write,
} from "../shared/api.ts";
import { holdsTheSame } from "../shared/menu.ts";
import { signIn, token } from "../shared/session.ts";
import type { Order, OrderContent } from "../shared/types.ts";
import { t } from "../shared/words.ts";

const longestWaitSeconds = 15;

export interface Attempt {
  /** Whether guests are welcome: an order without a valid token is placed as one. */
  readonly guests: boolean;
  /** Told why it takes longer, and whether that is because the shop is busy. */
  say(text: string, isBusy: boolean): void;
}

/** False: the id is another order's. Throws the Refusal that trying again would not cure. */
export async function place(order: OrderContent, { guests, say }: Attempt): Promise<boolean> {
  let isNewGuest = false;
  for (let tries = 0; ; tries += 1) {
    try {
      if (token() === null && guests) await becomeGuest();
      await write<Order>("POST", "api/orders", order);
      return true;
    } catch (fault) {
      if (isRefusal(fault, 409) && fault.type === "id-taken") {
        return fault.identical || isOurs(order);
      }
      // An old guest's token has expired and is dropped by now: get another.
      if (guests && !isNewGuest && isRefusal(fault, 401)) {
        isNewGuest = true;
        continue;
      }
      if (!passes(fault)) throw fault;
      const asked = fault instanceof Refusal ? fault.retryAfterSeconds : 0;
      const seconds = Math.min(Math.max(asked, 2 ** tries), longestWaitSeconds);
      const reason = explain(fault);
      say(t("{reason} Your order is safe and will be sent again in {seconds} s.", {
        reason, seconds,
      }), isRefusal(fault, 429));
      await new Promise((resolve) => { setTimeout(resolve, seconds * 1000); });
      say(t("Sending your order again…"), false);
    }
  }
}

async function becomeGuest(): Promise<void> {
  const { data } = await write<{ readonly token: string }>("POST", "api/tokens");
  signIn(data.token);
}

/**
 * Not identical, and still ours: the kitchen may have moved it on while its answer was lost. A
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
