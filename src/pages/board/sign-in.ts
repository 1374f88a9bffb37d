/** The board's sign-in, and its end. */

import { serverNow } from "../shared/api.ts";
import { ask } from "../shared/dialogs.ts";
import { type Child, h, icon, unseen, type View } from "../shared/dom.ts";
import {
  claims, claimsOf, dropToken, isStaff, session, signInByLink, token,
} from "../shared/session.ts";
import { saveText } from "../shared/storage.ts";
import { t, timeText } from "../shared/words.ts";
import { pendingCount, set, state, type State } from "./state.ts";

/** Says why the shop refuses a sign-in, so that nobody looks for another reason. */
session.addEventListener("end", (event) => {
  const { exp = 0 } = claimsOf((event as CustomEvent).detail) ?? {};
  set({ signInFault: exp * 1000 < serverNow() ? t("This link has ended. Ask for a new one.")
    : t("The shop has signed this device out. To come back it needs a new code.") });
});

export function sessionChanged(): void {
  const before = state();
  const role = claims()?.role;
  const isOurs = isStaff() || role === "reader";
  // A customer may read some orders only: the board would show the rest as none.
  if (!isOurs && token() !== null) {
    dropToken(token());
    set({ signInFault: t("That link isn’t for staff.") });
    return;
  }
  const hasEnded = before.isSignedIn && !isOurs && before.hasRead;
  const ended = { at: serverNow(), waiting: pendingCount(before) };
  set({
    isSignedIn: isOurs, isStaff: isStaff(), bar: undefined,
    // A reader's device tells nothing that somebody would have to see.
    ...role === "reader" ? { marks: new Map() } : {},
    // Text typed about an item is worth another sign-in.
    dialog: isStaff() || before.dialog?.type === "item" ? before.dialog : undefined,
    tab: role === "reader" && before.tab === "menu" ? "orders" : before.tab,
    signedOut: before.signedOut ?? (hasEnded ? ended : undefined),
  });
}

export async function signInByForm(form: HTMLFormElement): Promise<void> {
  const text = String(new FormData(form).get("link"));
  set({ signInFault: t("That isn’t a sign-in link of this shop.") });
  if (await signInByLink(text)) form.reset();
}

export async function signOut(): Promise<void> {
  const isMeant = await ask(
    t("Sign out on this device? You will need a new sign-in link to use the board again."),
    t("Sign out"), t("Stay signed in"),
  );
  if (!isMeant) return;
  dropToken(token());
  // Forgets everything that was read with the token.
  saveText("news", null);
  location.reload();
}

/** How many orders waited at the last look. Nothing says zero, since some may have come. */
export function waitingThen(count: number): string {
  return count > 0 ? `${t("{count} were waiting then.", { count })} ` : "";
}

/** No column says zero: what was there stays, and this says what may have come since. */
export function signedOutBar({ signedOut, signInFault }: State): Child {
  if (signedOut === undefined) return undefined;
  const time = timeText(signedOut.at);
  return h("section", { key: "sign-in", class: "sign-in", "aria-label": t("Sign in") },
    h("div", { role: "alert" },
      h("p", { class: "display" }, t("Signed out at {time}. Orders may be waiting.", { time })),
      h("p", {}, waitingThen(signedOut.waiting),
        t("This board shows what was known at {time}.", { time }))),
    linkForm(), faultView(signInFault));
}

/** The whole board while nobody has signed in. */
export function signInPanel({ signInFault }: State): View {
  return h("main", { key: "panel", class: "never" },
    h("section", { class: "panel" },
      h("h2", {}, t("Sign in this device")),
      h("div", {}, icon("code"), h("div", {},
        h("h3", {}, t("Scan a code")),
        h("p", { class: "soft" },
          t("On a device that is signed in, open Settings, Devices, Add a device."), " ",
          t("Point this device’s camera at the code.")))),
      h("div", {}, icon("note"), h("div", {},
        h("h3", {}, t("Or ask for a link")),
        h("p", { class: "soft" },
          t("Whoever started Forno has it on their screen. Open it here, or paste it:")),
        linkForm(), faultView(signInFault)))));
}

function linkForm(): View {
  return h("form", { class: "link-form", "data-do": "sign-in" },
    h("label", {}, unseen(t("Sign-in link")), h("input", {
      id: "link", name: "link", autocomplete: "off", spellcheck: "false",
      "aria-describedby": "link-fault", placeholder: t("Paste a sign-in link"),
    })),
    h("button", { type: "submit", class: "go" }, t("Sign in")));
}

function faultView(fault: string): View {
  return h("p", { id: "link-fault", class: "fault", role: "alert" }, fault);
}
