/**
 * A bell by Web Audio, rung while an order waits to be accepted. A browser lets a page sound only
 * after a touch or a key: until then the board asks for one.
 */

import { device, isOn } from "./device.ts";
import { part } from "./dom.ts";

const everyMs = 8000;
/** A rising fourth, in hertz: cuts through an extractor fan without being a siren. */
const notes = [784, 1047];

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
