/**
 * Requests to the service. Addresses are relative to the page, so that they work under a proxy's
 * sub-path. A 401 to a read signs out and reads again: an old sign-in never hides what is public.
 */

import { endSession, token } from "./session.ts";
import { t } from "./words.ts";

/** Long enough for a slow phone; then the answer counts as lost. */
const answerWithinMs = 20_000;

/** The members of a problem (RFC 9457) that the pages act on. */
interface Problem {
  readonly type?: string;
  readonly identical?: boolean;
}

/** An answer that is not 2xx. */
export class Refusal extends Error {
  readonly status: number;
  /** The name in the problem's type: "sold-out" of "/problems#sold-out". */
  readonly type: string;
  readonly identical: boolean;
  readonly retryAfterSeconds: number;

  constructor({ status, headers }: Response, { type, identical }: Problem) {
    super(`${status}`);
    this.status = status;
    this.type = type?.split("#").at(-1) ?? "";
    this.identical = identical === true;
    this.retryAfterSeconds = Number(headers.get("retry-after")) || 0;
  }
}

interface Answer<T> {
  readonly data: T;
  readonly etag: string;
}

/** Throws a Refusal, or fetch's own TypeError or DOMException when no answer came. */
export async function read<T>(path: string): Promise<Answer<T>> {
  const carried = token();
  const response = await send("GET", path);
  const isAgain = response.status === 401 && endSession(carried, response);
  return accept(isAgain ? await send("GET", path) : response);
}

/** Whether guests may order. Throws as `read` does. */
export async function readGuestOrders(): Promise<boolean> {
  return (await read<{ readonly guestOrders: boolean }>("api")).data.guestOrders;
}

/** Throws as `read` does. After a 401 nothing was written, and nobody is signed in. */
export async function write<T>(
  method: string, path: string, body?: unknown, ifMatch?: string,
): Promise<Answer<T>> {
  const carried = token();
  const response = await send(method, path, body, ifMatch);
  if (response.status === 401) endSession(carried, response);
  return accept(response);
}

const server = { offsetMs: 0 };

/** Called with every answer: somebody may set the device's clock at any time. */
export function noteServerTime({ headers }: Response): void {
  const offset = Date.parse(headers.get("date") ?? "") - Date.now();
  // The header has whole seconds, and the way takes time: less than that is no difference.
  server.offsetMs = Math.abs(offset) > 3000 ? offset : 0;
}

/** The server's time, in milliseconds since 1970: a tablet's clock is often minutes off. */
export function serverNow(): number {
  return Date.now() + server.offsetMs;
}

/** Whether trying again later may help: there was no answer, or the trouble passes. */
export function isRetryable(fault: unknown): boolean {
  return !(fault instanceof Refusal) || fault.status >= 500 || [408, 429].includes(fault.status);
}

export function isRefusal(fault: unknown, status: number): fault is Refusal {
  return fault instanceof Refusal && fault.status === status;
}

/** A sentence for people about anything that is thrown here. */
export function explain(fault: unknown): string {
  if (!(fault instanceof Refusal)) return t("The shop doesn’t answer.");
  switch (fault.status) {
    case 401: return t("You are signed out.");
    case 403: return t("This sign-in isn’t allowed to do that.");
    case 404: return t("It no longer exists.");
    case 412: return t("Somebody else changed it.");
    case 429: return t("The shop is busy.");
    default: return fault.status >= 500 ? t("The shop can’t save anything right now.")
      : t("The shop didn’t accept that.");
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
  noteServerTime(response);
  return response;
}

async function accept<T>(response: Response): Promise<Answer<T>> {
  // A proxy's own page is not JSON, and a 204 has no body: the status must do.
  const data: unknown = await response.json().catch(() => null);
  if (!response.ok) throw new Refusal(response, (data ?? {}) as Problem);
  // A sign-in page that a proxy or a hotspot sent instead: the service has not answered.
  if (data === null && response.status !== 204) throw new Error("no answer of the service");
  const etag = response.headers.get("etag") ?? "";
  // The service's own answer has the shape that the contract promises.
  return { data: data as T, etag };
}
