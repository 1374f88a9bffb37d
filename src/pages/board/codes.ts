/** Sign-in links of the board: with a token, or with a code for one that works once (`#code=…`). */

import { ask } from "../shared/dialogs.ts";
import { askToReplace, signInByToken, tokenIn } from "../shared/links.ts";
import { claims, claimsOf, refusedSignIn, signIn } from "../shared/session.ts";
import { t } from "../shared/words.ts";
import { isHereByLink, offerToAdd } from "./device-requests.ts";
import { set } from "./store.ts";

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
