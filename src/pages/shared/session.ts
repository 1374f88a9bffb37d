/**
 * Who is signed in on this device. A sign-in link has a token in its fragment (`#token=…`), or a
 * code for one (`#code=…`) that works once. No server and no referrer sees a fragment. It leaves
 * the address bar at once, and the token stays until it expires. Each page has a sign-in of its
 * own, so a customer's never replaces the kitchen's.
 */

import { ask } from "./dialogs.ts";
import { onSavedElsewhere, savedText, saveText } from "./storage.ts";
import { t } from "./words.ts";

/**
 * Dispatches "change" when somebody signs in or out, in any tab; before that "end", a CustomEvent
 * with the token in `detail`, when the service refused it here.
 */
export const session = new EventTarget();

/** The claims of a token. Only the server decides whether they are true. */
interface Claims {
  readonly role: string;
  readonly sub: string;
  /** Seconds since 1970; `iat` is when the token was made. */
  readonly exp: number;
  readonly iat: number | undefined;
}

const isBoard = location.pathname.endsWith("/board");
/** A longer one is refused (contract part 4), or breaks every request that carries it. */
const longestToken = 4096;
const slot = isBoard ? "board-token" : "token";

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
  saveText(slot, value);
  changed();
}

/**
 * Signs out, unless somebody has signed in since the request that carried this token: a late 401
 * says nothing about the new one. Returns whether the request is worth another try.
 */
export function dropToken(carried: string | null): boolean {
  if (carried === null) return token() !== null;
  if (carried !== token()) return true;
  saveText(savedToken(slot) === null ? "board-token" : slot, null);
  session.dispatchEvent(new CustomEvent("end", { detail: carried }));
  changed();
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

/**
 * Signs in with a link, or what was copied of it. Resolves to whether that worked: see
 * `signInWith` and `redeem`.
 */
export async function signInByLink(text: string): Promise<boolean> {
  const [, what, value = ""] = /(?:^|[#&])(token|code)=([\w.-]+)/.exec(text) ?? [];
  // Quotes and blanks are easily copied too.
  return what === "code" ? redeem(value)
    : signInWith(what === "token" ? value : text.replaceAll(/[^\w.-]/g, ""));
}

/**
 * Signs in with the token of a link. A token that the server refuses changes nothing, and another
 * person's replaces a sign-in only after a question. Resolves to whether it was taken.
 */
async function signInWith(value: string): Promise<boolean> {
  const current = savedToken(slot) ?? "";
  const [now, next] = [claimsOf(current), claimsOf(value)];
  if (value === current) return true;
  if (next === undefined) return false;
  if (now !== undefined) {
    const isSame = now.sub === next.sub && now.role === next.role;
    if (!(await isAccepted(value)) || !(isSame || await isWanted(now, next))) return false;
  }
  signIn(value);
  return true;
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

const howToGetCode =
  t("A device that is signed in makes a new one: Settings, Devices, Add a device.");

/** Signs in with the token that the service gives for a code. */
async function redeem(code: string): Promise<boolean> {
  const headers = { "content-type": "application/json" };
  const answer = await fetch("api/tokens", {
    method: "POST", headers, body: JSON.stringify({ code }),
  }).catch(() => undefined);
  if (answer?.status === 201) {
    const { token: value } = await answer.json().catch(() => ({}));
    return signInWith(String(value));
  }
  if (answer?.status === 401 || answer?.status === 400) {
    await ask(t("This code doesn’t work any more."), undefined, t("Close"), {
      detail: `${t("A code works once, within ten minutes.")} ${howToGetCode}`,
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

function isWanted(now: Claims, next: Claims): Promise<boolean> {
  return ask(
    t("You are signed in as {name}. Sign in as {other} instead?", {
      name: now.sub, other: next.sub,
    }),
    t("Sign in as {name}", { name: next.sub }), t("Stay {name}", { name: now.sub }),
  );
}

export function claimsOf(value: string): Claims | undefined {
  try {
    const payload = (value.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/");
    const bytes = Uint8Array.from(atob(payload), (letter) => letter.charCodeAt(0));
    const { role, sub = role, exp, iat } = JSON.parse(new TextDecoder().decode(bytes));
    // No later than a Date can hold.
    const isToken = value.length <= longestToken && exp < 8.64e12 && (iat ?? exp) < 8.64e12
      && [role, sub].every((one) => typeof one === "string");
    return isToken ? { role, sub, exp, iat } : undefined;
  } catch {
    return undefined; // Not a token.
  }
}
