/** How long a test waits for the next sign of something before it says that nothing comes. */

/**
 * Far more than anything takes, also where sixty others want the processor. It ends no wait in
 * which something moves: each sign of life begins it anew.
 */
export const patienceMs = 180_000;

/** Calls `giveUp` when nothing has moved for a long time. `refresh()` it when something has. */
export function startPatience(giveUp: () => void): NodeJS.Timeout {
  return setTimeout(giveUp, patienceMs);
}
