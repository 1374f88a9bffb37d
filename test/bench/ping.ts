/** A thread that asks /healthz until it is told to stop, and then says how long it waited at most. */

import { once } from "node:events";
import { connect } from "node:net";
import { parentPort, workerData } from "node:worker_threads";

const { port } = workerData as { readonly port: number };
const socket = connect(port, "127.0.0.1").setNoDelay();
await once(socket, "connect");
parentPort?.postMessage("ready");
let isAsking = true;
parentPort?.once("message", () => (isAsking = false));
let longest = 0;
while (isAsking) {
  const begin = performance.now();
  socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await once(socket, "data");
  longest = Math.max(longest, performance.now() - begin);
}
parentPort?.postMessage(longest);
