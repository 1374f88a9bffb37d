/**
 * Requests to the service, and as whom they are made. URLs are relative to the page, so that they
 * work under a proxy's sub-path.
 *
 * The sign-in of a page stays on the device until it expires. A token arrives in the link's
 * fragment (`#token=…`), which no server and no referrer sees, and leaves the address bar at once.
 * Each page has a sign-in of its own: a customer's never takes the place of the kitchen's. A 401 to
 * a read drops the token and reads again: a stale sign-in never hides what is public.
 */

import { ask } from "./dom.ts";
import { t } from "./words.ts";

/** Dispatches "change" when a sign-in comes or goes, in whichever tab. */
export const session = new EventTarget();

/** What a token says of itself; only the server judges whether it is true. */
interface Claims {
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

/** On this device. A browser that blocks storage keeps nothing. */
export function keep(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(base + name);
    else localStorage.setItem(base + name, value);
  } catch { /* see above */ }
}

export function kept(name: string): string | null {
  try {
    return localStorage.getItem(base + name);
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

/** Long enough for a slow phone; then the answer counts as lost. */
const answerWithinMs = 20_000;

/** What the service says of a refusal (RFC 9457), as far as pages act on it. */
interface Problem {
  readonly type?: string;
  readonly identical?: boolean;
}

/** An answer that is not 2xx. */
export class Refusal extends Error {
  readonly status: number;
  /** The last part of the problem's address: "sold-out". */
  readonly type: string;
  readonly identical: boolean;
  readonly retryAfterSeconds: number;

  constructor({ status, headers }: Response, { type, identical }: Problem) {
    super(`${status}`);
    this.status = status;
    this.type = type?.split("/").at(-1) ?? "";
    this.identical = identical === true;
    this.retryAfterSeconds = Number(headers.get("retry-after")) || 0;
  }
}

interface Answer<T> {
  readonly data: T;
  readonly etag: string;
  /** The address of a list's next page, where there is one. */
  readonly next: string | undefined;
}

/** Throws a Refusal, or fetch's own TypeError or DOMException when no answer came. */
export async function read<T>(path: string): Promise<Answer<T>> {
  const response = await send("GET", path);
  if (response.status === 401 && dropToken()) return accept(await send("GET", path));
  return accept(response);
}

/** As `read`; after a 401 the token is gone and nothing was written. */
export async function write<T>(
  method: string, path: string, body?: unknown, ifMatch?: string,
): Promise<Answer<T>> {
  const response = await send(method, path, body, ifMatch);
  if (response.status === 401) dropToken();
  return accept(response);
}

let clockOffsetMs = 0;

/** The server's time: a tablet's clock is often minutes off, and ages are coloured by it. */
export function serverNow(): number {
  return Date.now() + clockOffsetMs;
}

/** Whether trying the very same later may help: no answer at all, or one of a passing trouble. */
export function passes(fault: unknown): boolean {
  return !(fault instanceof Refusal) || fault.status >= 500 || [408, 429].includes(fault.status);
}

export function isRefusal(fault: unknown, status: number): fault is Refusal {
  return fault instanceof Refusal && fault.status === status;
}

/** What to tell a person about anything thrown here. A page that knows more says more. */
export function explain(fault: unknown): string {
  if (!(fault instanceof Refusal)) return t("No answer from the shop.");
  switch (fault.status) {
    case 401: return t("The sign-in has ended.");
    case 403: return t("This sign-in may not do that.");
    case 404: return t("It is no longer there.");
    case 412: return t("Somebody else has changed it.");
    case 429: return t("Too many requests at once.");
    default: return fault.status >= 500 ? t("The shop cannot save anything right now.")
      : t("The shop did not take that.");
  }
}

export function authorized(): Headers {
  const value = token();
  return new Headers(value === null ? {} : { authorization: `Bearer ${value}` });
}

async function send(
  method: string, path: string, body?: unknown, ifMatch?: string,
): Promise<Response> {
  const headers = authorized();
  if (body !== undefined) headers.set("content-type", "application/json");
  if (ifMatch !== undefined) headers.set("if-match", ifMatch);
  const response = await fetch(path, {
    method, headers, body: JSON.stringify(body) ?? null,
    signal: AbortSignal.timeout(answerWithinMs),
  });
  const offset = Date.parse(response.headers.get("date") ?? "") - Date.now();
  // The header has whole seconds, and the way takes time: less than that is no difference.
  clockOffsetMs = Math.abs(offset) > 3000 ? offset : 0;
  return response;
}

async function accept<T>(response: Response): Promise<Answer<T>> {
  // A proxy's own page is not JSON, or is null, and a 204 has no body: the status must do.
  const data: unknown = await response.json().catch(() => null);
  if (!response.ok) throw new Refusal(response, (data ?? {}) as Problem);
  // A sign-in page that a proxy or a hotspot put in the answer's place: nothing was done.
  if (data === null && response.status !== 204) throw new Error();
  // The service's own answer: its shape is the contract's, not to be checked a second time here.
  const etag = response.headers.get("etag") ?? "";
  const [, next] = /^<\/([^>]*)>; rel="next"/.exec(response.headers.get("link") ?? "") ?? [];
  return { data: data as T, etag, next };
}
