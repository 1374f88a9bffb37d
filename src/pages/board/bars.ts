/** The bars below the top bar: a sign-in that is refused, and a connection that is lost. */

import { explainRefused } from "../shared/api.ts";
import { type Child, h, type View } from "../shared/dom.ts";
import { clockText, t, timeText } from "../shared/words.ts";
import { newOrders } from "./lists.ts";
import { asksAgain, failureView, linkForm } from "./sign-in-view.ts";
import { isSignedIn, type State } from "./state.ts";

/** No column says zero: what was there stays, and this says what may have come since. */
export function refusedBar(state: State): Child {
  const { signIn, refused, signInFailure } = state;
  if (signIn !== "refused" || refused === undefined) return undefined;
  const time = timeText(refused.since);
  return h("section", { key: "sign-in", class: "sign-in wrap", "aria-label": t("Sign in") },
    h("div", { role: "alert" },
      h("p", { class: "display" }, explainRefused(refused), " ", t("Orders may be waiting.")),
      h("p", {}, waitingThen(state),
        t("This board shows what was known at {time}.", { time }), ...asksAgain(refused))),
    linkForm(), failureView(signInFailure));
}

export function lostBar(state: State): View {
  const { lostAt } = state;
  const isShown = isSignedIn(state) && lostAt !== undefined;
  return h("section", { key: "lost", class: "lost", hidden: !isShown, pressKey: String(isShown) },
    h("p", { role: "alert" }, ...isShown ? [
      h("b", {}, t("Connection lost at {time}", { time: clockText(lostAt) })), " ",
      h("span", {}, waitingThen(state), t("This board shows what was known.")),
    ] : []),
    h("button", { onclick: () => { dispatchEvent(new Event("online")); } }, t("Try now")));
}

/** How many orders waited at the last look. Nothing says zero, since some may have come. */
function waitingThen(state: State): string {
  const count = newOrders(state).length;
  return count > 0 ? `${t("{count} were waiting then.", { count })} ` : "";
}
