/** The board's sign-in, accepted or refused, and what each shows. */

import { asksAgainText, explain, explainRefused, isRefusal } from "../shared/api.ts";
import { ask } from "../shared/dialogs.ts";
import { type Child, h, icon, submitted, unseen, type View } from "../shared/dom.ts";
import { claims, refusedSignIn, type RefusedSignIn, signOut, token } from "../shared/session.ts";
import { t, timeText } from "../shared/words.ts";
import { newOrders } from "./cards.ts";
import { signInByLink } from "./codes.ts";
import { removeDevice } from "./device-requests.ts";
import type { State } from "./state.ts";
import { forgetOrders, set, state } from "./store.ts";

/** After each change of the session. */
export function sessionChanged(): void {
  const role = claims()?.role;
  // A customer may read some orders only: the board would show the rest as none.
  if (role !== "reader" && role !== "staff" && role !== "owner") return signedOut();
  const refused = refusedSignIn();
  if (refused === undefined) signedInAs(role);
  else signInRefused(refused);
}

/** Whoever has signed out leaves nothing. */
function signedOut(): void {
  forgetOrders();
  set({ signIn: "nobody", refused: undefined, signInFailure: "" });
}

function signedInAs(signIn: "reader" | "staff" | "owner"): void {
  const { dialog, tab } = state();
  const isReader = signIn === "reader";
  set({
    signIn, refused: undefined, signInFailure: "",
    dialog: isReader ? undefined : typed(dialog),
    tab: isReader && tab === "menu" ? "orders" : tab,
  });
}

/** The board shows what it knew. A device that was removed knows nothing. */
function signInRefused(refused: RefusedSignIn): void {
  if (refused.reason === "removed") forgetOrders();
  const before = state();
  set({
    signIn: before.hasRead ? "refused" : "nobody", refused, signInFailure: "",
    lostAt: undefined, dialog: typed(before.dialog),
  });
}

/** Typed text is worth another sign-in. */
function typed(dialog: State["dialog"]): State["dialog"] {
  const withText = ["item", "pizza", "change", "shop", "opening"];
  return dialog !== undefined && withText.includes(dialog.type) ? dialog : undefined;
}

async function signInByForm(form: HTMLFormElement): Promise<void> {
  const text = String(new FormData(form).get("link"));
  set({ signInFailure: t("That isn’t a sign-in link of this shop.") });
  if (await signInByLink(text)) form.reset();
}

/** The row of this device goes first. Without a connection the token alone is forgotten. */
export async function askToSignOut(): Promise<void> {
  const isMeant = await ask(
    t("Sign out on this device? You will need a new sign-in link to use the board again."),
    t("Sign out"), t("Stay signed in"),
  );
  const { device } = claims() ?? {};
  if (!isMeant) return;
  try {
    if (device !== undefined && state().lostAt === undefined) await removeDevice(device);
  } catch (fault) {
    // With a full disk the device is still in.
    if (isRefusal(fault, 503)) return void ask(explain(fault), undefined, t("Close"));
  }
  if (token() !== null) signOut();
}

/** How many orders waited at the last look. Nothing says zero, since some may have come. */
export function waitingThen(state: State): string {
  const count = newOrders(state).length;
  return count > 0 ? `${t("{count} were waiting then.", { count })} ` : "";
}

/** No column says zero: what was there stays, and this says what may have come since. */
export function refusedBar(state: State): Child {
  const { signIn, refused, signInFailure } = state;
  if (signIn !== "refused" || refused === undefined) return undefined;
  const time = timeText(refused.since);
  return h("section", { key: "sign-in", class: "sign-in", "aria-label": t("Sign in") },
    h("div", { role: "alert" },
      h("p", { class: "display" }, explainRefused(refused), " ", t("Orders may be waiting.")),
      h("p", {}, waitingThen(state),
        t("This board shows what was known at {time}.", { time }), ...asksAgain(refused))),
    linkForm(), failureView(signInFailure));
}

/** Nothing goes on by itself after a sign-in that has ended, or was taken away. */
function asksAgain({ reason }: RefusedSignIn): readonly Child[] {
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

function linkForm(): View {
  return h("form", {
    class: "link-form", onsubmit: submitted((form) => { void signInByForm(form); }),
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
