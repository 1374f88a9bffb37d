/**
 * Devices: the tablets and phones that an owner has added. A device's token is valid as long as its
 * row is in the store. A hidden kind: it is in the store and its backups, but has no events.
 */

import { parseLifetime } from "../auth/issue.ts";
import { deviceRoles, type DeviceRole } from "../auth/token.ts";
import {
  type Guard,
  isId,
  isName,
  isOneOf,
  isTime,
  objectOf,
  parse,
  scalar,
} from "./check.ts";
import type { LabeledKind } from "./kind.ts";

export interface Device {
  readonly id: string;
  readonly name: string;
  readonly role: DeviceRole;
  /** RFC 3339, UTC, milliseconds. */
  readonly addedAt: string;
  /** As `addedAt`. */
  readonly expiresAt: string;
}

/** The body with which an owner adds a device. */
export interface DeviceBody {
  readonly name: string;
  readonly role: DeviceRole;
  /** A lifetime, as in "3650d". */
  readonly expires: string;
}

/** A device holds until it is removed, or so long. */
const maxLifetimeDays = 3_650;

/** The seconds for which a device is signed in; undefined if `expires` does not fit the rule. */
export function lifetimeOf(expires: string): number | undefined {
  return parseLifetime(expires, maxLifetimeDays);
}

/** The most devices in the store. */
export const maxDevices = 500;

export const isDeviceBody: Guard<DeviceBody> = objectOf<DeviceBody>({
  name: isName,
  role: isOneOf(deviceRoles),
  expires: scalar(
    'a string with a number and s, m, h or d, such as "90m" or "30d", at most ' +
      `${maxLifetimeDays}d`,
    (value): value is string => typeof value === "string" && lifetimeOf(value) !== undefined,
  ),
});

const isDevice = objectOf<Device>({
  id: isId,
  name: isName,
  role: isOneOf(deviceRoles),
  addedAt: isTime,
  expiresAt: isTime,
});

export const devices: LabeledKind<Device, undefined> = {
  name: "devices",
  label: "device",
  isHidden: true,
  idOf: ({ id }) => id,
  read: (data) => ({ value: parse(isDevice, data), kept: undefined }),
};

/** True if the device's time is over. `nowMs`: as Date.now. */
export function isOver({ expiresAt }: Device, nowMs: number): boolean {
  return Date.parse(expiresAt) <= nowMs;
}
