/** The devices of the shop (contract part 3): their roles, and the requests about them. */

import { explain, isRefusal, read, write } from "../shared/api.ts";
import { ask } from "../shared/dialogs.ts";
import { claims } from "../shared/session.ts";
import type { AddedDevice } from "../shared/types.ts";
import { t, timeText } from "../shared/words.ts";
import { openDialog, updateDialog } from "./store.ts";

export type DeviceRole = AddedDevice["role"];

/** As the service lists it. `seenAt`: missing where it was not seen since the service started. */
export type Device = AddedDevice & { readonly seenAt?: string };

export interface DevicesDialog {
  readonly type: "devices";
  /** Undefined: not read yet. */
  readonly devices: readonly Device[] | undefined;
  readonly failure: string;
  /** Undefined: the list is shown. */
  readonly adding: NewDevice | undefined;
}

/** The form of a device to be added. */
export interface NewDevice {
  /** This very device, which a link has signed in. */
  readonly isThis: boolean;
  readonly name: string;
  readonly role: DeviceRole;
  /** The last one that was made. */
  readonly code: DeviceCode | undefined;
  readonly isMaking: boolean;
}

export interface DeviceCode {
  readonly deviceId: string;
  readonly name: string;
  readonly role: DeviceRole;
  /** Works once. */
  readonly code: string;
  /** As Date.now, by the service's clock. */
  readonly endsAt: number;
}

/** The roles of devices in words, the usual one first. */
export const roleNames: Readonly<Record<DeviceRole, string>> = {
  staff: t("Staff"), reader: t("View only"), owner: t("Owner"),
};

interface Added {
  readonly id: string;
  /** Works once, and turns into the device's token. */
  readonly code: string;
  readonly codeExpiresAt: string;
}

/** It stays signed in until it is removed. */
export async function addDevice(name: string, role: DeviceRole): Promise<Added> {
  return (await write<Added>("POST", "api/devices", { name, role, expires: "3650d" })).data;
}

/** One that is gone already counts as removed. */
export async function removeDevice(id: string): Promise<void> {
  await write("DELETE", `api/devices/${encodeURIComponent(id)}`).catch((fault: unknown) => {
    if (!isRefusal(fault, 404)) throw fault;
  });
}

export async function readDevices(): Promise<readonly Device[]> {
  return (await read<readonly Device[]>("api/devices")).data;
}

export function openDevices(adding?: NewDevice): void {
  openDialog({ type: "devices", devices: undefined, failure: "", adding });
  void refreshDevices();
}

export async function refreshDevices(failure = ""): Promise<void> {
  updateDialog("devices", await readDevices().then((devices) => ({ devices, failure }),
    (fault: unknown) => ({ failure: explain(fault) })));
}

export function openAddDevice(): void {
  openDevices({ isThis: false, name: "", role: "staff", code: undefined, isMaking: false });
}

/** An owner's device, since an owner's link has brought it in. */
export function openAddThisDevice(): void {
  openDevices({ isThis: true, name: "", role: "owner", code: undefined, isMaking: false });
}

/** A link has signed this device in, and not for long. */
export function isHereByLink(): boolean {
  const { role, device } = claims() ?? {};
  return role === "owner" && device === undefined;
}

/** Once, when an owner's link is opened. */
export async function offerToAdd(): Promise<void> {
  const { exp = 0 } = claims() ?? {};
  const isWanted = await ask(t("Stay signed in on this device?"), t("Add this device"),
    t("Not now"), {
      detail: t("This link ends at {time}.", { time: timeText(exp * 1000) }), className: "go",
    });
  if (isWanted) openAddThisDevice();
}
