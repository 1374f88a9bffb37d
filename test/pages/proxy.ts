/** A proxy between the pages and their shop. */

import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { cleanUp } from "../helpers/forno.ts";

/** Treats a request. `sendOn` sends it to the shop, with that path. */
type Treat = (
  incoming: IncomingMessage, outgoing: ServerResponse, sendOn: (path: string) => void,
) => void;

/**
 * `send` does what passes the cable: it hears a request, or writes a piece of an answer. `cut`
 * closes all connections.
 */
export async function startProxy(
  t: TestContext, port: number, treat: Treat, send = (work: () => void): void => work(),
): Promise<{ readonly origin: string; cut(): void }> {
  const server = createServer((incoming, outgoing) => {
    const { method, headers } = incoming;
    const sendOn = (path: string): void => {
      const onward = request({ port, method, headers, path }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers).flushHeaders();
        answer.on("data", (piece) => { send(() => outgoing.write(piece)); });
        answer.on("end", () => { send(() => outgoing.end()); });
      });
      onward.on("error", () => outgoing.destroy());
      outgoing.on("close", () => onward.destroy());
      incoming.pipe(onward);
    };
    send(() => { treat(incoming, outgoing, sendOn); });
  });
  const cut = (): void => { server.closeAllConnections(); };
  cleanUp(t, () => {
    server.close();
    cut();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A TCP server's address is one.
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, cut };
}
