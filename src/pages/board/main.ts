/** Entry of the board: draws the state, follows the shop, and listens to the device. */

import { showDialog } from "../shared/dialogs.ts";
import { nameDocument, patch } from "../shared/dom.ts";
import { listenForLinks } from "../shared/links.ts";
import { showLook } from "../shared/look.ts";
import { guardPresses } from "../shared/presses.ts";
import { session } from "../shared/session.ts";
import { follow } from "../shared/stream.ts";
import { t } from "../shared/words.ts";
import { chimeForNews, startChime } from "./chime.ts";
import { watchDevices } from "./devices.ts";
import { listenBesideDialogs } from "./dialog-frame.ts";
import { newOrders } from "./lists.ts";
import { listenForSearch } from "./navigation.ts";
import { loadNewBuild, watchBuild } from "./new-build.ts";
import { clearPaperAtPress } from "./paper.ts";
import { applyStreamChanges, load, tick } from "./reading.ts";
import { sessionChanged, signInByLink } from "./sign-in.ts";
import {
  closeDialog, drawNow, forgetHistory, noteLost, noteWidth, onChange, state,
} from "./store.ts";
import { viewOf } from "./view.ts";

const page = document.getElementById("page") as HTMLElement;

/** Larger text has the same effect on the columns as a smaller window, a scroll bar has none. */
function measure(): void {
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  noteWidth(page.offsetWidth / rem);
}

function draw(): void {
  showLook(state().menu.shop);
  document.documentElement.style.setProperty("--scale", `${state().settings.scale}`);
  measure();
  const { activeElement } = document;
  const list = activeElement?.closest<HTMLElement>(".making, .ready");
  patch(page, viewOf(state()));
  // The card of the dialog has left.
  if (state().dialog !== undefined && page.querySelector("dialog") === null) closeDialog();
  showDialog(page);
  // The card that had the focus has left, and no other took its place.
  if (document.activeElement === document.body) list?.focus({ preventScroll: true });
  showTitle();
  chimeForNews();
}

function showTitle(): void {
  const waiting = newOrders(state()).length;
  const title = t("{shop}: kitchen", { shop: state().menu.shop.name });
  nameDocument(waiting > 0 ? `(${waiting}) ${title}` : title);
}

const awake: { lock: WakeLockSentinel | undefined } = { lock: undefined };

/** The lock ends when the page is hidden, or when the system wants it, which may also refuse it. */
async function stayAwake(): Promise<void> {
  if (document.visibilityState !== "visible" || awake.lock?.released === false) return;
  awake.lock = await navigator.wakeLock?.request("screen").catch(() => undefined);
}

tick();
onChange(draw);
session.addEventListener("change", sessionChanged);
sessionChanged();
listenForLinks(signInByLink);
startChime();
clearPaperAtPress();
listenBesideDialogs();
listenForSearch();
guardPresses();
drawNow();
// The top bar grows with the text.
const sizes = new ResizeObserver(measure);
for (const element of [page, ...page.querySelectorAll(".top")]) sizes.observe(element);
void stayAwake();
document.addEventListener("visibilitychange", () => { void stayAwake(); });
setInterval(() => { void stayAwake(); }, 10_000);
watchBuild();
setInterval(() => {
  // Ages are shown in minutes.
  tick();
  loadNewBuild();
}, 5000);
setInterval(watchDevices, 1000);
void follow({
  load,
  apply: applyStreamChanges,
  forget: forgetHistory,
  connected: () => { noteLost(undefined); },
  lost: noteLost,
});
