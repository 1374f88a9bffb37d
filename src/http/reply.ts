/** What a handler answers: status, header fields, body. send.ts writes it. */

import type { Problem } from "../problems/problem.ts";
import { withoutTokens } from "../log/redact.ts";
import { headLine, type HeadLines } from "./head.ts";

/** One answer. */
export interface Reply {
  readonly status: number;
  /** The media type of the body. */
  readonly type?: string;
  /** Further fields, beyond those that every answer has and Content-Length where it is known. */
  readonly head: HeadLines;
  readonly etag?: string;
  /** The request fields that the answer depends on, beside those of its route. */
  readonly vary?: string;
  /** Whether the connection closes after it. */
  readonly closes?: boolean;
  /**
   * Undefined: none. Pieces are asked for one by one, as they are sent. A Live one is written as
   * things happen.
   */
  readonly body?: string | Uint8Array | Iterable<string | Uint8Array> | Live;
}

/** An answer that goes on: called once the header is sent. */
export type Live = (outlet: Outlet) => void;

/** Where a Live answer goes. */
export interface Outlet {
  /** False when the client should take what it has been given before it is given more. */
  write(piece: string | Uint8Array): boolean;
  /** Bytes that the client has not taken yet. */
  readonly waitingBytes: number;
  /** Calls the listener once, when the client has taken everything. */
  onDrain(listener: () => void): void;
  /** Ends the answer. */
  end(): void;
  /** Breaks the connection off. */
  drop(): void;
  onClose(listener: () => void): void;
}

/** RFC 8259 has no charset parameter; some clients guess without one. */
export const jsonType = "application/json; charset=utf-8";
const problemType = "application/problem+json; charset=utf-8";
/** May be stored, but must be revalidated on each use (RFC 9111 section 5.2.2.4). */
export const noCache: HeadLines = headLine("Cache-Control", "no-cache");
/** Kept by nobody: there is a token, or everything, in it (section 5.2.2.5). */
export const noStore: HeadLines = headLine("Cache-Control", "no-store");

/** `json`: JSON text without its final newline. */
export function jsonReply(status: number, json: string, head: HeadLines): Reply {
  return { status, type: jsonType, head, body: `${json}\n` };
}

/** The problem as application/problem+json (RFC 9457). */
export function problemReply(problem: Problem): Reply & { readonly body: string } {
  const lines = Object.entries(problem.headers).map(([name, value]) => headLine(name, value));
  const body = `${withoutTokens(JSON.stringify(problem))}\n`;
  return { status: problem.status, type: problemType, head: noCache + lines.join(""), body };
}
