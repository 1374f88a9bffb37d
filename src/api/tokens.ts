/**
 * POST /api/tokens (contract part 3): the code of a device becomes the device's token. Without a
 * body, anyone gets a customer's token if GUEST_ORDERS is on.
 */

import { randomUUID } from "node:crypto";
import { realm } from "../auth/access.ts";
import { expiryIn, type Grant, issueToken } from "../auth/issue.ts";
import { isoDate } from "../auth/token.ts";
import type { Request } from "../http/request.ts";
import { jsonResponse, noStore, type Response } from "../http/response.ts";
import type { Route } from "../http/router.ts";
import { Problem } from "../problems/problem.ts";
import { objectOf, parse, scalar } from "../resources/check.ts";
import { devices, isOver } from "../resources/device.ts";
import type { Services } from "./services.ts";

/** Longer than the order page lists a guest's orders. */
const guestLifetimeSeconds = 24 * 3_600;

/** Anyone may send such a body. */
const maxBytes = 1_024;

const isCode = objectOf<{ readonly code: string }>({
  code: scalar(
    "a string, the code of a device",
    (value): value is string => typeof value === "string",
  ),
});

export function tokensRoute({ store, codes, signingKey, settings }: Services): Route {
  /** Rejects with Problem 415, 413, 400, 401 or 403. */
  async function create(request: Request): Promise<Response> {
    const { "content-length": length = "0", "transfer-encoding": coding } = request.headers;
    const hasBody = length !== "0" || coding !== undefined;
    const grant = hasBody ? await deviceGrant(request) : guestGrant();
    const { role, sub, exp } = grant;
    const token = issueToken(grant, signingKey);
    const json = JSON.stringify({ token, role, sub, expiresAt: isoDate(exp) });
    return jsonResponse(201, json, noStore);
  }

  async function deviceGrant(request: Request): Promise<Grant> {
    request.requireJson(maxBytes);
    const { code } = parse(isCode, await request.json(maxBytes));
    const device = store.get(devices, codes.redeem(code) ?? "")?.value;
    if (device === undefined || isOver(device, Date.now())) throw unknownCode();
    const { id, name, role, expiresAt } = device;
    return { role, sub: name, exp: Date.parse(expiresAt) / 1_000, device: id };
  }

  /** Throws Problem 403. */
  function guestGrant(): Grant {
    if (settings.guestOrders === null) throw noGuests();
    const sub = `guest-${randomUUID()}`;
    return { role: "customer", sub, exp: expiryIn(guestLifetimeSeconds) };
  }

  return { method: "POST", path: "/api/tokens", rule: "anyone", handle: create };
}

function unknownCode(): Problem {
  return new Problem(
    "not-authenticated",
    "the code is used, older than ten minutes or unknown, or its device was removed or its time " +
      "is over: ask for a new one",
    { headers: { "WWW-Authenticate": realm } },
  );
}

function noGuests(): Problem {
  return new Problem(
    "forbidden",
    'guests may not order here: expected a body {"code":"…"} with the code of a device, got ' +
      "none (with GUEST_ORDERS=on the server gives a token to anyone)",
  );
}
