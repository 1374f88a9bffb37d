/**
 * Who is signed in on this device. A sign-in link has a token in its fragment (`#token=…`), which
 * no server and no referrer sees. It leaves the address bar at once, and the token stays until it
 * expires. Each page has a sign-in of its own, so a customer's never replaces the kitchen's.
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

/** Signs in with the link in the address, now and whenever one is opened in this tab. */
export function followLinks(signInByLink: (text: string) => Promise<boolean>): void {
  const take = (): void => {
    const { hash } = location;
    if (!/[#&](?:token|code)=/.test(hash)) return;
    history.replaceState(history.state, "", location.pathname + location.search);
    void signInByLink(hash);
  };
  // In a tab that shows this page already only the fragment changes.
  addEventListener("hashchange", take);
  take();
}

/**
 * A token that the server refuses changes nothing, and another person's replaces a sign-in only
 * after a question. A guest's is not for others: whoever has it reads that guest's orders. `text`: a
 * link, or what was copied of it. Resolves to whether that worked.
 */
export async function signInByToken(text: string): Promise<boolean> {
  // Quotes and blanks are easily copied too.
  const [, value = text.replaceAll(/[^\w.-]/g, "")] = /(?:^|[#&])token=([\w.-]+)/.exec(text) ?? [];
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

/** Without an answer it counts as accepted: the next request will tell. */
async function isAccepted(value: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${value}` };
  return fetch("api", { headers, cache: "no-store" })
    .then(({ status }) => status !== 401, () => true);
}

/** Whether another person is to take the place of the one who is signed in. */
export async function isWanted({ sub }: Claims, other: string): Promise<boolean> {
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
