/**
 * What this device remembers of how the board is to be: size of the text, sound, number keys, and
 * from when an order counts as late. Keeps the screen awake where the browser can.
 */

import { byId, el, onClick, part } from "./dom.ts";
import { openStatuses, stages } from "./order.ts";
import type { Status } from "./order.ts";
import { keep, kept } from "./session.ts";

/** Dispatches "change" when a limit or a switch has changed. */
export const device = new EventTarget();

/** Minutes in a stage, until the shop sets its own. */
const lateAtFirst = { Pending: 5, Preparing: 20, Ready: 10, "Out for Delivery": 30 } as const;

/** The largest can be read from more than two metres. */
const sizes = [0.85, 1, 1.2, 1.45, 1.75, 2.1, 2.6];
let size = sizes.indexOf(Number(kept("text-size", "localStorage")));
const limits = readLimits();
const dialog = byId("settings", HTMLDialogElement);

export function lateAfterMinutes(status: Status): number {
  return limits[status] ?? Infinity;
}

/** Whether a switch of the settings, a checkbox of that id, is on: until it is switched off. */
export function isOn(id: "chime" | "keys"): boolean {
  return byId(id, HTMLInputElement).checked;
}

if (size < 0) size = 1;
showSize();
for (const [id, by] of [["smaller", -1], ["larger", 1]] as const) {
  onClick(id, () => {
    size = Math.min(Math.max(size + by, 0), sizes.length - 1);
    keep("text-size", String(sizes[size]), "localStorage");
    showSize();
  });
}
for (const id of ["chime", "keys"]) {
  const input = byId(id, HTMLInputElement);
  input.checked = kept(id, "localStorage") !== "off";
  input.addEventListener("change", () => {
    keep(id, input.checked ? "on" : "off", "localStorage");
    changed();
  });
}
part("limits").append(...openStatuses.map(limitField));
onClick("show-settings", () => { dialog.showModal(); });
onClick("close-settings", () => { dialog.close(); });
document.addEventListener("visibilitychange", stayAwake);
stayAwake();

function showSize(): void {
  document.documentElement.style.setProperty("--scale", String(sizes[size]));
  for (const [id, end] of [["smaller", 0], ["larger", sizes.length - 1]] as const) {
    part(id).setAttribute("aria-disabled", String(size === end));
  }
}

function limitField(status: (typeof openStatuses)[number]): HTMLElement {
  const input = el("input", {
    type: "number", min: "1", max: "999", step: "1", inputmode: "numeric",
    value: String(limits[status]),
  });
  input.addEventListener("change", () => {
    const minutes = Math.round(input.valueAsNumber);
    // What is no number of minutes leaves the limit as it is, and shows it again.
    if (minutes >= 1 && minutes <= 999) limits[status] = minutes;
    input.value = String(limits[status]);
    keep("late-after", JSON.stringify(limits), "localStorage");
    changed();
  });
  return el("label", {}, el("span", {}, stages[status]), input);
}

function readLimits(): Partial<Record<Status, number>> {
  // Written by `limitField` alone, on this device.
  const own = JSON.parse(kept("late-after", "localStorage") ?? "{}") as Record<string, number>;
  return { ...lateAtFirst, ...own };
}

function changed(): void {
  device.dispatchEvent(new Event("change"));
}

/** The lock ends whenever the page is hidden, and a browser may refuse it: the board works on. */
function stayAwake(): void {
  if (document.visibilityState !== "visible") return;
  navigator.wakeLock?.request("screen").catch(() => undefined);
}
