/**
 * The states in which a power cut can leave a disk. A name stands for any file it was given since
 * the folder was synced, independently of the other names; and every file's content is made up of
 * what was written since it was synced, in one of these ways:
 *
 * - none of it, all of it, or all up to some change;
 * - the last of those changes torn, at any byte or between two sectors of 512 bytes;
 * - written out of order: each sector as it was after any of the changes, the length too, so that
 *   there can be a later sector without an earlier one, a length without its data (zeros), or data
 *   that was already cut off again.
 */

import { Buffer } from "node:buffer";
import { changed, type SimulatedDisk, type SimulatedFile } from "./simulated-disk.ts";

/** A number from 0 up to, and not including, 1. */
export type Random = () => number;

/** The same numbers for the same seed (mulberry32). */
export function seededRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export type Files = Map<string, Buffer>;

/** Up to this many combinations of names are all tried. If there are more, this many are drawn. */
const combinationsLimit = 32;
const sector = 512;

/** States of one moment: each combination of names, with `draws` contents each. */
export function* crashStates(disk: SimulatedDisk, draws: number, random: Random): Generator<Files> {
  const names = [...disk.names];
  const combinations = names.reduce((product, [, versions]) => product * versions.length, 1);
  const isPending = names.some(([, versions]) => versions.some((file) => file?.pending.length));
  for (let index = 0; index < Math.min(combinations, combinationsLimit); index++) {
    let choice = combinations <= combinationsLimit ? index : Math.floor(random() * combinations);
    const chosen = names.map(([name, versions]) => {
      const file = versions[choice % versions.length];
      choice = Math.floor(choice / versions.length);
      return [name, file] as const;
    });
    for (let draw = 0; draw < (isPending ? draws : 1); draw++) {
      const contents = new Map<SimulatedFile, Buffer>();
      const files: Files = new Map();
      for (const [name, file] of chosen) {
        if (file === undefined) continue;
        const content = contents.get(file) ?? crashContent(file, draw, random);
        contents.set(file, content);
        files.set(name, content);
      }
      yield files;
    }
  }
}

/** The first draws are the plain ones, so that a few of them say much. */
function crashContent(file: SimulatedFile, draw: number, random: Random): Buffer {
  const { durable, pending } = file;
  if (pending.length === 0 || draw === 0) return durable;
  const versions = [durable];
  for (const change of pending) versions.push(changed(versions.at(-1) ?? durable, change));
  const last = versions.at(-1) ?? durable;
  if (draw === 1) return last;
  if (draw === 2) return scattered([durable, last], last.length, random);
  const way = random();
  if (way < 0.15) return pick(versions, random);
  if (way < 0.45) return torn(versions, random);
  if (way < 0.55) return scattered([durable], last.length, random);
  const length = way < 0.8 ? last.length : pick(versions, random).length;
  return scattered(versions, length, random);
}

/** All changes up to one, which is there in part. */
function torn(versions: readonly Buffer[], random: Random): Buffer {
  const index = 1 + Math.floor(random() * (versions.length - 1));
  const before = versions[index - 1] ?? Buffer.alloc(0);
  const after = versions[index] ?? before;
  if (after.length <= before.length) return random() < 0.5 ? before : after;
  const at = before.length + Math.floor(random() * (after.length - before.length));
  const length = random() < 0.5 ? at : Math.floor(at / sector) * sector;
  return after.subarray(0, Math.max(length, before.length));
}

/** Each sector from any of the versions; where that has none, zeros. */
function scattered(versions: readonly Buffer[], length: number, random: Random): Buffer {
  const content = Buffer.alloc(length);
  for (let offset = 0; offset < length; offset += sector) {
    const version = pick(versions, random);
    if (offset < version.length) version.copy(content, offset, offset, offset + sector);
  }
  return content;
}

function pick<T>(from: readonly T[], random: Random): T {
  return from[Math.floor(random() * from.length)] as T;
}
