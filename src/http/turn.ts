/**
 * Turns of the event loop. Long work is done in steps of a millisecond at most, each in a turn that
 * nobody else was given. So other requests are answered in between, however many clients read long
 * responses. The clients take turns, so that nobody waits longer because another asks for much.
 *
 * There is one queue, because a process has one event loop.
 */

/** The clients that wait, the next one first. */
const clients: string[] = [];
/** By client, oldest first. */
const waiting = new Map<string, (() => void)[]>();

/** Resolves in a turn of its own. `client`: as Request.holder. */
export function turn(client: string): Promise<void> {
  return new Promise((resolve) => {
    const own = waiting.get(client);
    if (own !== undefined) return void own.push(resolve);
    waiting.set(client, [resolve]);
    if (clients.push(client) === 1) setImmediate(giveTurn);
  });
}

function giveTurn(): void {
  const client = clients.shift();
  const own = client === undefined ? undefined : waiting.get(client);
  if (client === undefined || own === undefined) return;
  own.shift()?.();
  if (own.length > 0) clients.push(client);
  else waiting.delete(client);
  if (clients.length > 0) setImmediate(giveTurn);
}
