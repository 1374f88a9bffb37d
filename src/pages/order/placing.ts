/**
 * Places the basket's order, whole or not at all, and exactly once. Without an answer the same body
 * is sent again, until the shop has answered. Sending ends with the page. The next page finds the
 * order in the basket, and asks the shop about it.
 */

import {
  explain, isRefusal, isRetryable, readMenu, Refusal, serverNow, write,
} from "../shared/api.ts";
import { ask } from "../shared/dialogs.ts";
import { claims, signIn, token } from "../shared/session.ts";
import { onlineOrAfter } from "../shared/stream.ts";
import type { Order } from "../shared/types.ts";
import { t } from "../shared/words.ts";
import { ended, firstRefused, pressed, requested, startedOver, withMenu } from "./events.ts";
import { applyPlaced, applyPlacedUnseen, readOrders } from "./following.ts";
import { focusOrder } from "./navigation.ts";
import { placeButton } from "./obstacles.ts";
import { isInDoubt, isSending, isStaff, type State } from "./state.ts";
import { set, state, until } from "./store.ts";

const maxWaitSeconds = 15;
/** So long a guest waits without a word. */
const patienceMs = 2000;

/** The run that sends. Once it is stopped it sends nothing more; a late answer still counts. */
const sender = { run: new AbortController() };

/** Sends the order. One without an answer is sent again as it was. */
export async function send(): Promise<void> {
  set(pressed(state()));
  focusOrder();
  sender.run = new AbortController();
  await sendUntilAnswered(sender.run.signal);
}

async function sendUntilAnswered(run: AbortSignal): Promise<void> {
  let tries = 0;
  let isNewGuest = false;
  while (isSending(state()) && !run.aborted) {
    const impatience = setTimeout(() => {
      if (!run.aborted) set({ delay: state().delay || t("No answer from the shop yet.") });
    }, patienceMs);
    try {
      await sendOnce(run);
    } catch (fault) {
      if (run.aborted) return;
      if (isRefusal(fault, 401) && isGuest(state()) && !isNewGuest) isNewGuest = true;
      else if (!isRetryable(fault)) return await endByRefusal(fault);
      else {
        set({ delay: explain(fault) });
        await pauseFor(fault, 2 ** tries);
        tries += 1;
      }
    } finally {
      clearTimeout(impatience);
    }
  }
}

/** Ends early once the device is online again, or the order has turned up. */
function pauseFor(fault: unknown, seconds: number): Promise<unknown> {
  const asked = fault instanceof Refusal ? fault.retryAfterSeconds : 0;
  const wait = Math.min(Math.max(asked, seconds), maxWaitSeconds);
  return Promise.race([onlineOrAfter(1000 * wait), untilNotSending()]);
}

function untilNotSending(): Promise<void> {
  return until((now) => !isSending(now));
}

/** Throws the Refusal, or what fetch throws. */
async function sendOnce(run: AbortSignal): Promise<void> {
  const { claims: person, refused } = state();
  if (isGuest(state()) && (person === undefined || refused !== undefined)) await becomeGuest();
  if (run.aborted || !isSending(state())) return;
  const { orders, arrival } = state().basket.sent;
  // On the device before it is sent.
  set(requested(state(), claims()?.sub ?? ""));
  try {
    const answer = write<readonly Order[]>("POST", "api/orders", orders)
      .then(({ data }) => { applyPlaced(data); });
    // A late answer still counts.
    await Promise.race([answer, untilNotSending()]);
    if (isSending(state())) throw new Error("the answer is about other orders");
  } catch (fault) {
    // The ids are this device's own: the shop has the order.
    if (isRefusal(fault, 409) && fault.type === "id-taken") return await findPlaced();
    const isAnswer = fault instanceof Refusal && fault.status < 500 && fault.status !== 408;
    if (isAnswer && arrival === "not yet") set(firstRefused(state()));
    throw fault;
  }
}

/** Anybody may order here, as far as the page knows, and this is nobody in particular. */
function isGuest(now: State): boolean {
  return (now.guestOrders || !now.isLoaded) && !isStaff(now);
}

/** A guest's token that another tab has stored meanwhile counts: this one is dropped. */
async function becomeGuest(): Promise<void> {
  const before = token();
  const { data } = await write<{ readonly token: string }>("POST", "api/tokens");
  if (token() === before) signIn(data.token);
}

/** Reads the order, which the shop may not show to this sign-in. */
async function findPlaced(): Promise<void> {
  const { idPrefix } = state().basket;
  await readOrders().catch(() => undefined);
  if (state().basket.idPrefix === idPrefix) applyPlacedUnseen();
}

/** A person's press: Don't send. An order under way may still arrive. */
export function stop(): void {
  sender.run.abort();
  set(ended(state(), "stopped", t("Stopped. Your order is kept.")));
  if (isInDoubt(state())) void askShop();
  focusOrder();
}

/** Asks whether the shop has the order in doubt. */
export async function askShop(): Promise<void> {
  if (state().sending === "elsewhere") set({ sending: "no" });
  const fault = await readOrders().then(() => undefined, (error: unknown) => error);
  if (isInDoubt(state())) set({ message: fault === undefined ? "" : explain(fault) });
}

/** A person's press: Start over. */
export async function startOver(): Promise<void> {
  const isMeant = await ask(t("It may arrive twice."), t("Start over"), t("Keep it"));
  if (isMeant && isInDoubt(state())) set(startedOver(state(), serverNow()));
}

/** The order was refused. Says what has to be changed, unless it is in doubt. */
async function endByRefusal(fault: unknown): Promise<void> {
  const isByMenu = isRefusal(fault, 400) || isRefusal(fault, 409);
  const menu = isByMenu ? await readMenu().catch(() => undefined) : undefined;
  if (!isSending(state())) return;
  const refused = ended(state(), "no", "");
  // The page may not have read the menu yet: an empty one would empty the basket.
  const after = menu === undefined ? refused : withMenu(refused, menu);
  // The page may show by now what was wrong.
  const isShown = !isInDoubt(after) && placeButton(after).act !== "place"
    && (isByMenu || isRefusal(fault, 401));
  set({ ...after, message: after.message || (isShown ? "" : explain(fault)) });
  if (isInDoubt(after)) void askShop();
}
