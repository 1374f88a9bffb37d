/** The ids that the server chooses. */

import { randomFillSync } from "node:crypto";

/** Crockford's base32: no I, L, O, U, which are misheard or misread. */
const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const lettersOfId = 6;
/** Random bytes for many ids: a call for each id would take a twentieth of a create. */
const random = Buffer.alloc(lettersOfId * 512);
let used = random.length;

/**
 * A random id: six characters that people can read aloud, a billion possibilities. The caller must
 * check that it is free.
 */
export function randomId(): string {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  let id = "";
  for (const end = used + lettersOfId; used < end; used += 1) {
    id += letters[(random[used] ?? 0) % 32];
  }
  return id;
}
