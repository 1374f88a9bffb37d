/** The chime, while an order waits to be accepted, and once when somebody else has changed one. */

import { changedCount } from "./marks.ts";
import { canAct, waitingCount } from "./state.ts";
import { set, state } from "./store.ts";

const ringEveryMs = 8000;

/** In hertz. A rising fourth: heard over an extractor fan without being a siren. */
const notes = [784, 1047];

const bell = { audio: undefined as AudioContext | undefined, waiting: 0, changed: 0 };

/** Rings while an order is Pending, and at once when there are more than before. */
export function startChime(): void {
  setInterval(() => { if (bell.waiting > 0) ring(); }, ringEveryMs);
  for (const gesture of ["pointerup", "keydown"]) addEventListener(gesture, allowSound);
}

export function chimeForMore(): void {
  const [waiting, changed] = [waitingCount(state()), changedCount(state())];
  const isMore = waiting > bell.waiting || changed > bell.changed;
  Object.assign(bell, { waiting, changed });
  if (isMore) ring();
}

/** Browsers play nothing before the page is touched, and may silence it later, as in a call. */
function allowSound(): void {
  if (bell.audio?.state === "running") return;
  bell.audio ??= new AudioContext();
  const { audio } = bell;
  audio.onstatechange = () => { set({ isMuted: audio.state !== "running" }); };
  void audio.resume().then(() => { if (bell.waiting > 0) ring(); });
}

function ring(): void {
  const { audio } = bell;
  const isHeard = audio?.state === "running" && state().settings.chimes && canAct(state());
  if (!isHeard) return;
  for (const [index, hertz] of notes.entries()) strike(audio, hertz, index);
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
