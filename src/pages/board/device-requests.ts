/** The devices of the shop (contract part 3): their roles, and the requests about them. */

import { explain, isRefusal, read, write } from "../shared/api.ts";
import { t } from "../shared/words.ts";
import type { Device, DeviceRole, NewDevice } from "./dialog-types.ts";
import { openDialog, updateDialog } from "./dialogs.ts";

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

/** It stays signed in for 30 days; remove it when that should end. */
export async function addDevice(name: string, role: DeviceRole): Promise<Added> {
  return (await write<Added>("POST", "api/devices", { name, role, expires: "30d" })).data;
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

export function openDevices(): void {
  openDialog({ type: "devices", devices: undefined, failure: "", adding: undefined });
  void refreshDevices();
}

export async function refreshDevices(failure = ""): Promise<void> {
  updateDialog("devices", await readDevices().then((devices) => ({ devices, failure }),
    (fault: unknown) => ({ failure: explain(fault) })));
}

export function openAddDevice(): void {
  const adding: NewDevice = { name: "", role: "staff", code: undefined, isMaking: false };
  updateDialog("devices", { failure: "", adding });
}
