/**
 * What the two bare servers share: the bench tells each by IPC what to answer next, so that
 * neither has any routing or lookup to do; it goes out with the bench.
 */

import type { RequestListener } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** What Forno answered to the request that is about to be repeated. */
export interface BareAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly etag: string;
  /** The body as it came, and what it says; empty and null for a 304. */
  readonly body: string;
  readonly value: unknown;
}

/** Serves on a free port, which it sends as `{ port }`; confirms an answer with `prepared`. */
export function serveBare(prepare: (answer: BareAnswer) => void, listener: RequestListener): void {
  const server = createServer(listener);
  process.on("message", (answer: BareAnswer) => {
    prepare(answer);
    process.send?.({ prepared: true });
  });
  process.on("disconnect", () => process.exit());
  server.listen(0, "127.0.0.1", () => {
    const { port } = server.address() as AddressInfo; // a TCP server's address is never a string
    process.send?.({ port });
  });
}
