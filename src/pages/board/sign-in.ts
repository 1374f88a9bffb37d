/** The board's sign-in, its end, and what each shows. */

import { explain, isRefusal, serverNow } from "../shared/api.ts";
import { ask } from "../shared/dialogs.ts";
import { type Child, h, icon, submitted, unseen, type View } from "../shared/dom.ts";
import { claims, type End, lastEnd, signOut, token } from "../shared/session.ts";
import { t, timeText } from "../shared/words.ts";
import { signInByLink } from "./codes.ts";
import { removeDevice } from "./device-requests.ts";
import { forgetOrders, isSignedIn, waitingCount, set, state, type State } from "./state.ts";

const endTexts: Readonly<Record<End, string>> = {
  left: "",
  expired: t("This link has ended. Ask for a new one."),
  refused: t("The shop has signed this device out. To come back it needs a new code."),
  removed: t("This device was removed. To come back it needs a new code."),
};

export function sessionChanged(): void {
  const role = claims()?.role;
  if (role === "reader" || role === "staff" || role === "owner") return startedAs(role);
  if (token() === null) return ended(lastEnd());
  // A customer may read some orders only: the board would show the rest as none.
  signOut();
  set({ signInFault: t("That link isn’t for staff.") });
}

function startedAs(signIn: "reader" | "staff" | "owner"): void {
  const { dialog, tab } = state();
  const isReader = signIn === "reader";
  set({
    signIn, signInFault: "", bar: undefined,
    dialog: isReader ? undefined : typed(dialog),
    tab: isReader && tab === "menu" ? "orders" : tab,
  });
}

/** After an expiry the board shows what it knew. Whoever left, or was removed, leaves nothing. */
function ended(end: End | undefined): void {
  const before = state();
  const isKept = (end === "expired" || end === "refused") && before.hasRead;
  if (!isKept) forgetOrders();
  set({
    signIn: isKept ? "ended" : "nobody", bar: undefined,
    signInFault: end === undefined ? "" : endTexts[end],
    ...isKept ? {
      dialog: typed(before.dialog),
      ended: before.ended ?? {
        at: serverNow(), waiting: waitingCount(before), wasReader: before.signIn === "reader",
      },
    } : {},
  });
}

/** Typed text is worth another sign-in. */
function typed(dialog: State["dialog"]): State["dialog"] {
  return dialog?.type === "item" || dialog?.type === "pizza" ? dialog : undefined;
}

async function signInByForm(form: HTMLFormElement): Promise<void> {
  const text = String(new FormData(form).get("link"));
  set({ signInFault: t("That isn’t a sign-in link of this shop.") });
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
    if (device !== undefined && state().lost === undefined) await removeDevice(device);
  } catch (fault) {
    // With a full disk the device is still in.
    if (isRefusal(fault, 503)) return void ask(explain(fault), undefined, t("Close"));
  }
  if (isSignedIn(state())) signOut();
}

/** How many orders waited at the last look. Nothing says zero, since some may have come. */
export function waitingThen(count: number): string {
  return count > 0 ? `${t("{count} were waiting then.", { count })} ` : "";
}

/** No column says zero: what was there stays, and this says what may have come since. */
export function signedOutBar({ signIn, ended: end, signInFault }: State): Child {
  if (signIn !== "ended" || end === undefined) return undefined;
  const time = timeText(end.at);
  return h("section", { key: "sign-in", class: "sign-in", "aria-label": t("Sign in") },
    h("div", { role: "alert" },
      h("p", { class: "display" }, t("Signed out at {time}. Orders may be waiting.", { time })),
      h("p", {}, waitingThen(end.waiting),
        t("This board shows what was known at {time}.", { time }))),
    linkForm(), faultView(signInFault));
}

/** The whole board while nobody has signed in. */
export function signInPanel({ signInFault, lost }: State): View {
  return h("main", { key: "panel", class: "never" },
    h("section", { class: "panel" },
      h("h2", {}, t("Sign in this device")),
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
        faultView(lost === undefined ? signInFault : t("The shop doesn’t answer."))))));
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

function faultView(fault: string): View {
  return h("p", { id: "link-fault", class: "fault", role: "alert" }, fault);
}
