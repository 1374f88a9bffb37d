/**
 * The sign-in of this page: its token, which is stored until a person's press removes it, and what
 * the shop last said of it, which only the page knows. Each page has a sign-in of its own, so a
 * customer's never replaces the kitchen's. The order page also takes phone orders with the board's.
 */

import { isStaff } from "../../resources/role.ts";
import { onSavedElsewhere, savedText, saveText } from "./storage.ts";

/**
 * Dispatches "change" when somebody signs in or out, in any tab, and when the shop refuses the
 * sign-in, or accepts it again.
 */
export const session = new EventTarget();

/** The claims of a token. Only the server decides whether they are true. */
export interface Claims {
  readonly role: string;
  readonly sub: string;
  /** Seconds since 1970. */
  readonly exp: number;
  /** The id of the device that an owner has added. A link's token has none. */
  readonly device: string | undefined;
}

/** A sign-in that the shop does not accept now. */
export interface RefusedSignIn {
  readonly token: string;
  readonly reason: "expired" | "removed" | "unknown";
  /** When the page first heard of it, as Date.now. */
  readonly since: number;
}

const isBoard = location.pathname.endsWith("/board");
/** A longer token is refused (contract part 4), or breaks every request that carries it. */
const longestToken = 4096;
const slot = isBoard ? "board-token" : "token";
const askEveryMs = 10_000;

/** The board opens the order page in a tab of this name: there its sign-in comes first. */
export const isOpenedByBoard: boolean = window.name === "forno-phone-order";

/** By token. */
const refused = new Map<string, RefusedSignIn>();

for (const name of new Set([slot, "board-token"])) onSavedElsewhere(name, changed);

/** The token that counts. One that the shop refuses does not hide another one. */
export function token(): string | null {
  const tokens = savedTokens();
  return tokens.find((value) => !refused.has(value)) ?? tokens[0] ?? null;
}

/** The token that counts first comes first. */
function savedTokens(): readonly string[] {
  const own = savedToken(slot);
  const board = isBoard ? null : savedToken("board-token");
  const staff = isStaff(claimsOf(board ?? "")?.role) ? board : null;
  const tokens = isOpenedByBoard ? [staff, own] : [own, staff];
  return tokens.filter((value) => value !== null);
}

/** False with the board's sign-in on the order page: only the board forgets that. */
export function isOwnSignIn(): boolean {
  return token() === savedToken(slot);
}

/** Null also where no header can carry what is stored, or where it is no token. */
function savedToken(name: string): string | null {
  const text = savedText(name) ?? "";
  return /^[\w.-]+$/.test(text) && claimsOf(text) !== undefined ? text : null;
}

export function signIn(value: string): void {
  saveText(slot, value);
  changed();
}

export function signOut(): void {
  saveText(slot, null);
  changed();
}

/** Undefined: nothing says that the shop does not accept the sign-in. */
export function refusedSignIn(): RefusedSignIn | undefined {
  return refused.get(token() ?? "");
}

/** The token that requests carry. Null: nobody is signed in, or the shop refuses the sign-in. */
export function acceptedToken(): string | null {
  return refusedSignIn() === undefined ? token() : null;
}

/** A board whose sign-in is refused asks nothing but whether it is accepted again. */
export function isSilent(): boolean {
  return isBoard && refusedSignIn() !== undefined;
}

/**
 * Notes a 401, unless somebody has signed in since the request that carried this token: a late
 * answer says nothing about the new one.
 */
export function noteRefused(carried: string | null, { headers }: Response, at: number): void {
  if (carried === null || !savedTokens().includes(carried)) return;
  const text = headers.get("www-authenticate") ?? "";
  const reason = text.includes("this device was removed") ? "removed"
    : text.includes("expired") ? "expired" : "unknown";
  const before = refused.get(carried);
  if (before?.reason === reason) return;
  const now = { token: carried, reason, since: before?.since ?? at } as const;
  refused.set(carried, now);
  if (before === undefined) void askUntilAccepted(now);
  changed();
}

/** Asks about a refused token. Ends also when somebody else signs in. */
async function askUntilAccepted({ token: carried, since }: RefusedSignIn): Promise<void> {
  const isRefused = (): boolean => refused.get(carried)?.since === since;
  while (isRefused()) {
    await new Promise((resolve) => { setTimeout(resolve, askEveryMs); });
    const answer = await askAbout(carried).catch(() => undefined);
    if (!isRefused()) return;
    if (answer?.status === 401) noteRefused(carried, answer, since);
    if (answer?.ok !== true) continue;
    refused.delete(carried);
    changed();
  }
}

/** Asks the shop about a token. */
export function askAbout(value: string): Promise<Response> {
  return fetch("api", {
    headers: { authorization: `Bearer ${value}` }, cache: "no-store",
    signal: AbortSignal.timeout(askEveryMs),
  });
}

/** Undefined: nobody is signed in. */
export function claims(): Claims | undefined {
  return claimsOf(token() ?? "");
}

function changed(): void {
  // Who comes back with an old token is asked about anew.
  const tokens = savedTokens();
  for (const value of refused.keys()) if (!tokens.includes(value)) refused.delete(value);
  session.dispatchEvent(new Event("change"));
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
