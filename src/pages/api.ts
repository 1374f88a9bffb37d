/**
 * Requests to the service, by URLs relative to the page so that they work under a proxy's sub-path.
 * A 401 to a read drops the token and reads again: a stale sign-in never hides what is public.
 */

import { dropToken, token } from "./session.ts";
import { t } from "./words.ts";

/** Long enough for a slow phone; then the answer counts as lost. */
const answerWithinMs = 20_000;

/** What the service says of a refusal (RFC 9457), as far as pages act on it. */
interface Problem {
  /** The last part of its address: "sold-out". */
  readonly type?: string;
  readonly detail?: string;
  readonly identical?: boolean;
  readonly errors?: readonly Fault[];
}

export interface Fault {
  /** "#/toppings/0/id" (RFC 6901). */
  readonly pointer?: string;
  readonly detail: string;
}

/** An answer that is not 2xx. The message is the service's own, in English, for developers. */
export class Refusal extends Error {
  readonly status: number;
  readonly type: string;
  readonly identical: boolean;
  readonly faults: readonly Fault[];
  readonly retryAfterSeconds: number;

  constructor({ status, headers }: Response, { type, detail, identical, errors }: Problem) {
    super(detail ?? `${status}`);
    this.status = status;
    this.type = type?.split("/").at(-1) ?? "";
    this.identical = identical === true;
    this.faults = errors ?? [];
    this.retryAfterSeconds = Number(headers.get("retry-after")) || 0;
  }
}

export interface Answer<T> {
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
  // A proxy that compresses weakens the tag, and If-Match takes none that is weak.
  const etag = response.headers.get("etag")?.replace("W/", "") ?? "";
  const [, next] = /^<\/([^>]*)>; rel="next"/.exec(response.headers.get("link") ?? "") ?? [];
  return { data: data as T, etag, next };
}
