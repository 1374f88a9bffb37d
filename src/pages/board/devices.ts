/**
 * The devices of the shop (contract part 3), for owners: who is signed in, and how one is added. A
 * new device trades a code, which works once, for its token. This very device does so at once.
 */

import { explain, isRefusal, read, write } from "../shared/api.ts";
import { ask } from "../shared/dialogs.ts";
import { claims, signIn } from "../shared/session.ts";
import { t, timeText } from "../shared/words.ts";
import type { Device, DeviceCode, NewDevice } from "./dialog-state.ts";
import { openDialog, state, updateDialog } from "./store.ts";

/** A device that is gone already counts as removed. */
export async function removeDevice(id: string): Promise<void> {
  await write("DELETE", `api/devices/${encodeURIComponent(id)}`).catch((fault: unknown) => {
    if (!isRefusal(fault, 404)) throw fault;
  });
}

async function readDevices(): Promise<readonly Device[]> {
  return (await read<readonly Device[]>("api/devices")).data;
}

export function openDevices(adding?: NewDevice): void {
  openDialog({ type: "devices", devices: undefined, failure: "", adding });
  void refreshDevices();
}

async function refreshDevices(failure = ""): Promise<void> {
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

export async function askToRemove({ id, name }: Device): Promise<void> {
  const isMeant = await ask(t("Remove {name}?", { name }), t("Remove"), t("Keep it signed in"), {
    detail: t("It is signed out at once. To come back it needs a new code."), className: "ink",
  });
  if (isMeant) await refreshDevices(await removeDevice(id).then(() => "", explain));
}

export function changeAdding(change: Partial<NewDevice>, failure = ""): void {
  const { dialog } = state();
  if (dialog?.type !== "devices" || dialog.adding === undefined) return;
  updateDialog("devices", { failure, adding: { ...dialog.adding, ...change } });
}

/** The code for what the fields say. */
export function codeOf({ name, role, code }: NewDevice): DeviceCode | undefined {
  return code?.name === name.trim() && code.role === role ? code : undefined;
}

/** Makes one code, however often it is asked for. */
export async function makeCode(adding: NewDevice): Promise<void> {
  if (adding.name.trim() === "") {
    document.getElementById("device-name")?.focus();
    return changeAdding({}, t("It needs a name."));
  }
  changeAdding({ isMaking: true });
  try {
    const code = await newCode(adding);
    changeAdding({ code, isMaking: false });
    if (!adding.isThis) return;
    const { data } = await write<{ readonly token: string }>("POST", "api/tokens", {
      code: code.code,
    });
    signIn(data.token);
    openDevices();
  } catch (fault) {
    changeAdding({ isMaking: false }, explain(fault));
  }
}

interface Added {
  readonly id: string;
  readonly code: string;
  readonly codeExpiresAt: string;
}

/** The device of an earlier code makes room for the new one, unless it has come in. */
async function newCode({ name: typed, role, code: last }: NewDevice): Promise<DeviceCode> {
  const isUnused = ({ id, seenAt }: Device): boolean =>
    id === last?.deviceId && seenAt === undefined;
  if (last !== undefined && (await readDevices()).some(isUnused)) await removeDevice(last.deviceId);
  const name = typed.trim();
  // The device stays signed in until it is removed.
  const { data: { id, code, codeExpiresAt } } = await write<Added>("POST", "api/devices", {
    name, role, expires: "3650d",
  });
  return { deviceId: id, name, role, code, endsAt: Date.parse(codeExpiresAt) };
}

/** When the list was read last, by a clock that nobody sets. */
const lastRead = { at: -Infinity };

/** Called each second: draws the time that is left, and looks who came in. */
export function watchDevices(): void {
  const { dialog, role } = state();
  if (role !== "owner" || dialog?.type !== "devices") return;
  const { adding } = dialog;
  if (adding !== undefined && codeOf(adding) === undefined) return;
  updateDialog("devices", {});
  const everyMs = adding === undefined ? 10_000 : 2_000;
  const now = performance.now();
  if (now - lastRead.at < everyMs) return;
  lastRead.at = now;
  void refreshDevices();
}
