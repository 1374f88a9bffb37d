/** What node's HTTP parser refuses, in Forno's words. */

import { Problem } from "../problems/problem.ts";

/** Bytes of request line and header fields, as node counts them. */
export const headerBytesLimit = 16_384;

/** Undefined: the connection itself is gone, and there is nobody to answer. */
export function parserProblem(
  error: NodeJS.ErrnoException,
  headersTimeoutMs: number,
): Problem | undefined {
  const { code = "" } = error;
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return new Problem(
        "headers-too-large",
        `expected at most ${headerBytesLimit / 1_024} KiB of request line and header fields, ` +
          "got more",
      );
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new Problem(
        "request-timeout",
        `expected request line and header fields within ${headersTimeoutMs / 1_000} s`,
      );
    default:
      return code.startsWith("HPE_") ? malformed(reasonOf(error)) : undefined;
  }
}

/** Problem 400 of what the parser has taken for no HTTP. */
export function malformed(got: string): Problem {
  return new Problem("malformed-request", `expected HTTP/1.1 (RFC 9112), got: ${got}`);
}

/** What a message is that stops before its end. */
export const endsTooEarly = "a request that ends too early";

/** In place of llhttp's own words, where they mean little to those who do not know llhttp. */
const reasons = new Map([
  ["HPE_INVALID_METHOD", "a line that begins with no method that HTTP knows"],
  ["HPE_INVALID_CONSTANT", "a request line that does not end in HTTP/1.1 after one target"],
  ["HPE_INVALID_EOF_STATE", endsTooEarly],
  ["HPE_PAUSED_H2_UPGRADE", "HTTP/2"],
]);

/** llhttp's words quote nothing of what was sent. */
function reasonOf(error: NodeJS.ErrnoException): string {
  const reason: unknown = "reason" in error ? error.reason : undefined;
  const own = typeof reason === "string" && reason !== "" ? reason : "something else";
  return reasons.get(error.code ?? "") ?? own;
}
