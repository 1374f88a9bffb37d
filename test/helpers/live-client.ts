/** The client of an answer that goes on, without a socket: it reads only when the test says so. */

import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { Writable } from "node:stream";

/** As much of a response as a live answer uses. */
export class LiveClient extends EventEmitter {
  readonly pieces: (string | Uint8Array)[] = [];
  /** Bytes that it has not taken. */
  writableLength = 0;
  state: "open" | "ended" | "dropped" = "open";
  /** Whether it reads at once. */
  isReading = true;

  get text(): string {
    return this.pieces.map((piece) => piece.toString()).join("");
  }

  /** Where the answer is written to. */
  get answer(): Writable {
    return this as unknown as Writable;
  }

  get writableEnded(): boolean {
    return this.state === "ended";
  }

  get destroyed(): boolean {
    return this.state === "dropped";
  }

  write(piece: string | Uint8Array): boolean {
    assert.equal(this.state, "open", "written after the end");
    this.pieces.push(piece);
    if (!this.isReading) this.writableLength += Buffer.byteLength(piece);
    return this.isReading;
  }

  /** It takes what it was given. */
  drain(): void {
    this.writableLength = 0;
    this.emit("drain");
  }

  end(): void {
    this.#close("ended");
  }

  destroy(): void {
    this.#close("dropped");
  }

  #close(state: "ended" | "dropped"): void {
    if (this.state !== "open") return;
    this.state = state;
    this.emit("close");
  }
}
