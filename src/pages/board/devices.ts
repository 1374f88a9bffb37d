/**
 * The dialog Devices, for owners: who is signed in here, and Add a device, with a code that signs
 * one device in, once, as a QR code. It holds no token: the new device trades the code for one. The
 * dialog says when it has come in. This very device trades its code at once.
 */

import { explain, serverNow, write } from "../shared/api.ts";
import { ask } from "../shared/dialogs.ts";
import { type Child, classes, h, icon, submitted, type View } from "../shared/dom.ts";
import { claims, signIn } from "../shared/session.ts";
import { dayText, joined, locale, t, timeText } from "../shared/words.ts";
import { addDays, dateOf } from "./day.ts";
import {
  addDevice, type Device, type DeviceCode, type DeviceRole, type DevicesDialog, isHereByLink,
  type NewDevice, openAddDevice, openAddThisDevice, openDevices, readDevices, refreshDevices,
  removeDevice, roleNames,
} from "./device-requests.ts";
import { dialogFrame } from "./dialog-frame.ts";
import { onlyHere, ownAddress, qrCode } from "./qr-code.ts";
import { askToSignOut } from "./sign-in.ts";
import { openDialog, state, updateDialog } from "./store.ts";

const ago = new Intl.RelativeTimeFormat(locale, { numeric: "auto", style: "short" });

async function remove({ id, name }: Device): Promise<void> {
  const isMeant = await ask(t("Remove {name}?", { name }), t("Remove"), t("Keep it signed in"), {
    detail: t("It is signed out at once. To come back it needs a new code."), className: "ink",
  });
  if (isMeant) await refreshDevices(await removeDevice(id).then(() => "", explain));
}

export function devicesDialog({ devices, failure }: DevicesDialog): View {
  const own = claims()?.device;
  // By name, so that none moves when another was seen later.
  const sorted = devices?.toSorted((one, other) =>
    Number(other.id === own) - Number(one.id === own)
      || one.name.localeCompare(other.name, locale)) ?? [];
  const back = (): void => { openDialog({ type: "settings" }); };
  return dialogFrame({ name: "devices", title: t("Devices"), back }, [
    h("p", { class: "fault", role: "alert" }, failure),
    devices === undefined && failure === "" && h("p", { class: "soft" }, "…"),
    devices?.length === 0 && h("p", { class: "soft" }, t("No device has been added yet.")),
    h("ul", { class: "devices rows", pressKey: sorted.map(({ id }) => id).join(" ") },
      ...sorted.map((device) => deviceRow(device, device.id === own))),
  ], [
    h("p", { class: "soft" }, t("A device that is removed is signed out at once.")),
    isHereByLink() && h("button", { key: "this", onclick: openAddThisDevice },
      t("Add this device")),
    h("button", { key: "add", class: "go", onclick: openAddDevice }, t("Add a device")),
  ]);
}

function deviceRow(device: Device, isThis: boolean): View {
  const { id, name, role, seenAt } = device;
  const [label, press] = isThis ? [t("Sign out"), askToSignOut] as const
    : [t("Remove"), () => remove(device)] as const;
  return h("li", { key: id },
    icon("device"),
    h("div", {},
      h("p", { class: "strong" }, h("bdi", {}, name),
        isThis && h("span", { class: "tag pill" }, t("this one"))),
      h("p", { class: "soft" }, roleNames[role])),
    h("p", { class: "soft" }, seenAt === undefined ? "" : agoText(Date.parse(seenAt))),
    h("button", {
      "aria-label": t("{name}: {action}", { name, action: label }),
      onclick: () => { void press(); },
    }, label));
}

/** "now", "4 min. ago", "7:40 PM", "yesterday, 10:12 PM", "Nov 20, 2026". */
function agoText(moment: number): string {
  const now = serverNow();
  const minutes = Math.max(0, Math.floor((now - moment) / 60_000));
  if (minutes === 0) return ago.format(0, "second");
  if (minutes < 60) return ago.format(-minutes, "minute");
  const [today, seen] = [dateOf(now), dateOf(moment)];
  const time = timeText(moment);
  return seen === today ? time
    : seen === addDays(today, -1)
      ? joined(ago.format(-1, "day"), time) : dayText(moment);
}

const roles = Object.keys(roleNames) as readonly DeviceRole[];

function changeAdding(change: Partial<NewDevice>, failure = ""): void {
  const { dialog } = state();
  if (dialog?.type !== "devices" || dialog.adding === undefined) return;
  updateDialog("devices", { failure, adding: { ...dialog.adding, ...change } });
}

/** The code for what the fields say. */
function codeOf({ name, role, code }: NewDevice): DeviceCode | undefined {
  return code?.name === name.trim() && code.role === role ? code : undefined;
}

/** Makes one code, however often it is asked for. */
async function makeCode(adding: NewDevice): Promise<void> {
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

/** The device of an earlier code makes room for the new one, unless it has come in. */
async function newCode({ name: typed, role, code: last }: NewDevice): Promise<DeviceCode> {
  const isUnused = ({ id, seenAt }: Device): boolean =>
    id === last?.deviceId && seenAt === undefined;
  if (last !== undefined && (await readDevices()).some(isUnused)) await removeDevice(last.deviceId);
  const name = typed.trim();
  const { id, code, codeExpiresAt } = await addDevice(name, role);
  return { deviceId: id, name, role, code, endsAt: Date.parse(codeExpiresAt) };
}

function linkOf({ code }: DeviceCode): string {
  return `${ownAddress}board#code=${code}`;
}

/** When the list was read last, by a clock that nobody sets. */
const lastRead = { at: -Infinity };

/** Called each second: draws the time that is left, and looks who came in. */
export function watchDevices(): void {
  const { dialog, signIn } = state();
  if (signIn !== "owner" || dialog?.type !== "devices") return;
  const { adding } = dialog;
  if (adding !== undefined && codeOf(adding) === undefined) return;
  updateDialog("devices", {});
  const everyMs = adding === undefined ? 10_000 : 2_000;
  const now = performance.now();
  if (now - lastRead.at < everyMs) return;
  lastRead.at = now;
  void refreshDevices();
}

export function addDeviceDialog({ devices, failure }: DevicesDialog, adding: NewDevice): View {
  const { name, isMaking } = adding;
  const code = codeOf(adding);
  const hasCome = devices?.some(({ id, seenAt }) => id === code?.deviceId && seenAt !== undefined);
  const leftMs = code === undefined || hasCome ? 0 : code.endsAt - serverNow();
  const isOpen = code !== undefined && leftMs > 0;
  const make = (): void => { if (!isMaking) void makeCode(adding); };
  const back = (): void => { openDevices(); };
  if (adding.isThis) {
    return dialogFrame({ name: "add-device", title: t("Add this device"), back }, [
      h("form", { id: "add-this", novalidate: true, onsubmit: submitted(make) },
        nameField(name), h("p", { id: "device-fault", class: "fault", role: "alert" }, failure)),
    ], [h("button", { type: "submit", form: "add-this", class: "go" }, t("Add this device"))]);
  }
  return dialogFrame({ name: "add-device", title: t("Add a device"), back }, [
    h("div", { class: "add-device" },
      h("div", { class: "code" }, isOpen ? qrCode(linkOf(code), t("Code for {name}", { name }))
        : hasCome ? noCode("has-come", icon("check"), t("{name} has come in.", { name }))
          : noCode("", code !== undefined ? t("This code has run out.")
            : t("Give it a name, then press New code."))),
      h("form", { novalidate: true, onsubmit: submitted(make) }, ...fields(adding),
        h("p", { id: "device-fault", class: "fault", role: "alert" }, failure),
        ...isOpen ? howToScan(code, leftMs) : [])),
  ], [
    h("button", { class: classes(!isOpen && !isMaking && "go"), onclick: !isMaking && make },
      t("New code")),
  ]);
}

function nameField(name: string): View {
  return h("label", {}, h("span", {}, t("Name")), h("input", {
    id: "device-name", value: name, maxlength: 100, autocomplete: "off", autofocus: true,
    placeholder: t("Bar tablet"), "aria-describedby": "device-fault",
    oninput: ({ currentTarget: { value } }) => { changeAdding({ name: value }); },
  }));
}

function fields({ name, role }: NewDevice): readonly View[] {
  return [
    nameField(name),
    h("div", { class: "choice wrap", role: "group", "aria-labelledby": "may-do" },
      h("p", { id: "may-do" }, t("What it may do")),
      ...roles.map((option) => h("button", {
        key: option, class: "slim", "aria-pressed": String(option === role),
        onclick: () => { changeAdding({ role: option }); },
      }, roleNames[option])),
      role === "owner" && h("p", { class: "soft" },
        t("An owner’s device can add and remove others."))),
  ];
}

function howToScan(code: DeviceCode, leftMs: number): readonly Child[] {
  return [
    onlyHere(),
    h("p", {}, t("Scan it with the new device’s camera."), " ",
      t("It stays signed in until you remove it.")),
    h("p", { class: "left" }, ...timeLeft(leftMs)),
    h("p", { class: "soft" }, t("No camera? Open this link on the device:"), " ",
      h("bdi", { class: "link", dir: "ltr" }, linkOf(code))),
  ];
}

/** In a place of the size of a code. */
function noCode(className: string, ...content: readonly Child[]): View {
  return h("p", { class: `no-code ${className}`, role: "status" }, ...content);
}

/** "9:41" in figures of one width, the words around it as they are in each language. */
function timeLeft(leftMs: number): readonly Child[] {
  const seconds = Math.floor(leftMs / 1000);
  const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  const text = t("{time} left. It works once, for one device.", { time: "|" });
  const [before, after] = text.split("|");
  return [before, h("b", { role: "timer" }, time), after];
}
