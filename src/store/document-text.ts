/**
 * Reads a document that a person wrote or edited: JSON in any layout,
 * {"toppings":[…],"orders":[…],…}. The whole text is in memory. Each resource is parsed by itself,
 * so that an error can name its line.
 */

import { DocumentError } from "./document-error.ts";
import { quoted } from "../problems/faults.ts";

/** A value of the document: an item of a member's list, or a member that is not a list. */
export interface Part {
  readonly member: string;
  /** The position in the list; undefined for an empty list, and for a member that is not a list. */
  readonly index: number | undefined;
  readonly value: unknown;
  /** The line of its first character. */
  readonly line: number;
}

/** A string, a bracket, a separator, or a number or word. */
const tokenPattern = /\s*("[^"\\]*(?:\\.[^"\\]*)*"?|[[\]{}:,]|[^\s[\]{}:,"]+|$)/sy;

/** Up to the end of the next string, or over the next bracket. */
const bracketPattern = /[^"{}[\]]*(?:"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]])/sy;

/** All parts, in the order of the text. Throws DocumentError. */
export function documentParts(file: string, text: string): Part[] {
  return new Text(file, text).parts();
}

class Text {
  readonly #file: string;
  readonly #text: string;
  #at = 0;
  /** A line number, and the offset at which that line ends. */
  #line = 1;
  #lineEnd: number;

  constructor(file: string, text: string) {
    this.#file = file;
    this.#text = text;
    this.#lineEnd = this.#endAfter(0);
    if (text.startsWith("\ufeff")) this.#at = 1;
  }

  parts(): Part[] {
    const parts: Part[] = [];
    const known = new Set<string>();
    this.#take("{", "an object with a list for each kind");
    if (this.#peek() === "}") this.#next();
    else {
      do {
        const member = this.#memberName();
        if (known.has(member)) throw this.#error(`${quoted(member)} appears twice`);
        known.add(member);
        this.#take(":", 'a ":"');
        this.#takeValues(member, parts);
      } while (this.#hasMore("}"));
    }
    if (this.#peek() !== "") throw this.#unexpected("the end of the document");
    return parts;
  }

  #memberName(): string {
    if (this.#peek() === "") throw this.#unexpected("a member's name");
    const { value } = this.#value();
    if (typeof value === "string") return value;
    throw this.#error("expected a member's name in quotes");
  }

  #takeValues(member: string, parts: Part[]): void {
    if (this.#peek() !== "[") {
      parts.push({ member, index: undefined, ...this.#value() });
      return;
    }
    const line = this.#lineHere();
    this.#next();
    if (this.#peek() === "]") {
      parts.push({ member, index: undefined, value: [], line });
      this.#next();
      return;
    }
    let index = 0;
    do parts.push({ member, index: index++, ...this.#value() });
    while (this.#hasMore("]"));
  }

  /** Takes a comma, or the end of a list or an object. */
  #hasMore(end: string): boolean {
    const token = this.#peek();
    if (token !== "," && token !== end) throw this.#unexpected(`"," or "${end}"`);
    this.#next();
    return token === ",";
  }

  #value(): { readonly value: unknown; readonly line: number } {
    const first = this.#peek();
    if (first === "" || /^[\]},:]/.test(first)) throw this.#unexpected("a value");
    const line = this.#lineHere();
    const start = this.#at;
    this.#next();
    if (first === "{" || first === "[") this.#skipRest();
    try {
      return { value: JSON.parse(this.#text.slice(start, this.#at)), line };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new DocumentError(this.#file, line, `not JSON: ${reason}`, true);
    }
  }

  /** Moves behind the bracket that closes the one just taken, or to the end of the text. */
  #skipRest(): void {
    bracketPattern.lastIndex = this.#at;
    for (let depth = 1; depth > 0; ) {
      if (!bracketPattern.test(this.#text)) return void (this.#at = this.#text.length);
      this.#at = bracketPattern.lastIndex;
      const last = this.#text[this.#at - 1];
      if (last === "{" || last === "[") depth += 1;
      else if (last === "}" || last === "]") depth -= 1;
    }
  }

  #take(wanted: string, expected: string): void {
    if (this.#peek() !== wanted) throw this.#unexpected(expected);
    this.#next();
  }

  /** The next token, "" at the end of the text. Skips white space, but not the token. */
  #peek(): string {
    const [whole = "", token = ""] = this.#match();
    this.#at += whole.length - token.length;
    return token;
  }

  #next(): string {
    const [whole = "", token = ""] = this.#match();
    this.#at += whole.length;
    return token;
  }

  #match(): RegExpExecArray | [] {
    tokenPattern.lastIndex = this.#at;
    return tokenPattern.exec(this.#text) ?? [];
  }

  #lineHere(): number {
    while (this.#lineEnd < this.#at) {
      this.#line += 1;
      this.#lineEnd = this.#endAfter(this.#lineEnd + 1);
    }
    return this.#line;
  }

  #endAfter(start: number): number {
    const end = this.#text.indexOf("\n", start);
    return end === -1 ? Infinity : end;
  }

  #unexpected(expected: string): DocumentError {
    const token = this.#peek();
    return this.#error(`expected ${expected}, got ${token === "" ? "the end" : quoted(token)}`);
  }

  #error(detail: string): DocumentError {
    return new DocumentError(this.#file, this.#lineHere(), detail, true);
  }
}
