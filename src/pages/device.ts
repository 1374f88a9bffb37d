/**
 * The tablet that the board is on. What it remembers of how the board is to be: size of the text,
 * sound, number keys, and from when an order counts as late. Its screen, which stays awake where
 * the browser can; its bell, by Web Audio; and the fingers on it.
 */

import { keep, kept } from "./api.ts";
import { byId, el, onClick, part } from "./dom.ts";
import { openStatuses, stages } from "./model.ts";
import type { Status } from "./model.ts";

/** Dispatches "change" when a limit or a switch has changed. */
export const device = new EventTarget();

/** Minutes in a stage, until the shop sets its own. */
const lateAtFirst = { Pending: 5, Preparing: 20, Ready: 10, "Out for Delivery": 30 } as const;

/** The largest can be read from more than two metres. */
const sizes = [0.85, 1, 1.2, 1.45, 1.75, 2.1, 2.6];
let size = sizes.indexOf(Number(kept("text-size")));
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
    keep("text-size", String(sizes[size]));
    showSize();
  });
}
for (const id of ["chime", "keys"]) {
  const input = byId(id, HTMLInputElement);
  input.checked = kept(id) !== "off";
  input.addEventListener("change", () => {
    keep(id, input.checked ? "on" : "off");
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
    keep("late-after", JSON.stringify(limits));
    changed();
  });
  return el("label", {}, el("span", {}, stages[status]), input);
}

function readLimits(): Partial<Record<Status, number>> {
  // Written by `limitField` alone, on this device.
  const own = JSON.parse(kept("late-after") ?? "{}") as Record<string, number>;
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

const everyMs = 8000;
/** A rising fourth, in hertz: cuts through an extractor fan without being a siren. */
const notes = [784, 1047];

/** A browser lets a page sound only after a touch or a key: until then the board asks for one. */
let audio: AudioContext | undefined;
let waiting = 0;

device.addEventListener("change", ring);
setInterval(ring, everyMs);
for (const gesture of ["pointerup", "keydown"]) addEventListener(gesture, allow);
ring();

/** How many orders wait. Rings at once when there are more than before. */
export function chimeFor(pending: number): void {
  const more = pending > waiting;
  waiting = pending;
  if (more) ring();
}

function allow(): void {
  if (audio?.state === "running") return;
  audio ??= new AudioContext();
  void audio.resume().then(ring);
}

function ring(): void {
  const isAllowed = audio?.state === "running";
  part("tap-for-sound").hidden = isAllowed || !isOn("chime");
  if (waiting > 0 && isAllowed && isOn("chime")) notes.forEach(strike);
}

function strike(hertz: number, index: number): void {
  if (audio === undefined) return;
  const [tone, loudness] = [audio.createOscillator(), audio.createGain()];
  const start = audio.currentTime + index * 0.22;
  const end = start + 1.2;
  tone.frequency.value = hertz;
  loudness.gain.setValueAtTime(0.5, start);
  loudness.gain.exponentialRampToValueAtTime(0.001, end);
  tone.connect(loudness).connect(audio.destination);
  tone.start(start);
  tone.stop(end);
}

/** Wet fingers tap twice, and by the second tap another button may have come under them. */
const secondTapMs = 400;
const sameSpotPx = 40;

let last = { at: -Infinity, x: 0, y: 0 };

/** Drops the second of two taps on one spot, whichever buttons they hit, in whichever `element`. */
export function dropSecondTaps(element: Element): void {
  element.addEventListener("click", (event) => {
    // Keys go where the focus is, and have no place.
    if (!(event instanceof MouseEvent) || event.detail === 0) return;
    if (!(event.target instanceof Element) || event.target.closest("button") === null) return;
    const { timeStamp: at, clientX: x, clientY: y } = event;
    const isSecond = at - last.at < secondTapMs && Math.hypot(x - last.x, y - last.y) < sameSpotPx;
    if (isSecond) event.stopPropagation();
    else last = { at, x, y };
  }, { capture: true });
}
