/**
 * Turns of the event loop. Long work is done in steps of well below a millisecond, a step a turn,
 * first come, first served, so that other requests are answered in between however many clients
 * read long responses.
 */

import { setImmediate } from "node:timers/promises";

let last: Promise<unknown> = Promise.resolve();

/** Resolves in a turn that nobody else was given. */
export async function turn(): Promise<void> {
  last = last.then(() => setImmediate());
  await last;
}
