/**
 * The dialog Add a device: a code that signs one device in, once, as a QR code. It holds no token:
 * the new device trades the code for one. The dialog says who came in.
 */

import { explain, isRefusal, serverNow, write } from "../shared/api.ts";
import { button, type Child, classes, h, icon, type View } from "../shared/dom.ts";
import { t } from "../shared/words.ts";
import { readDevices, refreshDevices, roleNames } from "./devices.ts";
import type { Device, InviteCode, InviteDialog } from "./dialogs.ts";
import { onlyHere, ownAddress, qrCode, sheet } from "./sheet.ts";
import { set, state } from "./state.ts";

export function openInvite(): void {
  set({ dialog: {
    type: "invite", name: "", role: "staff", code: undefined, isMaking: false, failure: "",
  } });
}

/** Fields that have changed have no code. */
export function changeInvite(change: Partial<InviteDialog>): void {
  updateInvite({ code: undefined, failure: "", ...change });
}

function updateInvite(change: Partial<InviteDialog>): void {
  const { dialog } = state();
  if (dialog?.type === "invite") set({ dialog: { ...dialog, ...change } });
}

/** Makes one code, however often it is asked for. */
export async function makeCode(): Promise<void> {
  const { dialog } = state();
  if (dialog?.type !== "invite" || dialog.isMaking) return;
  const sub = dialog.name.trim();
  if (!isName(sub)) {
    document.getElementById("device-name")?.focus();
    return updateInvite({ failure: t("It needs a name.") });
  }
  const making: InviteDialog = { ...dialog, code: undefined, isMaking: true, failure: "" };
  set({ dialog: making });
  const change = await codeFor(dialog.role, sub).then((code) => ({ code }), (fault: unknown) =>
    ({ failure: isRefusal(fault, 403) ? t("This device can’t add others. Use another one.")
      : explain(fault) }));
  // A field that was changed meanwhile has no code.
  const now = state().dialog;
  updateInvite({ isMaking: false, ...now === making ? change : {} });
}

/** Without a letter it is no name to find in a list. */
export function isName(sub: string): boolean {
  return /[\p{L}\p{N}]/u.test(sub);
}

interface Invite {
  readonly code: string;
  readonly expiresAt: string;
}

/** It stays signed in for 30 days; lock it out when that should end. */
export async function invite(role: "staff" | "reader", sub: string): Promise<Invite> {
  return (await write<Invite>("POST", "api/invites", { role, sub, expires: "30d" })).data;
}

async function codeFor(role: "staff" | "reader", sub: string): Promise<InviteCode> {
  const before = await readDevices();
  const data = await invite(role, sub);
  const link = `${ownAddress}board#code=${data.code}`;
  return { link, endsAt: Date.parse(data.expiresAt), before, hasCome: false };
}

/** Called each second: draws the time that is left, and looks who came in. */
export function watchDevices(): void {
  const { dialog, isStaff } = state();
  if (!isStaff) return;
  const seconds = Math.floor(Date.now() / 1000);
  if (dialog?.type === "devices" && seconds % 10 === 0) void refreshDevices();
  if (dialog?.type !== "invite" || dialog.code === undefined || dialog.code.hasCome) return;
  updateInvite({});
  if (seconds % 2 === 0) void lookWhoCame(dialog.code);
}

async function lookWhoCame(code: InviteCode): Promise<void> {
  const [devices, failure] = await readDevices().then((all) => [all, ""] as const,
    (fault: unknown) => [[], explain(fault)] as const);
  const { dialog } = state();
  if (dialog?.type !== "invite" || dialog.code?.link !== code.link) return;
  const find = (all: readonly Device[]): Device | undefined =>
    all.find(({ sub }) => sub === dialog.name.trim());
  const [was, is] = [find(code.before), find(devices)];
  // A device of that name may have been there before: its token ends at another time.
  const hasCome = is?.expiresAt !== undefined && is.expiresAt !== was?.expiresAt;
  updateInvite({ failure, code: { ...code, hasCome } });
}

export function inviteDialog(dialog: InviteDialog): View {
  const { name, role, code, isMaking, failure } = dialog;
  const leftMs = code === undefined ? 0 : code.endsAt - serverNow();
  const isOpen = code !== undefined && !code.hasCome && leftMs > 0;
  return sheet({ name: "invite", title: t("Add a device"), back: "devices" }, [
    h("div", { class: "invite" },
      h("div", { class: "code" }, picture(dialog, isOpen)),
      h("form", { novalidate: true, "data-do": "new-code" },
        h("label", {}, h("span", {}, t("Name")), h("input", {
          id: "device-name", value: name, "data-do": "device-name", maxlength: 100,
          autocomplete: "off", autofocus: true, placeholder: t("Bar tablet"),
          "aria-describedby": "invite-fault",
        })),
        h("div", { class: "choice", role: "group", "aria-labelledby": "may-do" },
          h("p", { id: "may-do" }, t("What it may do")),
          ...(["staff", "reader"] as const).map((one) => button("device-role", one, {
            "aria-pressed": String(one === role),
          }, roleNames[one]))),
        h("p", { id: "invite-fault", class: "fault", role: "alert" }, failure),
        isOpen && onlyHere(ownAddress),
        isOpen && h("p", {}, t("Scan it with the new device’s camera."), " ",
          t("It stays signed in for 30 days.")),
        isOpen && h("p", { class: "left" }, ...timeLeft(leftMs)),
        isOpen && h("p", { class: "soft" }, t("No camera? Open this link on the device:"), " ",
          h("bdi", { class: "link", dir: "ltr" }, code.link)))),
  ], [
    button("new-code", "", {
      class: classes(!isOpen && !isMaking && "go"), "aria-disabled": isMaking && "true",
    }, t("New code")),
  ]);
}

/** The code, or in a place of the same size why there is none. */
function picture({ name, code }: InviteDialog, isOpen: boolean): Child {
  if (isOpen && code !== undefined) {
    return qrCode(code.link, t("Code for {name}", { name }));
  }
  const hasCome = code?.hasCome === true;
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
