/** The sounds: for orders that wait for Start, for ready ones, and for what others have changed. */

import { serverNow } from "../shared/api.ts";
import { changedCount } from "./known-orders.ts";
import { boardOrders, type List, listOf, newOrders } from "./lists.ts";
import { canAct, type Settings } from "./state.ts";
import { noteMuted, state } from "./store.ts";

const minuteMs = 60_000;

interface Sound {
  readonly setting: keyof Pick<Settings, "newSound" | "readySound">;
  /** In hertz, one after the other. */
  readonly notes: readonly number[];
}

/** A rising fourth: heard over an extractor fan without being a siren. */
const forNew: Sound = { setting: "newSound", notes: [784, 1047] };
const forReady: Sound = { setting: "readySound", notes: [1319, 1047, 1319] };

/** The ids of orders in two lists, as they were when the board was drawn last. */
const lastDrawn = {
  make: new Set<string>(), ready: new Set<string>(), changed: 0, waiting: 0, rangAt: 0,
};
const device = { audio: undefined as AudioContext | undefined };

/** Rings once a minute while an order waits for Start. */
export function startChime(): void {
  setInterval(() => {
    if (lastDrawn.waiting > 0 && serverNow() - lastDrawn.rangAt >= minuteMs) ring(forNew);
  }, 5000);
  for (const gesture of ["pointerup", "keydown"]) addEventListener(gesture, allowSound);
}

/** Rings after each drawing: three times for an order that has come, or that is due now. */
export function chimeForNews(): void {
  const { now } = state();
  const orders = boardOrders(state());
  const idsIn = (list: List): Set<string> =>
    new Set(orders.filter((order) => listOf(order, now) === list).map(({ id }) => id));
  const [make, ready, changed] = [idsIn("make"), idsIn("ready"), changedCount(state())];
  const hasCome = orders.some(({ id, stage, wantedAt }) => make.has(id) && !lastDrawn.make.has(id)
    && (stage === "new" || wantedAt !== undefined));
  const isReady = [...ready].some((id) => !lastDrawn.ready.has(id) && lastDrawn.make.has(id));
  const isMoreChanged = changed > lastDrawn.changed;
  Object.assign(lastDrawn, { make, ready, changed, waiting: newOrders(state()).length });
  if (hasCome) ring(forNew, 3);
  else if (isMoreChanged) ring(forNew);
  if (isReady) ring(forReady);
}

/** Browsers play nothing before the page is touched, and may silence it later, as in a call. */
function allowSound(): void {
  if (device.audio?.state === "running") return;
  device.audio ??= new AudioContext();
  const { audio } = device;
  audio.onstatechange = () => { noteMuted(audio.state !== "running"); };
  void audio.resume().then(() => { if (lastDrawn.waiting > 0) ring(forNew); });
}

function ring({ setting, notes }: Sound, times = 1): void {
  if (setting === "newSound") lastDrawn.rangAt = serverNow();
  const { audio } = device;
  if (audio?.state !== "running" || !state().settings[setting] || !canAct(state())) return;
  for (let time = 0; time < times; time += 1) {
    for (const [index, hertz] of notes.entries()) strike(audio, hertz, time * 1.6 + index * 0.22);
  }
}

function strike(audio: AudioContext, hertz: number, afterSeconds: number): void {
  const [tone, loudness] = [audio.createOscillator(), audio.createGain()];
  const start = audio.currentTime + afterSeconds;
  const end = start + 1.2;
  tone.frequency.value = hertz;
  loudness.gain.setValueAtTime(0.5, start);
  loudness.gain.exponentialRampToValueAtTime(0.001, end);
  tone.connect(loudness).connect(audio.destination);
  tone.start(start);
  tone.stop(end);
}
