/** Ids: their rule, and the ones that are picked at random. This file also runs in a browser. */

import { longestId } from "./limits.ts";

const pattern = new RegExp(`^(?!\\.{1,2}$)[A-Za-z0-9\\-._~:@+,]{1,${longestId}}$`);

/** True if a resource can have this id. */
export function isPossibleId(value: unknown): value is string {
  return typeof value === "string" && pattern.test(value);
}

/** The rule of an id, in words. */
export const idRule: string =
  `a string of 1 to ${longestId} characters from A-Z a-z 0-9 , - . _ ~ : @ +`;

/** Without I, L, O and U, which are misheard or misread, and zero, which looks like O. */
const letters = "ABCDEFGHJKMNPQRSTVWXYZ";
const letterOrDigit = `${letters}123456789`;

/** Random numbers for many ids: to get a few of them takes as long as to get hundreds. */
const pool = new Uint32Array(384);
let left = 0;

function randomNumber(): number {
  if (left === 0) left = crypto.getRandomValues(pool).length;
  left -= 1;
  return pool[left] ?? 0;
}

/**
 * A random id that people can read aloud: "K7QX3M". Each character but the first has five bits. It
 * begins with a letter: spreadsheets take 411711, 12E345 and 5MAY24 for numbers and dates.
 */
export function randomId(length: number): string {
  let id = "";
  while (id.length < length) {
    const signs = id === "" ? letters : letterOrDigit;
    id += signs[randomNumber() % signs.length];
  }
  return id;
}

/** A free id of six characters, of 630 million possible ones. */
export function newId(isTaken: (id: string) => boolean): string {
  for (;;) {
    const id = randomId(6);
    if (!isTaken(id)) return id;
  }
}
