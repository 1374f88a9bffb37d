/**
 * Offers to upgrade (RFC 9110 section 7.8: h2c, websocket) are ignored. Node leaves a server two
 * ways. Without a listener for "upgrade" its parser drops what came behind the request in the same
 * piece, and does not say when the body is cut short. With one it hands over the socket and all
 * that came behind the header, which is then given to the parser again, without the offer.
 */

import type { IncomingMessage } from "node:http";
import { announcesBody, readFields } from "./request-fields.ts";

/**
 * Whether node is to hand over the socket, where it asks. From 25 on it keeps the body to itself
 * when it does: requests with one are better served by the parser, on a connection that closes.
 */
export function handsOver({ rawHeaders }: IncomingMessage): boolean {
  return Number.parseInt(process.versions.node) < 25 || !announcesBody(readFields(rawHeaders));
}

/** The request as it came, but for its offer, and what came behind its header. */
export function withoutUpgrade(request: IncomingMessage, behind: Buffer): Buffer {
  const { method, url, httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = "", value = ""] = rawHeaders.slice(index, index + 2);
    if (/^upgrade$/i.test(name)) continue;
    const isOptions = /^connection$/i.test(name);
    lines.push(`${name}: ${isOptions ? value.replaceAll(/\bupgrade\b/gi, "") : value}`);
  }
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), behind]);
}
