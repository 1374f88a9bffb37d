/**
 * Devices (contract part 3). An owner lists, adds and removes them. POST /api/devices answers with
 * a code; tokens.ts turns it into the device's token.
 */

import { randomBytes } from "node:crypto";
import { expiryIn } from "../auth/issue.ts";
import { isoDate } from "../auth/token.ts";
import type { Request } from "../http/request.ts";
import { jsonResponse, noCache, noStore, type Response } from "../http/response.ts";
import type { Route } from "../http/router.ts";
import { Problem } from "../problems/problem.ts";
import { parse } from "../resources/check.ts";
import {
  type Device,
  devices,
  isDeviceBody,
  isOver,
  lifetimeOf,
  maxDevices,
} from "../resources/device.ts";
import type { Content, Row } from "../store/row.ts";
import type { Services } from "./services.ts";
import { remove } from "./writes.ts";

export function deviceRoutes({ store, callers, codes }: Services): readonly Route[] {
  const path = "/api/devices";
  /** Devices that are being added, and are not among the rows yet. */
  let adding = 0;

  function list(): Response {
    const now = Date.now();
    const rows = store.rows(devices).filter(({ value }) => !isOver(value, now));
    return jsonResponse(200, JSON.stringify(rows.map(listed)), noCache);
  }

  /** The device, with `seenAt` if it was seen. */
  function listed(row: Row<Device, undefined>): object {
    const seenAtMs = callers.seenAtMs(row);
    return { ...row.value, ...(seenAtMs !== undefined && { seenAt: isoTime(seenAtMs) }) };
  }

  /** Rejects with Problem 415, 413, 400, 401 or 409. */
  async function add(request: Request): Promise<Response> {
    request.requireJson();
    const { name, role, expires } = parse(isDeviceBody, await request.json());
    // Everything from here to the write is one step: the caller was just found to be signed in.
    const now = Date.now();
    const content: Content<Device, undefined> = {
      value: {
        // A used id would bring a removed token back, so no two are ever the same. It begins with a
        // letter, as all ids that the server picks.
        id: `d${randomBytes(12).toString("base64url")}`,
        name,
        role,
        addedAt: isoTime(now),
        expiresAt: isoDate(expiryIn(lifetimeOf(expires) ?? 0)),
      },
      kept: undefined,
    };
    const { id } = content.value;
    const room = makeRoom(now);
    adding += 1;
    try {
      await Promise.all([...room, store.write(devices, id, () => content)]);
    } finally {
      adding -= 1;
    }
    const { code, expiresAtMs } = codes.create(id);
    const json = JSON.stringify({ ...content.value, code, codeExpiresAt: isoTime(expiresAtMs) });
    return jsonResponse(201, json, noStore);
  }

  /** Removes the devices whose time is over, if the store is full. Throws Problem 409. */
  function makeRoom(now: number): readonly Promise<unknown>[] {
    const rows = store.rows(devices);
    if (rows.length + adding < maxDevices) return [];
    const over = rows.filter(({ value }) => isOver(value, now));
    if (rows.length - over.length + adding >= maxDevices) {
      throw new Problem(
        "too-many-devices",
        `there are ${maxDevices} devices, and no more can be added; remove some first`,
      );
    }
    return over.map(({ id }) => store.write(devices, id, () => "remove"));
  }

  return [
    { method: "GET", path, rule: "owner", handle: list },
    { method: "POST", path, rule: "owner", handle: add },
    {
      method: "DELETE",
      path: `${path}/:id`,
      rule: "owner or itself",
      handle: (request) => remove(devices, request, store),
    },
  ];
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
