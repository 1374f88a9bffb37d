/**
 * The dialog Add a device: a code that signs one device in, once, as a QR code. It holds no token:
 * the new device trades the code for one. The dialog says when it has come in.
 */

import { explain, serverNow } from "../shared/api.ts";
import { type Child, classes, h, icon, submitted, type View } from "../shared/dom.ts";
import { t } from "../shared/words.ts";
import { addDevice, readDevices, removeDevice } from "./device-requests.ts";
import { openDevices, refreshDevices, roleNames } from "./devices.ts";
import {
  type AddDeviceDialog, type Device, type DeviceCode, type DeviceRole, openDialog, updateDialog,
} from "./dialogs.ts";
import { onlyHere, ownAddress, qrCode, sheet } from "./sheet.ts";
import { set, state } from "./state.ts";

const roles: readonly DeviceRole[] = ["staff", "reader", "owner"];

export function openAddDevice(): void {
  openDialog({
    type: "add-device", name: "", role: "staff", code: undefined, unused: undefined,
    isMaking: false, failure: "",
  });
}

/** Fields that have changed have no code. */
function changeFields(change: Partial<AddDeviceDialog>): void {
  updateDialog("add-device", { code: undefined, failure: "", ...change });
}

/** Makes one code, however often it is asked for. */
async function makeCode(): Promise<void> {
  const { dialog } = state();
  if (dialog?.type !== "add-device" || dialog.isMaking) return;
  const name = dialog.name.trim();
  if (name === "") {
    document.getElementById("device-name")?.focus();
    return updateDialog("add-device", { failure: t("It needs a name.") });
  }
  const making: AddDeviceDialog = { ...dialog, code: undefined, isMaking: true, failure: "" };
  set({ dialog: making });
  const change = await codeFor(name, dialog).then((code) => ({ code, unused: code.deviceId }),
    (fault: unknown) => ({ failure: explain(fault) }));
  // A field that was changed meanwhile has no code.
  const isSame = state().dialog === making;
  updateDialog("add-device", { ...change, isMaking: false, ...isSame ? {} : { code: undefined } });
}

/** The device of an earlier code makes room for the new one, unless it has come in. */
async function codeFor(name: string, { role, unused }: AddDeviceDialog): Promise<DeviceCode> {
  const isUnused = ({ id, seenAt }: Device): boolean => id === unused && seenAt === undefined;
  if (unused !== undefined && (await readDevices()).some(isUnused)) await removeDevice(unused);
  const { id, code, codeExpiresAt } = await addDevice(name, role);
  return {
    deviceId: id, link: `${ownAddress}board#code=${code}`, endsAt: Date.parse(codeExpiresAt),
    wasUsed: false,
  };
}

/** Called each second: draws the time that is left, and looks who came in. */
export function watchDevices(): void {
  const { dialog, signIn } = state();
  if (signIn !== "owner") return;
  const seconds = Math.floor(Date.now() / 1000);
  if (dialog?.type === "devices" && seconds % 10 === 0) void refreshDevices();
  if (dialog?.type !== "add-device" || dialog.code === undefined || dialog.code.wasUsed) return;
  updateDialog("add-device", {});
  if (seconds % 2 === 0) void lookWhoCame(dialog.code);
}

async function lookWhoCame(code: DeviceCode): Promise<void> {
  const [devices, failure] = await readDevices().then((all) => [all, ""] as const,
    (fault: unknown) => [[], explain(fault)] as const);
  const { dialog } = state();
  if (dialog?.type !== "add-device" || dialog.code?.deviceId !== code.deviceId) return;
  const wasUsed = devices.some(({ id, seenAt }) => id === code.deviceId && seenAt !== undefined);
  updateDialog("add-device", { failure, code: { ...code, wasUsed } });
}

export function addDeviceDialog(dialog: AddDeviceDialog): View {
  const { name, role, code, isMaking, failure } = dialog;
  const leftMs = code === undefined ? 0 : code.endsAt - serverNow();
  const isOpen = code !== undefined && !code.wasUsed && leftMs > 0;
  const make = (): void => { void makeCode(); };
  return sheet({ name: "add-device", title: t("Add a device"), back: openDevices }, [
    h("div", { class: "add-device" },
      h("div", { class: "code" }, picture(dialog, isOpen)),
      h("form", { novalidate: true, onsubmit: submitted(make) },
        h("label", {}, h("span", {}, t("Name")), h("input", {
          id: "device-name", value: name, maxlength: 100, autocomplete: "off", autofocus: true,
          placeholder: t("Bar tablet"), "aria-describedby": "device-fault",
          oninput: ({ currentTarget: { value } }) => { changeFields({ name: value }); },
        })),
        h("div", { class: "choice", role: "group", "aria-labelledby": "may-do" },
          h("p", { id: "may-do" }, t("What it may do")),
          ...roles.map((one) => h("button", {
            key: one, "aria-pressed": String(one === role),
            onclick: () => { changeFields({ role: one }); },
          }, roleNames[one])),
          role === "owner" && h("p", { class: "soft" },
            t("An owner’s device can add and remove others."))),
        h("p", { id: "device-fault", class: "fault", role: "alert" }, failure),
        isOpen && onlyHere(ownAddress),
        isOpen && h("p", {}, t("Scan it with the new device’s camera."), " ",
          t("It stays signed in for 30 days.")),
        isOpen && h("p", { class: "left" }, ...timeLeft(leftMs)),
        isOpen && h("p", { class: "soft" }, t("No camera? Open this link on the device:"), " ",
          h("bdi", { class: "link", dir: "ltr" }, code.link)))),
  ], [
    h("button", { class: classes(!isOpen && !isMaking && "go"), onclick: !isMaking && make },
      t("New code")),
  ]);
}

/** The code, or in a place of the same size why there is none. */
function picture({ name, code }: AddDeviceDialog, isOpen: boolean): Child {
  if (isOpen && code !== undefined) return qrCode(code.link, t("Code for {name}", { name }));
  const hasCome = code?.wasUsed === true;
  return h("p", { class: classes("no-code", hasCome && "has-come"), role: "status" },
    hasCome && icon("check"),
    h("span", {}, hasCome ? t("{name} has come in.", { name: name.trim() })
      : code !== undefined ? t("This code has run out.")
        : t("Give it a name, then press New code.")));
}

/** "9:41" in figures of one width, the words around it as they are in each language. */
function timeLeft(leftMs: number): readonly Child[] {
  const seconds = Math.floor(leftMs / 1000);
  const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  const text = t("{time} left. It works once, for one device.", { time: "|" });
  const [before, after] = text.split("|");
  return [before, h("b", { role: "timer" }, time), after];
}
