/** Bytes to a socket and back: for what an HTTP client would tidy up. */

import { connect } from "node:net";

/**
 * Writes bytes to a fresh connection and resolves to all that came until the server closed it or,
 * with `responses`, until so many complete ones have come. Bytes as latin1 characters.
 */
export function rawExchange(
  port: number,
  bytes: string | Uint8Array,
  { responses = Infinity }: { readonly responses?: number } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    socket.setEncoding("latin1");
    socket.setTimeout(20_000, () => socket.destroy(new Error(`no answer but: ${received}`)));
    socket.on("data", (piece: string) => {
      received += piece;
      if (countResponses(received) >= responses) socket.destroy();
    });
    socket.on("error", (error: NodeJS.ErrnoException) => {
      // A server that closes on us in the middle of our writing: what it said before counts.
      if (error.code === "ECONNRESET" || error.code === "EPIPE") resolve(received);
      else reject(error);
    });
    socket.on("close", () => resolve(received));
  });
}

/** Final responses with a length (or that have no body) that are there whole. */
export function countResponses(received: string): number {
  let count = 0;
  let rest = received;
  for (;;) {
    const end = rest.indexOf("\r\n\r\n");
    if (end === -1) return count;
    const head = rest.slice(0, end);
    const status = Number(head.slice(9, 12));
    const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
    if (rest.length < end + 4 + length) return count;
    rest = rest.slice(end + 4 + length);
    if (status >= 200) count += 1;
  }
}
