/** The frame of the large dialogs, and the QR codes in them. */

import { type Child, h, icon, type View } from "../shared/dom.ts";
import { t } from "../shared/words.ts";
import { closeDialog } from "./dialogs.ts";
import { qrCapacity, qrModules, qrPath, quietZone } from "./qr.ts";

interface Frame {
  readonly name: string;
  readonly title: string;
  /** Leads to the dialog before. */
  readonly back?: () => void;
}

/** It fills a phone. Only what lies between its head and its foot scrolls. */
export function dialogFrame(
  { name, title, back }: Frame, middle: readonly Child[], foot: readonly Child[],
): View {
  return h("dialog", {
    key: name, class: `form frame ${name}-frame`, "aria-labelledby": "dialog-title",
    onclose: closeDialog,
  },
    h("header", {},
      back !== undefined && h("button", {
        class: "plain back", "aria-label": t("Back"), onclick: back,
      }, icon("back")),
      h("h2", { id: "dialog-title" }, title),
      h("button", { class: "plain", "aria-label": t("Close"), onclick: closeDialog },
        icon("cross"))),
    h("div", { class: "middle" }, ...middle),
    foot.length > 0 && h("footer", {}, ...foot));
}

/** Longer texts have no QR code. */
export function fitsCode(text: string): boolean {
  return new TextEncoder().encode(text).length <= qrCapacity;
}

/** Black on white in the dark too: not every scanner reads the opposite. */
export function qrCode(text: string, label: string): Child {
  if (!fitsCode(text)) return undefined;
  const modules = qrModules(text);
  const side = modules.length + 2 * quietZone;
  const viewBox = `${-quietZone} ${-quietZone} ${side} ${side}`;
  return h("svg", { class: "qr", viewBox, role: "img", "aria-label": label },
    h("rect", { x: -quietZone, y: -quietZone, width: side, height: side, fill: "#fff" }),
    h("path", { d: qrPath(modules), fill: "#000", "shape-rendering": "crispEdges" }));
}

/** The address under which this page was opened, up to the last slash. */
export const ownAddress: string = new URL(".", location.href).href;

/** A warning, with its remedy, where only this computer itself can open its own address. */
export function onlyHere(): Child {
  return /^https?:\/\/(?:localhost|127\.|\[::1\])/.test(ownAddress) && h("p", { class: "fault" },
    t("Only this computer can open {address}.", { address: ownAddress }), " ",
    t("Open the board under this computer’s address in your network."), " ",
    t("If there is none, set {setting} where Forno runs.", { setting: "HOST=0.0.0.0" }));
}
