/**
 * One bound for memory: the bytes of all answers that wait for clients which do not read. Beyond
 * it, the connection that has waited longest is destroyed, then the next one.
 *
 * What the kernel took at once is never counted. A connection whose client reads goes to the end of
 * the queue, so a slow reader outlives one that has stopped.
 */

import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** All that may wait, unless the options say otherwise. */
export const backlogLimitBytes = 268_435_456;

/** What a request and its answer take in memory beside the body. */
const answerBytes = 8_192;

/** How often open streams are looked at: they write whenever something happens. */
const lookMs = 1_000;

interface OpenStream {
  readonly socket: Socket;
  bytes: number;
}

/** What waits, by connection. */
export class Backlog {
  readonly #limitBytes: number;
  /** Waiting bytes by connection; the one that has waited longest comes first. */
  readonly #waiting = new Map<Socket, number>();
  #total = 0;
  readonly #streams = new Map<ServerResponse, OpenStream>();
  #timer: NodeJS.Timeout | undefined;

  constructor(limitBytes: number = backlogLimitBytes) {
    this.#limitBytes = limitBytes;
  }

  /** An answer of so many bytes has been ended. */
  ended(response: ServerResponse, socket: Socket, bytes: number): void {
    if (response.writableLength === 0) return;
    const held = bytes + answerBytes;
    this.add(socket, held);
    response.once("close", () => this.remove(socket, held));
  }

  /** A piece of so many bytes was written. Returns what to call once the client has taken it. */
  holdPiece(response: ServerResponse, socket: Socket, bytes: number): () => void {
    if (response.writableLength === 0) return () => {};
    // What makes the pieces may keep a buffer of that size too.
    const held = 2 * bytes + answerBytes;
    this.add(socket, held);
    return () => this.remove(socket, held);
  }

  /** The stream may write at any time, until it closes. */
  watch(response: ServerResponse, socket: Socket): void {
    const stream = { socket, bytes: 0 };
    this.#streams.set(response, stream);
    this.#timer ??= setInterval(() => this.#look(), lookMs).unref();
    response.once("close", () => {
      this.remove(socket, stream.bytes);
      this.#streams.delete(response);
      if (this.#streams.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    });
  }

  #look(): void {
    for (const [response, stream] of this.#streams) {
      const { socket, bytes: before } = stream;
      stream.bytes = response.writableLength;
      if (stream.bytes > before) this.add(socket, stream.bytes - before);
      else if (stream.bytes < before) this.remove(socket, before - stream.bytes);
    }
  }

  /** So many bytes wait on this connection. Destroys the longest waiting ones beyond the bound. */
  add(socket: Socket, bytes: number): void {
    if (socket.destroyed) return;
    this.#waiting.set(socket, (this.#waiting.get(socket) ?? 0) + bytes);
    this.#total += bytes;
    for (const [longest] of this.#waiting) {
      if (this.#total <= this.#limitBytes) return;
      this.forget(longest);
      longest.destroy();
    }
  }

  /** The client has taken so many of them. */
  remove(socket: Socket, bytes: number): void {
    const before = this.#waiting.get(socket);
    if (before === undefined) return;
    this.#waiting.delete(socket);
    this.#total -= Math.min(bytes, before);
    if (before > bytes) this.#waiting.set(socket, before - bytes);
  }

  /** The connection has closed. */
  forget(socket: Socket): void {
    this.#total -= this.#waiting.get(socket) ?? 0;
    this.#waiting.delete(socket);
  }
}
