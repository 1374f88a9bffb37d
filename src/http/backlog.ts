/**
 * Bounds the memory of unread responses, and of requests that wait behind others on a connection.
 * If what waits exceeds the limit, the connection that has waited longest is destroyed, then the
 * next one.
 *
 * Bytes that the kernel accepts at once don't count. A connection whose client reads moves to the
 * end of the queue, so a slow client outlives a stuck one.
 */

import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** The default limit for all connections together. */
export const backlogLimitBytes = 268_435_456;

/** Memory of a request and its response without the body. */
export const requestBytes = 8_192;

/** Streams write at any time, so their buffers are measured at this interval. */
const measureMs = 1_000;

interface OpenStream {
  readonly socket: Socket;
  bytes: number;
}

/** Counts the waiting bytes of each connection. */
export class Backlog {
  readonly #limitBytes: number;
  /** Waiting bytes by connection, the longest waiting connection first. */
  readonly #waiting = new Map<Socket, number>();
  #total = 0;
  readonly #streams = new Map<ServerResponse, OpenStream>();
  #timer: NodeJS.Timeout | undefined;

  constructor(limitBytes: number = backlogLimitBytes) {
    this.#limitBytes = limitBytes;
  }

  /** Call after `response.end`. `bytes`: the length of the body. */
  ended(response: ServerResponse, socket: Socket, bytes: number): void {
    if (response.writableLength === 0) return;
    const held = bytes + requestBytes;
    this.add(socket, held);
    response.once("close", () => this.remove(socket, held));
  }

  /** Call after a piece was written. Call the result when the client has taken the piece. */
  holdPiece(response: ServerResponse, socket: Socket, bytes: number): () => void {
    if (response.writableLength === 0) return () => {};
    const held = bytes + requestBytes;
    this.add(socket, held);
    return () => this.remove(socket, held);
  }

  /** Measures a stream's buffer regularly until the response closes. */
  watch(response: ServerResponse, socket: Socket): void {
    const stream = { socket, bytes: 0 };
    this.#streams.set(response, stream);
    this.#timer ??= setInterval(() => this.#measure(), measureMs).unref();
    response.once("close", () => {
      this.remove(socket, stream.bytes);
      this.#streams.delete(response);
      if (this.#streams.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    });
  }

  #measure(): void {
    for (const [response, stream] of this.#streams) {
      const { socket, bytes: before } = stream;
      stream.bytes = response.writableLength;
      if (stream.bytes > before) this.add(socket, stream.bytes - before);
      else if (stream.bytes < before) this.remove(socket, before - stream.bytes);
    }
  }

  /** Counts bytes that wait on a connection, and enforces the limit. */
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

  /** The client has taken bytes: the connection goes to the end of the queue. */
  remove(socket: Socket, bytes: number): void {
    const before = this.#waiting.get(socket);
    if (before === undefined) return;
    this.#waiting.delete(socket);
    this.#total -= Math.min(bytes, before);
    if (before > bytes) this.#waiting.set(socket, before - bytes);
  }

  /** Call when a connection has closed. */
  forget(socket: Socket): void {
    this.#total -= this.#waiting.get(socket) ?? 0;
    this.#waiting.delete(socket);
  }
}
