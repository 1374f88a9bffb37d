/** Bytes to a socket and back: for what an HTTP client would tidy up. */

import { connect } from "node:net";
import { splitAnswers } from "./raw-answers.ts";

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
      if (responses < Infinity && finalAnswers(received) >= responses) socket.destroy();
    });
    socket.on("error", (error: NodeJS.ErrnoException) => {
      // A server that closes on us in the middle of our writing: what it said before counts.
      if (error.code === "ECONNRESET" || error.code === "EPIPE") resolve(received);
      else reject(error);
    });
    socket.on("close", () => resolve(received));
  });
}

/** Whole ones, but those that only say to go on (RFC 9110 section 15.2). */
function finalAnswers(received: string): number {
  const { answers } = splitAnswers(Buffer.from(received, "latin1"));
  return answers.filter(({ status }) => status >= 200).length;
}
