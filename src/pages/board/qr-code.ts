/** QR codes of links to this shop, as they are drawn. Reads the address of the page. */

import { type Child, h } from "../shared/dom.ts";
import { t } from "../shared/words.ts";
import { qrCapacity, qrModules, qrPath, quietZone } from "./qr-modules.ts";

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
export function onlyHereWarning(): Child {
  return /^https?:\/\/(?:localhost|127\.|\[::1\])/.test(ownAddress) && h("p", { class: "fault" },
    t("Only this computer can open {address}.", { address: ownAddress }), " ",
    t("Open the board under this computer’s address in your network."), " ",
    t("If there is none, set {setting} where Forno runs.", { setting: "HOST=0.0.0.0" }));
}
