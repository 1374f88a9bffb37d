/**
 * Finds the end of an HTTP/1.1 response (RFC 9112 section 6) in the bytes a socket delivers, and
 * nothing else: status, Content-Length or chunked framing, no header values, no copy of the body.
 * Made for a client that never pipelines, so at most one response is under way.
 */

const headEnd = Buffer.from("\r\n\r\n");
const newline = 0x0a;

export class ResponseReader {
  #inBody = false;
  #status = 0;
  #chunked = false;
  /** Bytes of the body, or of the current chunk and its CRLF, that are still to come. */
  #remaining = 0;
  #line = "";
  #lastChunk = false;
  #partialHead: Buffer | undefined;

  /**
   * Takes the first `length` bytes of `bytes`, which may be overwritten after the call.
   * Returns the response's status when they complete it, else 0.
   * Throws Error when bytes follow a complete response.
   */
  push(bytes: Buffer, length: number): number {
    const start = this.#inBody ? 0 : this.#readHead(bytes, length);
    if (!this.#inBody) return 0;
    const end = this.#chunked
      ? this.#skipChunks(bytes, start, length)
      : this.#skipCounted(start, length);
    if (end === undefined) return 0;
    if (end < length) throw new Error(`${length - end} bytes came after a complete response`);
    this.#inBody = false;
    return this.#status;
  }

  /** Returns where the body starts in `bytes`; meaningless until the head is whole. */
  #readHead(bytes: Buffer, length: number): number {
    if (this.#partialHead !== undefined) return this.#resumeHead(bytes, length);
    // The shared buffer holds older bytes past `length`; a match there is not this head's end.
    const end = bytes.indexOf(headEnd);
    if (end < 0 || end + headEnd.length > length) {
      this.#partialHead = Buffer.from(bytes.subarray(0, length));
      return 0;
    }
    this.#begin(bytes.toString("latin1", 0, end + 2));
    return end + headEnd.length;
  }

  #resumeHead(bytes: Buffer, length: number): number {
    const known = this.#partialHead ?? Buffer.alloc(0);
    const whole = Buffer.concat([known, bytes.subarray(0, length)]);
    const end = whole.indexOf(headEnd);
    this.#partialHead = end < 0 ? whole : undefined;
    if (end < 0) return 0;
    this.#begin(whole.toString("latin1", 0, end + 2));
    return end + headEnd.length - known.length;
  }

  #begin(head: string): void {
    this.#inBody = true;
    this.#status = Number(head.slice(9, 12));
    this.#lastChunk = false;
    this.#line = "";
    const bodiless = this.#status === 204 || this.#status === 304;
    this.#chunked = !bodiless && /\r\ntransfer-encoding: *chunked\r\n/i.test(head);
    const counted = /\r\ncontent-length: *(\d+)\r\n/i.exec(head)?.[1];
    if (!bodiless && !this.#chunked && counted === undefined) {
      throw new Error(`a response without Content-Length or chunked framing:\n${head}`);
    }
    this.#remaining = bodiless || this.#chunked ? 0 : Number(counted);
  }

  #skipCounted(start: number, length: number): number | undefined {
    const step = Math.min(this.#remaining, length - start);
    this.#remaining -= step;
    return this.#remaining === 0 ? start + step : undefined;
  }

  #skipChunks(bytes: Buffer, start: number, length: number): number | undefined {
    let at = start;
    while (at < length) {
      if (this.#remaining > 0) {
        const step = Math.min(this.#remaining, length - at);
        this.#remaining -= step;
        at += step;
      } else if (this.#endsWithByte(bytes[at++])) {
        return at;
      }
    }
    return undefined;
  }

  /** Reads on in a chunk's size line, or in the trailer section after the last chunk. */
  #endsWithByte(byte: number | undefined): boolean {
    if (byte !== newline) {
      this.#line += String.fromCharCode(byte ?? 0);
      return false;
    }
    const line = this.#line.trim();
    this.#line = "";
    if (this.#lastChunk) return line === "";
    const size = Number.parseInt(line, 16);
    this.#lastChunk = size === 0;
    this.#remaining = this.#lastChunk ? 0 : size + 2;
    return false;
  }
}
