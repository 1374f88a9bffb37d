/** The bar that says the live stream is lost, and how old that makes what the page shows. */

import { part, setText } from "./dom.ts";

const bar = part("offline");
let aliveAt = Date.now();
let timer = 0;

/** What is shown is up to date, as of now. */
export function streamAlive(): void {
  aliveAt = Date.now();
  clearInterval(timer);
  timer = 0;
  bar.hidden = true;
  setText(part("offline-alert"), "");
}

export function streamLost(): void {
  if (timer !== 0) return;
  timer = setInterval(tick, 1000);
  tick();
  bar.hidden = false;
  // The announcement is set once; the age beside it ticks outside the live region.
  setText(part("offline-alert"), "Connection lost. Trying again by itself.");
}

function tick(): void {
  const seconds = Math.round((Date.now() - aliveAt) / 1000);
  const age = seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
  setText(part("offline-age"), `Last update ${age} ago`);
}
