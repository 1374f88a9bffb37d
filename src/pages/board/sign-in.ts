/**
 * Sign-in links of the board, with a token or with a code for one that works once (`#code=…`), and
 * what becomes of the board when somebody signs in or out, or is refused.
 */

import { explain, isRefusal } from "../shared/api.ts";
import { ask } from "../shared/dialogs.ts";
import { askToReplace, signInByToken, tokenIn } from "../shared/links.ts";
import {
  claims, claimsOf, refusedSignIn, type RefusedSignIn, signIn, signOut, token,
} from "../shared/session.ts";
import { t } from "../shared/words.ts";
import { isHereByLink, offerToAdd, removeDevice } from "./devices.ts";
import type { Role, State } from "./state.ts";
import { forgetOrders, set, state } from "./store.ts";

/** After each change of the session. */
export function sessionChanged(): void {
  const role = claims()?.role;
  // A customer may read some orders only: the board would show the rest as none.
  if (role !== "reader" && role !== "staff" && role !== "owner") return signedOut();
  const refused = refusedSignIn();
  if (refused === undefined) signedInAs(role);
  else signInRefused(role, refused);
}

/** A person who has signed out leaves no orders. */
function signedOut(): void {
  forgetOrders();
  set({ role: "nobody", refused: undefined, signInFailure: "" });
}

function signedInAs(role: Role): void {
  const { dialog, tab } = state();
  const isReader = role === "reader";
  set({
    role, refused: undefined, signInFailure: "",
    dialog: isReader ? undefined : formOf(dialog),
    tab: isReader && tab === "menu" ? "orders" : tab,
  });
}

/** The board shows what it knew. A device that was removed knows nothing. */
function signInRefused(role: Role, refused: RefusedSignIn): void {
  if (refused.reason === "removed") forgetOrders();
  set({
    role, refused, signInFailure: "", lostAt: undefined, dialog: formOf(state().dialog),
  });
}

/** Typed text is worth another sign-in. */
function formOf(dialog: State["dialog"]): State["dialog"] {
  return dialog !== undefined && "typed" in dialog ? dialog : undefined;
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

/** Signs in with a link, or what was copied of it. Resolves to whether that worked. */
export async function signInByLink(text: string): Promise<boolean> {
  const [, code] = /(?:^|[#&])code=([\w.-]+)/.exec(text) ?? [];
  if (code !== undefined) return signInByCode(code);
  const token = tokenIn(text);
  if (claimsOf(token)?.role !== "customer") return signInByStaffLink(token);
  set({ signInFailure: t("That link isn’t for staff.") });
  return false;
}

async function signInByStaffLink(token: string): Promise<boolean> {
  const isNew = await signInByToken(token);
  if (isNew && isHereByLink()) void offerToAdd();
  return isNew;
}

/** Asks before it uses up the code: nobody can use it again. A sign-in that has ended is none. */
async function signInByCode(code: string): Promise<boolean> {
  const reason = refusedSignIn()?.reason;
  const own = reason === "expired" || reason === "removed" ? undefined : claims();
  return (own === undefined || await askToReplace(own, t("this code’s device"))) && redeem(code);
}

/** Signs in with the token that the service gives for a code. */
async function redeem(code: string): Promise<boolean> {
  const headers = { "content-type": "application/json" };
  const answer = await fetch("api/tokens", {
    method: "POST", headers, body: JSON.stringify({ code }),
  }).catch(() => undefined);
  const data = await answer?.json().catch(() => undefined);
  if (answer?.status === 201 && claimsOf(String(data?.token)) !== undefined) {
    signIn(data.token);
    return true;
  }
  if (answer?.status === 401 || answer?.status === 400) {
    await ask(t("This code doesn’t work any more."), undefined, t("Close"), {
      detail: `${t("A code works once, within ten minutes.")} ${
        t("An owner’s device makes a new one: Settings, Devices, Add a device.")}`,
    });
    return false;
  }
  const again = await ask(t("The shop doesn’t answer."), t("Try again"), t("Cancel"), {
    detail: t("Check the connection, then try again."), className: "go",
  });
  return again && redeem(code);
}
