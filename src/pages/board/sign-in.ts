/** What becomes of the board when somebody signs in or out, or is refused. */

import { explain, isRefusal } from "../shared/api.ts";
import { ask } from "../shared/dialogs.ts";
import { claims, refusedSignIn, type RefusedSignIn, signOut, token } from "../shared/session.ts";
import { t } from "../shared/words.ts";
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

export async function signInByForm(form: HTMLFormElement): Promise<void> {
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
