/** An error in a document, for the operator: file, line and reason. */

import { Invalid } from "../problems/faults.ts";

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

/** The faults of an Invalid in a line. Rethrows any other error. */
export function faultOf(error: unknown): string {
  if (!(error instanceof Invalid)) throw error;
  const [first, ...others] = error.faults;
  const place = first === undefined || first.pointer === "#" ? "" : `${first.pointer}: `;
  const count = others.length > 0 ? ` (and ${others.length} more)` : "";
  return place + (first?.detail ?? "") + count;
}
