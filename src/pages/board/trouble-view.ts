/**
 * The board while nobody has signed in, and the bars above it while the sign-in is refused, or the
 * connection is lost.
 */

import { asksAgainText, explainRefused } from "../shared/api.ts";
import { type Child, h, icon, submitted, unseen, type View } from "../shared/dom.ts";
import type { RefusedSignIn } from "../shared/session.ts";
import { clockText, t, timeText } from "../shared/words.ts";
import { newOrders } from "./lists.ts";
import { signInByForm } from "./sign-in.ts";
import { isSignedIn, type State } from "./state.ts";

/** The whole board while nobody has signed in. */
export function signInPanel({ signInFailure, refused, lostAt }: State): View {
  return h("main", { key: "panel", class: "centered-page" },
    h("section", { class: "panel stack" },
      h("h2", { class: "large" }, t("Sign in this device")),
      refused !== undefined && h("p", { key: "refused", role: "alert" },
        explainRefused(refused), ...asksAgain(refused)),
      h("div", { class: "ruled" }, icon("code"), h("div", {},
        h("h3", {}, t("Scan a code")),
        h("p", { class: "soft" },
          t("On an owner’s device, open Settings, Devices, Add a device."), " ",
          t("Point this device’s camera at the code.")))),
      h("div", { class: "ruled" }, icon("note"), h("div", {},
        h("h3", {}, t("Or ask for a link")),
        h("p", { class: "soft" },
          t("Whoever started Forno has it on their screen. Open it here, or paste it:")),
        linkForm(),
        failureView(lostAt === undefined ? signInFailure : t("The shop doesn’t answer."))))));
}

/** No column says zero: what was there stays, and this says what may have come since. */
export function refusedBar(state: State): Child {
  const { refused, signInFailure } = state;
  if (refused === undefined) return undefined;
  const time = timeText(refused.since);
  return h("section", { key: "sign-in", class: "sign-in wrap amber", "aria-label": t("Sign in") },
    h("div", { role: "alert" },
      h("p", { class: "display" }, explainRefused(refused), " ", t("Orders may be waiting.")),
      h("p", {}, waitingThen(state),
        t("This board shows what was known at {time}.", { time }), ...asksAgain(refused))),
    linkForm(), failureView(signInFailure));
}

export function lostBar(state: State): View {
  const { lostAt } = state;
  const isShown = isSignedIn(state) && lostAt !== undefined;
  return h("section", {
    key: "lost", class: "lost-bar wrap amber", hidden: !isShown, pressKey: String(isShown),
  },
    h("p", { role: "alert" }, ...isShown ? [
      h("b", { class: "display" },
        t("Connection lost at {time}.", { time: clockText(lostAt) })), " ",
      h("span", { class: "if-wide" }, waitingThen(state), t("This board shows what was known.")),
    ] : []),
    h("button", { onclick: () => { dispatchEvent(new Event("online")); } }, t("Try now")));
}

/** How many orders waited at the last look. Nothing says zero, since some may have come. */
function waitingThen(state: State): string {
  const count = newOrders(state).length;
  return count > 0 ? `${t("{count} were waiting then.", { count })} ` : "";
}

/** Nothing goes on by itself after a sign-in that has ended, or was taken away. */
function asksAgain({ reason }: RefusedSignIn): readonly Child[] {
  return reason === "unknown" ? [" ", asksAgainText] : [];
}

function linkForm(): View {
  return h("form", {
    class: "link-form wrap", onsubmit: submitted((form) => { void signInByForm(form); }),
  },
    h("label", {}, unseen(t("Sign-in link")), h("input", {
      id: "link", name: "link", autocomplete: "off", spellcheck: "false",
      "aria-describedby": "link-fault", placeholder: t("Paste a sign-in link"),
    })),
    h("button", { type: "submit", class: "go" }, t("Sign in")));
}

function failureView(failure: string): View {
  return h("p", { id: "link-fault", class: "fault", role: "alert" }, failure);
}
