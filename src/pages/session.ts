/**
 * The sign-in of one page on this device, until it expires. A token arrives in the link's fragment
 * (`#token=…`), which no server and no referrer sees, and leaves the address bar at once. Each page
 * has a sign-in of its own: a customer's never takes the place of the kitchen's. Dispatches
 * "change" when one comes or goes, in whichever tab.
 */

import { ask } from "./dom.ts";
import { t } from "./words.ts";

export const session = new EventTarget();

/** What a token says of itself; only the server judges whether it is true. */
export interface Claims {
  readonly role: string;
  readonly sub: string;
  /** In seconds, as in a JWT; `iat` is when it was made, where it says. */
  readonly exp: number;
  readonly iat: number | undefined;
}

// Two shops may live under one origin, each on its own path.
const base = new URL(".", location.href).pathname;
const isBoard = location.pathname.endsWith("/board");
const slot = isBoard ? "board-token" : "token";
let current = kept(slot);

addEventListener("storage", ({ key }) => {
  if (key !== base + slot) return;
  current = kept(slot);
  changed();
});
// A sign-in link opened in a tab that is already here changes the fragment and loads nothing.
addEventListener("hashchange", () => void takeFromAddress());
void takeFromAddress();

/** Whoever works the board orders by phone on the order page, where nobody else is signed in. */
export function token(): string | null {
  return current ?? (isBoard ? null : kept("board-token"));
}

export function signIn(value: string): void {
  current = value;
  keep(slot, value);
  changed();
}

/** Whether there was one to drop. */
export function dropToken(): boolean {
  if (token() === null) return false;
  keep(current === null ? "board-token" : slot, null);
  current = null;
  changed();
  return true;
}

/** Undefined: nobody is signed in. */
export function claims(): Claims | undefined {
  return claimsOf(token() ?? "");
}

export function isStaff(): boolean {
  return claims()?.role === "staff";
}

/** What follows `token=` in a link or its fragment. */
export function tokenIn(text: string): string | null {
  return /(?:^|[#&])token=([^&]+)/.exec(text)?.[1] ?? null;
}

/**
 * Signs in with what a link brought. What is no token, or none that the server takes, changes
 * nothing, and another person's takes the place of a sign-in only when that is wanted. Resolves to
 * whether it was taken.
 */
export async function signInWith(value: string): Promise<boolean> {
  const now = current === null ? undefined : claimsOf(current);
  const next = claimsOf(value);
  if (value === current) return true;
  if (next === undefined) return false;
  if (now !== undefined) {
    const isSame = now.sub === next.sub && now.role === next.role;
    if (!(await isTaken(value)) || !(isSame || await isWanted(now, next))) return false;
  }
  signIn(value);
  return true;
}

type Shelf = "sessionStorage" | "localStorage";

/** For this device, or for this tab. A browser that blocks storage keeps nothing. */
export function keep(name: string, value: string | null, shelf: Shelf = "localStorage"): void {
  try {
    if (value === null) window[shelf].removeItem(base + name);
    else window[shelf].setItem(base + name, value);
  } catch { /* see above */ }
}

export function kept(name: string, shelf: Shelf = "localStorage"): string | null {
  try {
    return window[shelf].getItem(base + name);
  } catch {
    return null;
  }
}

function changed(): void {
  session.dispatchEvent(new Event("change"));
}

async function takeFromAddress(): Promise<void> {
  const value = tokenIn(location.hash.slice(1));
  if (value === null) return;
  history.replaceState(history.state, "", location.pathname + location.search);
  await signInWith(value);
}

/** Only a refusal counts: without an answer, the next one will tell. */
async function isTaken(value: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${value}` };
  return fetch("api", { headers, cache: "no-store" })
    .then(({ status }) => status !== 401, () => true);
}

function isWanted(now: Claims, next: Claims): Promise<boolean> {
  return ask(
    t("Signed in here is {name}. Sign in as {other} instead?", { name: now.sub, other: next.sub }),
    t("Sign in as {name}", { name: next.sub }), t("Stay {name}", { name: now.sub }),
  );
}

function claimsOf(value: string): Claims | undefined {
  try {
    const payload = (value.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/");
    const bytes = Uint8Array.from(atob(payload), (letter) => letter.charCodeAt(0));
    const { role, sub = role, exp, iat } = JSON.parse(new TextDecoder().decode(bytes));
    const isOne = typeof role === "string" && typeof exp === "number";
    return isOne ? { role, sub, exp, iat } : undefined;
  } catch {
    return undefined; // No token, or none that the server will take.
  }
}
