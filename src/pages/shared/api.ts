/**
 * Requests to the service. Addresses are relative to the page, so that they work under a proxy's
 * sub-path. They carry the sign-in while the shop accepts it: one that it refuses never hides what
 * is public.
 */

import { isShop, type Menu } from "./menu.ts";
import { acceptedToken, isSilent, noteRefused, type RefusedSignIn } from "./session.ts";
import type { Beverage, PizzaSize, Shop, Topping } from "./types.ts";
import { t, timeText } from "./words.ts";

/** Long enough for a slow phone. Then the answer counts as lost. */
const answerWithinMs = 10_000;

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

  constructor({ status, headers }: Response, { type, identical }: Problem = {}) {
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

/**
 * Throws a Refusal, or fetch's own TypeError or DOMException when no answer came. An answer of
 * another shape than the path has counts as none.
 */
export async function read<T>(path: string): Promise<Answer<T>> {
  const carried = acceptedToken();
  const response = await send("GET", path);
  // Public resources can be read without the refused sign-in, or with another one.
  const isAgain = response.status === 401 && carried !== acceptedToken();
  return accept(isAgain ? await send("GET", path) : response, shapeOf(path));
}

/** The check of an answer at that path. */
function shapeOf(path: string): (data: unknown) => boolean {
  if (path === "api") return isRecord;
  if (path === "api/shop") return isShop;
  return /^api\/[a-z]+(?:\?|$)/.test(path) ? isList : isItem;
}

function isRecord(data: unknown): data is Readonly<Record<string, unknown>> {
  return typeof data === "object" && data !== null;
}

function isItem(data: unknown): boolean {
  return isRecord(data) && typeof data["id"] === "string";
}

function isList(data: unknown): boolean {
  return Array.isArray(data) && data.every(isItem);
}

/** Whether guests may order. Throws as `read` does. */
export async function readGuestOrders(): Promise<boolean> {
  return (await read<{ readonly guestOrders: boolean }>("api")).data.guestOrders;
}

/** Reads the menu and the shop. Throws as `read` does. */
export async function readMenu(): Promise<Menu> {
  const [shop, pizzasizes, toppings, beverages] = await Promise.all([
    read<Shop>("api/shop"), read<PizzaSize[]>("api/pizzasizes"), read<Topping[]>("api/toppings"),
    read<Beverage[]>("api/beverages"),
  ]);
  return {
    shop: shop.data, pizzasizes: pizzasizes.data, toppings: toppings.data,
    beverages: beverages.data,
  };
}

/** Throws as `read` does. After a 401 nothing was written. */
export async function write<T>(
  method: string, path: string, body?: unknown, ifMatch?: string,
): Promise<Answer<T>> {
  const isShape = Array.isArray(body) ? isList : method === "DELETE" ? () => true : isRecord;
  return accept(await send(method, path, body, ifMatch), isShape);
}

/**
 * Changes what was read, and reads it again where another change was faster. `bodyOf`: the members
 * to write, decided by the state that was read; undefined for no write. Resolves to the answer;
 * undefined if nothing was written. Rejects after the third 412: a proxy that serves an old state
 * would be asked for ever.
 */
export async function change<T>(
  path: string, bodyOf: (now: T) => object | undefined,
): Promise<T | undefined> {
  for (let triesLeft = 2; ; triesLeft -= 1) {
    const { data, etag } = await read<T>(path);
    const body = bodyOf(data);
    if (body === undefined) return undefined;
    try {
      return (await write<T>("PATCH", path, body, etag)).data;
    } catch (fault) {
      if (!isRefusal(fault, 412) || triesLeft === 0) throw fault;
    }
  }
}

/** A moment by the server's clock, and the same one by a clock that nobody sets. */
const clock = { server: Date.now(), page: performance.now() };

function noteServerTime({ headers }: Response): void {
  const server = Date.parse(headers.get("date") ?? "");
  // The header has whole seconds, and the way takes time: less than that is no difference.
  if (!(Math.abs(server - serverNow()) > 3000)) return;
  Object.assign(clock, { server, page: performance.now() });
}

/** The server's time, in milliseconds since 1970: a tablet's clock is often minutes off. */
export function serverNow(): number {
  return clock.server + performance.now() - clock.page;
}

/** Whether trying again later may help: there was no answer, or the trouble passes. */
export function isRetryable(fault: unknown): boolean {
  return !(fault instanceof Refusal) || fault.status >= 500 || [408, 429].includes(fault.status);
}

export function isRefusal(fault: unknown, status: number): fault is Refusal {
  return fault instanceof Refusal && fault.status === status;
}

export const refusedText: string = t("The shop doesn’t accept this sign-in now.");

/** A sentence for people about anything that is thrown here. */
export function explain(fault: unknown): string {
  if (!(fault instanceof Refusal)) return t("The shop doesn’t answer.");
  switch (fault.status) {
    case 401: return refusedText;
    case 403: return t("This sign-in isn’t allowed to do that.");
    case 404: return t("It no longer exists.");
    case 412: return t("Somebody else changed it.");
    case 429: return t("The shop is busy.");
    default: return fault.status >= 500 ? t("The shop can’t save anything right now.")
      : t("The shop didn’t accept that.");
  }
}

/** A sentence for people: since when the shop refuses the sign-in, and why. */
export function explainRefused({ reason, since }: RefusedSignIn): string {
  if (reason === "removed") return t("This device was removed. To come back it needs a new code.");
  const time = timeText(since);
  const sentence = t("The shop hasn’t accepted this sign-in since {time}.", { time });
  const why = reason === "expired" ? t("By its clock, this sign-in has ended.")
    : t("It doesn’t know this sign-in now.");
  return `${sentence} ${why}`;
}

export const asksAgainText: string =
  t("This page asks again every ten seconds, and goes on by itself.");

/** As fetch, with the sign-in, unless the shop refuses it. */
export async function request(path: string, init: RequestInit): Promise<Response> {
  if (isSilent()) return new Response(null, { status: 401 });
  const carried = acceptedToken();
  const headers = new Headers(init.headers);
  if (carried !== null) headers.set("authorization", `Bearer ${carried}`);
  const response = await fetch(path, { ...init, headers });
  // A refusal may come from a server whose clock is wrong.
  if (response.status === 401) noteRefused(carried, response, serverNow());
  else noteServerTime(response);
  return response;
}

function send(
  method: string, path: string, body?: unknown, ifMatch?: string,
): Promise<Response> {
  return request(path, {
    method,
    headers: {
      ...body === undefined ? {} : { "content-type": "application/json" },
      ...ifMatch === undefined ? {} : { "if-match": ifMatch },
    },
    body: JSON.stringify(body) ?? null,
    signal: AbortSignal.timeout(answerWithinMs),
  });
}

async function accept<T>(
  response: Response, isShape: (data: unknown) => boolean,
): Promise<Answer<T>> {
  // A proxy's own page is not JSON, and a 204 has no body: the status must do.
  const data: unknown = await response.json().catch(() => null);
  if (!response.ok) throw new Refusal(response, (data ?? {}) as Problem);
  // A sign-in page that a proxy or a hotspot sent instead: the service has not answered.
  if (!isShape(data)) throw new Error("no answer of the service");
  const etag = response.headers.get("etag") ?? "";
  // All members of the answer are as the contract promises.
  return { data: data as T, etag };
}
