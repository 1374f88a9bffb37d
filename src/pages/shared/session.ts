/**
 * Who is signed in on this device. A sign-in link has a token in its fragment (`#token=…`), or a
 * code for one (`#code=…`) that works once. No server and no referrer sees a fragment. It leaves
 * the address bar at once, and the token stays until it expires. Each page has a sign-in of its
 * own, so a customer's never replaces the kitchen's.
 */

import { ask } from "./dialogs.ts";
import { onSavedElsewhere, savedText, saveText } from "./storage.ts";
import { t } from "./words.ts";

/** Dispatches "change" when somebody signs in or out, in any tab. */
export const session = new EventTarget();

/** How the last sign-in ended: by the person, in time, by the shop, or with its device. */
export type End = "left" | "expired" | "refused" | "removed";

/** The claims of a token. Only the server decides whether they are true. */
export interface Claims {
  readonly role: string;
  readonly sub: string;
  /** Seconds since 1970. */
  readonly exp: number;
  /** The id of the device that an owner has added. A link's token has none. */
  readonly device: string | undefined;
}

const isBoard = location.pathname.endsWith("/board");
/** A longer one is refused (contract part 4), or breaks every request that carries it. */
const longestToken = 4096;
const slot = isBoard ? "board-token" : "token";
const endSlot = `${slot}-end`;

/** Resolves once the page may be interrupted by a question. A page may replace it. */
export const questions: { mayBeAsked: () => Promise<unknown> } = {
  mayBeAsked: () => Promise.resolve(),
};

onSavedElsewhere(slot, changed);
// A sign-in link opened in a tab that shows this page already changes only the fragment.
addEventListener("hashchange", () => void takeFromAddress());
void takeFromAddress();

/** Staff take phone orders on the order page with the board's sign-in. */
export function token(): string | null {
  const own = savedToken(slot);
  if (own !== null || isBoard) return own;
  const board = savedToken("board-token");
  return isStaffRole(claimsOf(board ?? "")?.role) ? board : null;
}

/** Null also where no header can carry what is stored. */
function savedToken(name: string): string | null {
  const text = savedText(name) ?? "";
  return /^[\w.-]+$/.test(text) && text.length <= longestToken ? text : null;
}

export function signIn(value: string): void {
  saveText(endSlot, null);
  saveText(slot, value);
  changed();
}

export function signOut(end: End = "left"): void {
  saveText(endSlot, end);
  saveText(savedToken(slot) === null ? "board-token" : slot, null);
  changed();
}

/** Undefined: somebody is signed in, or nobody ever was. */
export function lastEnd(): End | undefined {
  return (["left", "expired", "refused", "removed"] as const)
    .find((end) => end === savedText(endSlot));
}

/**
 * Signs out after a 401, unless somebody has signed in since the request that carried this token: a
 * late answer says nothing about the new one. Returns whether the request is worth another try.
 */
export function endSession(carried: string | null, refusal: Response): boolean {
  if (carried === null) return token() !== null;
  if (carried !== token()) return true;
  const reason = refusal.headers.get("www-authenticate") ?? "";
  const { exp = 0 } = claimsOf(carried) ?? {};
  signOut(reason.includes("this device was removed") ? "removed"
    : exp * 1000 < Date.parse(refusal.headers.get("date") ?? "") ? "expired" : "refused");
  return true;
}

/** Undefined: nobody is signed in. */
export function claims(): Claims | undefined {
  return claimsOf(token() ?? "");
}

export function isStaff(): boolean {
  return isStaffRole(claims()?.role);
}

/** An owner may do all that staff may. */
function isStaffRole(role: string | undefined): boolean {
  return role === "staff" || role === "owner";
}

function changed(): void {
  session.dispatchEvent(new Event("change"));
}

async function takeFromAddress(): Promise<void> {
  const { hash } = location;
  if (!/[#&](?:token|code)=/.test(hash)) return;
  history.replaceState(history.state, "", location.pathname + location.search);
  await signInByLink(hash);
}

/** Signs in with a link, or what was copied of it. Resolves to whether that worked. */
export async function signInByLink(text: string): Promise<boolean> {
  const [, what, value = ""] = /(?:^|[#&])(token|code)=([\w.-]+)/.exec(text) ?? [];
  // Quotes and blanks are easily copied too.
  return what === "code" ? signInWithCode(value)
    : signInWithToken(what === "token" ? value : text.replaceAll(/[^\w.-]/g, ""));
}

/**
 * A token that the server refuses changes nothing, and another person's replaces a sign-in only
 * after a question. A guest's is not for others: whoever has it reads that guest's orders.
 */
async function signInWithToken(value: string): Promise<boolean> {
  const current = token() ?? "";
  const [now, next] = [claimsOf(current), claimsOf(value)];
  if (value === current) return true;
  if (next === undefined || next.sub.startsWith("guest-")) return false;
  if (now !== undefined) {
    // The same person's, which lasts longer.
    const isSame = now.sub === next.sub && now.role === next.role && now.device === next.device;
    if (!(await isAccepted(value)) || !(isSame || await isWanted(now, next.sub))) return false;
  }
  signIn(value);
  return true;
}

/** Asks before it uses up the code: nobody can use it again. */
async function signInWithCode(code: string): Promise<boolean> {
  const now = claims();
  return (now === undefined || await isWanted(now, t("this code’s device"))) && redeem(code);
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
    detail: t("Check the connection, then try again."), look: "go",
  });
  return again && redeem(code);
}

/** Without an answer it counts as accepted: the next request will tell. */
async function isAccepted(value: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${value}` };
  return fetch("api", { headers, cache: "no-store" })
    .then(({ status }) => status !== 401, () => true);
}

async function isWanted({ sub }: Claims, other: string): Promise<boolean> {
  await questions.mayBeAsked();
  const name = sub.startsWith("guest-") ? t("a guest") : sub;
  return ask(
    t("You are signed in as {name}. Sign in as {other} instead?", { name, other }),
    t("Sign in as {name}", { name: other }), t("Stay {name}", { name }),
  );
}

export function claimsOf(value: string): Claims | undefined {
  try {
    const payload = (value.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/");
    const bytes = Uint8Array.from(atob(payload), (letter) => letter.charCodeAt(0));
    const { role, sub = role, exp, device } = JSON.parse(new TextDecoder().decode(bytes));
    // No later than a Date can hold.
    const isToken = value.length <= longestToken && exp < 8.64e12
      && [role, sub, device ?? ""].every((text) => typeof text === "string");
    return isToken ? { role, sub, exp, device } : undefined;
  } catch {
    return undefined; // Not a token.
  }
}
