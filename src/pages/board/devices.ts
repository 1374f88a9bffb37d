/** The dialog Devices, for owners: who is signed in here, and how to remove a device. */

import { explain, serverNow } from "../shared/api.ts";
import { ask } from "../shared/dialogs.ts";
import { h, icon, type View } from "../shared/dom.ts";
import { claims } from "../shared/session.ts";
import { dayText, joined, locale, t, timeText } from "../shared/words.ts";
import { addDays, dateOf } from "./day.ts";
import {
  type Device, type DevicesDialog, isHereByLink, openAddDevice, openAddThisDevice, refreshDevices,
  removeDevice, roleNames,
} from "./device-requests.ts";
import { dialogFrame } from "./dialog-frame.ts";
import { askToSignOut } from "./sign-in.ts";
import { openDialog } from "./store.ts";

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
      h("p", { class: "name" }, h("bdi", {}, name),
        isThis && h("span", { class: "tag pill" }, t("this one"))),
      h("p", { class: "soft" }, roleNames[role])),
    h("p", { class: "soft seen" }, seenAt === undefined ? "" : agoText(Date.parse(seenAt))),
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
