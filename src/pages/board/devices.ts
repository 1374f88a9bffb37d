/** The dialog Devices: who is signed in here, locked out with a question, and let in again. */

import { explain, isRefusal, read, serverNow, write } from "../shared/api.ts";
import { ask } from "../shared/dialogs.ts";
import { button, classes, h, icon, type View } from "../shared/dom.ts";
import { claims } from "../shared/session.ts";
import { comma, dayText, locale, t, timeText } from "../shared/words.ts";
import { calendarDay, dayBeside } from "./day.ts";
import type { Device, DevicesDialog } from "./dialogs.ts";
import { sheet } from "./sheet.ts";
import { set, state } from "./state.ts";

export const roleNames: Readonly<Record<"staff" | "reader", string>> = {
  staff: t("Staff"), reader: t("View only"),
};

/** A name that `token.js` has made up. */
const madeUp = /^(?:staff|reader)-(?:banner|[\w-]{12})$/;

const ago = new Intl.RelativeTimeFormat(locale, { numeric: "auto", style: "short" });

export async function readDevices(): Promise<readonly Device[]> {
  return (await read<readonly Device[]>("api/devices")).data;
}

export function openDevices(): void {
  set({ dialog: { type: "devices", devices: undefined, failure: "" } });
  void refreshDevices();
}

/** Unless the dialog was closed meanwhile. */
export async function refreshDevices(failure = ""): Promise<void> {
  const change: Partial<DevicesDialog> = await readDevices().then(
    (devices) => ({ devices, failure }), (fault: unknown) => ({ failure: explain(fault) }));
  const { dialog } = state();
  if (dialog?.type === "devices") set({ dialog: { ...dialog, ...change } });
}

export async function lockOut(sub: string): Promise<void> {
  // Its lock is this device's too.
  const isOurs = claims()?.by.includes(sub) === true;
  const others = isOurs ? t("It has added this device, which is signed out too.")
    : t("The devices that it has added are signed out too.");
  const detail = `${t("It is signed out at once. To come back it needs a new code.")} ${others}`;
  const isMeant = await ask(t("Lock out {name}?", { name: sub }), t("Lock out"),
    t("Keep it signed in"), { detail, look: "ink" });
  if (isMeant) await changeLock(sub, true);
}

export async function changeLock(sub: string, isLocked: boolean): Promise<void> {
  const failure = await write("PATCH", "api/devices", { sub, isLocked })
    .then(() => "", (fault: unknown) => isRefusal(fault, 403)
      ? t("A device can’t lock out the one that has added it.") : explain(fault));
  await refreshDevices(failure);
}

export function devicesDialog({ devices, failure }: DevicesDialog): View {
  const own = claims()?.sub ?? "";
  // By name, so that none moves when another was seen later.
  const rank = ({ sub, isLocked }: Device): number => (sub === own ? 0 : isLocked ? 2 : 1);
  const sorted = devices?.toSorted((a, b) =>
    rank(a) - rank(b) || a.sub.localeCompare(b.sub, locale)) ?? [];
  return sheet({ name: "devices", title: t("Devices"), back: "settings" }, [
    h("p", { class: "fault", role: "alert" }, failure),
    devices === undefined && failure === "" && h("p", { class: "soft" }, "…"),
    h("ul", { class: "devices rows" }, ...sorted.map((one) => deviceRow(one, own))),
  ], [
    h("p", { class: "soft" }, t("A device that is locked out is signed out at once.")),
    button("add-device", "", { class: "go" }, t("Add a device")),
  ]);
}

/** "until Dec 24, 2026". */
export function untilText(end: number): string {
  return t("until {day}", { day: dayText(end) });
}

function deviceRow(device: Device, own: string): View {
  const { sub, isLocked, role, expiresAt, seenAt } = device;
  const isThis = sub === own;
  const isUnnamed = madeUp.test(sub);
  const details = [
    role !== undefined && roleNames[role],
    isUnnamed && sub,
    !isLocked && expiresAt !== undefined && untilText(Date.parse(expiresAt)),
  ].filter((one) => one !== false);
  return h("li", { key: sub, class: classes(isLocked && "locked") },
    icon("device"),
    h("div", {},
      h("p", { class: "name" }, h("bdi", {}, isUnnamed ? t("Unnamed device") : sub),
        isThis && h("span", { class: "tag pill" }, t("this one"))),
      h("p", { class: "soft" }, ...details.flatMap((text, index) =>
        [index > 0 && comma, h("bdi", {}, text)]))),
    h("p", { class: "soft seen" },
      seenAt === undefined ? "" : agoText(Date.parse(seenAt)),
      isLocked && h("span", { class: "tag" }, t("Locked out"))),
    isLocked ? named("let-in", sub, t("Let in again"))
      : isThis ? button("sign-out", "", {}, t("Sign out")) : named("lock-out", sub, t("Lock out")));
}

/** Screen readers say which device it is. */
function named(action: string, sub: string, label: string): View {
  return button(action, sub, { "aria-label": t("{name}: {action}", { name: sub, action: label }) },
    label);
}

/** "now", "4 min. ago", "7:40 PM", "yesterday, 10:12 PM", "Nov 20, 2026". */
function agoText(moment: number): string {
  const now = serverNow();
  const minutes = Math.max(0, Math.floor((now - moment) / 60_000));
  if (minutes === 0) return ago.format(0, "second");
  if (minutes < 60) return ago.format(-minutes, "minute");
  const [today, seen] = [now, moment].map((one) => calendarDay(new Date(one)));
  const time = timeText(moment);
  return seen === today ? time
    : seen === dayBeside(String(today), -1)
      ? t("{day}, {time}", { day: ago.format(-1, "day"), time }) : dayText(moment);
}
