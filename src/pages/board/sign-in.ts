/** The board's sign-in and its end. */

import { serverNow } from "../shared/api.ts";
import { ask } from "../shared/dom.ts";
import { claims, dropToken, session, signInByLink, token } from "../shared/session.ts";
import { dayText, t, timeText } from "../shared/words.ts";
import { pendingCount, set, state } from "./state.ts";

const [hour, dayLong] = [3600, 24 * 3600];

/** Said an hour before the sign-in ends; a day before, where it lasts a week or longer. */
export function signInEnds(now: number): string {
  const { exp = Infinity, iat = now / 1000 } = claims() ?? {};
  const isLong = exp - iat >= 7 * dayLong;
  if (exp - now / 1000 > (isLong ? dayLong : hour)) return "";
  const end = new Date(exp * 1000);
  return isLong ? t("Sign-in ends on {day}", { day: dayText(end) })
    : t("Sign-in ends at {time}", { time: timeText(end) });
}

session.addEventListener("end", (event) => { void tellWhy((event as CustomEvent).detail); });

/** A device that was locked out is told so: its person would look for another reason. */
async function tellWhy(refused: string): Promise<void> {
  const headers = { authorization: `Bearer ${refused}` };
  const answer = await fetch("api", { headers, cache: "no-store" }).catch(() => undefined);
  const { detail = "" } = answer?.status === 401 ? await answer.json().catch(() => ({})) : {};
  if (token() !== null || !/locked out/i.test(detail)) return;
  set({ signInFault: t("This device was locked out. To come back it needs a new code.") });
}

export function sessionChanged(): void {
  const before = state();
  const role = claims()?.role;
  const isOurs = role === "staff" || role === "reader";
  // A customer may read some orders only: the board would show the rest as none.
  if (!isOurs && token() !== null) {
    set({ signInFault: t("That link isn’t for staff.") });
    dropToken(token());
    return;
  }
  const hasEnded = before.isSignedIn && !isOurs && before.orderReads === "open";
  const ended = { at: serverNow(), waiting: pendingCount(before) };
  set({
    isSignedIn: isOurs, isStaff: role === "staff", orderReads: "loading", popup: undefined,
    // Text typed about an item is worth another sign-in.
    dialog: role === "staff" || before.dialog?.type === "item" ? before.dialog : undefined,
    tab: role === "reader" && before.tab === "menu" ? "orders" : before.tab,
    signedOut: before.signedOut ?? (hasEnded ? ended : undefined),
  });
}

export async function signInByForm(form: HTMLFormElement): Promise<void> {
  const text = String(new FormData(form).get("link"));
  set({ signInFault: t("That isn’t a sign-in link of this shop, or it has expired.") });
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
  location.reload();
}
