/** The board's requests about devices (contract part 3). */

import { isRefusal, read, write } from "../shared/api.ts";
import type { Device, DeviceRole } from "./dialogs.ts";

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

export async function redeemCode(code: string): Promise<string> {
  return (await write<{ readonly token: string }>("POST", "api/tokens", { code })).data.token;
}
