/** An error in a document, for the operator: file, line and reason. */

import { Problem } from "../problems/problem.ts";

interface DocumentErrorOptions {
  readonly line?: number | undefined;
  /** True if the bytes differ from what Forno wrote. */
  readonly isDamage?: boolean;
}

export class DocumentError extends Error {
  override readonly name = "DocumentError";
  readonly line: number | undefined;
  readonly detail: string;
  readonly isDamage: boolean;

  constructor(file: string, detail: string, options: DocumentErrorOptions = {}) {
    const { line, isDamage = false } = options;
    const place = line === undefined ? file : `${file}, line ${line}`;
    super(`${place}: ${detail}`);
    this.line = line;
    this.detail = detail;
    this.isDamage = isDamage;
  }
}

/** The first fault of a Problem, and the number of others. Rethrows any other error. */
export function faultOf(error: unknown): string {
  if (!(error instanceof Problem)) throw error;
  const [first, ...others] = error.extensions.errors ?? [];
  if (first === undefined) return error.message;
  const place = "pointer" in first ? `${first.pointer}: ` : "";
  return place + first.detail + (others.length > 0 ? ` (and ${others.length} more)` : "");
}
