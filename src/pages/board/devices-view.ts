/**
 * The dialogs Devices, for owners: who is signed in here, and Add a device, with a QR code that
 * signs one device in, once. It holds no token. The dialog says when the device has come in.
 */

import { serverNow } from "../shared/api.ts";
import { type Child, classes, h, icon, submitted, type View } from "../shared/dom.ts";
import { claims } from "../shared/session.ts";
import { dayText, joined, locale, t, timeText } from "../shared/words.ts";
import { addDays, dateOf } from "./day.ts";
import {
  askToRemove, changeAdding, codeOf, isHereByLink, makeCode, openAddDevice, openAddThisDevice,
  openDevices,
} from "./devices.ts";
import { dialogFrame } from "./dialog-frame.ts";
import type { Device, DeviceCode, DevicesDialog, NewDevice } from "./dialog-state.ts";
import { onlyHereWarning, ownAddress, qrCode } from "./qr-code.ts";
import { askToSignOut } from "./sign-in.ts";
import { openDialog } from "./store.ts";

/** The roles of devices in words, the usual one first. */
const roleNames: Readonly<Record<Device["role"], string>> = {
  staff: t("Staff"), reader: t("View only"), owner: t("Owner"),
};

const ago = new Intl.RelativeTimeFormat(locale, { numeric: "auto", style: "short" });

export function devicesDialog({ devices, failure }: DevicesDialog): View {
  const own = claims()?.device;
  // By name, so that none moves when another was seen later.
  const sorted = devices?.toSorted((first, second) =>
    Number(second.id === own) - Number(first.id === own)
      || first.name.localeCompare(second.name, locale)) ?? [];
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
    : [t("Remove"), () => askToRemove(device)] as const;
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

const roles = Object.keys(roleNames) as readonly Device["role"][];

function linkOf({ code }: DeviceCode): string {
  return `${ownAddress}board#code=${code}`;
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
      h("div", { class: "device-code" },
        isOpen ? qrCode(linkOf(code), t("Code for {name}", { name }))
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
    h("div", { class: "role-choice wrap", role: "group", "aria-labelledby": "may-do" },
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
    onlyHereWarning(),
    h("p", {}, t("Scan it with the new device’s camera."), " ",
      t("It stays signed in until you remove it.")),
    h("p", { class: "time-left" }, ...timeLeft(leftMs)),
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
