/** The board while nobody has signed in, and what the bar of a refused sign-in shares with it. */

import { asksAgainText, explainRefused } from "../shared/api.ts";
import { type Child, h, icon, submitted, unseen, type View } from "../shared/dom.ts";
import type { RefusedSignIn } from "../shared/session.ts";
import { t } from "../shared/words.ts";
import { signInByForm } from "./sign-in.ts";
import type { State } from "./state.ts";

/** Nothing goes on by itself after a sign-in that has ended, or was taken away. */
export function asksAgain({ reason }: RefusedSignIn): readonly Child[] {
  return reason === "unknown" ? [" ", asksAgainText] : [];
}

/** The whole board while nobody has signed in. */
export function signInPanel({ signInFailure, refused, lostAt }: State): View {
  return h("main", { key: "panel", class: "never" },
    h("section", { class: "panel" },
      h("h2", {}, t("Sign in this device")),
      refused !== undefined && h("p", { key: "refused", role: "alert" },
        explainRefused(refused), ...asksAgain(refused)),
      h("div", {}, icon("code"), h("div", {},
        h("h3", {}, t("Scan a code")),
        h("p", { class: "soft" },
          t("On an owner’s device, open Settings, Devices, Add a device."), " ",
          t("Point this device’s camera at the code.")))),
      h("div", {}, icon("note"), h("div", {},
        h("h3", {}, t("Or ask for a link")),
        h("p", { class: "soft" },
          t("Whoever started Forno has it on their screen. Open it here, or paste it:")),
        linkForm(),
        failureView(lostAt === undefined ? signInFailure : t("The shop doesn’t answer."))))));
}

export function linkForm(): View {
  return h("form", {
    class: "link-form wrap", onsubmit: submitted((form) => { void signInByForm(form); }),
  },
    h("label", {}, unseen(t("Sign-in link")), h("input", {
      id: "link", name: "link", autocomplete: "off", spellcheck: "false",
      "aria-describedby": "link-fault", placeholder: t("Paste a sign-in link"),
    })),
    h("button", { type: "submit", class: "go" }, t("Sign in")));
}

export function failureView(failure: string): View {
  return h("p", { id: "link-fault", class: "fault", role: "alert" }, failure);
}
