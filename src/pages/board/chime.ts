/** The chime: while an order waits to be accepted, and where it is wished when one becomes late. */

import { columnsOf, latenessOf } from "./cards.ts";
import { canAct, pendingCount, set, state } from "./state.ts";

const ringEveryMs = 8000;

/** In hertz. A rising fourth: heard over an extractor fan without being a siren. */
const waits = [784, 1047];
const late = [659, 659, 523];

const bell: { audio: AudioContext | undefined; waiting: number; late: ReadonlySet<string> } = {
  audio: undefined, waiting: 0, late: new Set(),
};

/** Rings while an order is Pending, and at once when there are more than before. */
export function startChime(): void {
  setInterval(ringWaiting, ringEveryMs);
  for (const gesture of ["pointerup", "keydown"]) addEventListener(gesture, allowSound);
}

export function chimeForMore(): void {
  const waiting = pendingCount(state());
  const isMore = waiting > bell.waiting;
  bell.waiting = waiting;
  if (isMore) ringWaiting();
  const { now, settings: { limits, lateChimes } } = state();
  const cards = Object.values(columnsOf(state())).flat();
  const lateNow = new Set(cards.filter((card) => latenessOf(card, limits, now) > 0)
    .map(({ key }) => key));
  if (lateChimes && [...lateNow].some((key) => !bell.late.has(key))) ring(late);
  bell.late = lateNow;
}

/** Browsers play nothing before the page is touched, and may silence it later, as in a call. */
function allowSound(): void {
  if (bell.audio?.state === "running") return;
  bell.audio ??= new AudioContext();
  const { audio } = bell;
  audio.onstatechange = () => { set({ isMuted: audio.state !== "running" }); };
  void audio.resume().then(ringWaiting);
}

function ringWaiting(): void {
  if (bell.waiting > 0 && state().settings.chimes) ring(waits);
}

function ring(notes: readonly number[]): void {
  if (bell.audio?.state !== "running" || !canAct(state())) return;
  for (const [index, hertz] of notes.entries()) strike(bell.audio, hertz, index);
}

function strike(audio: AudioContext, hertz: number, index: number): void {
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
