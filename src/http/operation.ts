/**
 * What a route says of itself, as plain data beside its handler: describe/ makes the OpenAPI 3.1
 * document of it, and adds what is true of every route, or follows from its rule and its body.
 *
 * Schemas, parameters and links are OpenAPI's own objects. One with a `$component`, such as
 * "schemas/Order", stands once in the document, under that name, and is referred to from wherever
 * it is used.
 */

import type { ProblemType } from "../problems/problem-types.ts";

/** One operation (OpenAPI 3.1 section 4.8.10). */
export interface Operation {
  /** operationId: what generated clients call it. */
  readonly id: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  /** What it takes: schemas by media type. */
  readonly body?: Content;
  /** What is answered when nothing is wrong, by status. */
  readonly answers: Readonly<Record<number, AnswerDescription>>;
  /** What may go wrong, beyond what may go wrong anywhere, or wherever a body is read. */
  readonly problems?: readonly ProblemType[];
}

/** A group of operations. */
export interface Tag {
  readonly name: string;
  readonly description: string;
}

/** Section 4.8.12. */
export interface Parameter {
  readonly $component?: string;
  readonly name: string;
  readonly in: "query" | "header" | "path";
  readonly required?: boolean;
  readonly description: string;
  readonly schema: object;
  readonly example?: unknown;
}

export type Content = Readonly<Record<string, object>>;

export interface AnswerDescription {
  readonly description: string;
  /** Names of rows in describe/headers.ts, beside those that every answer has. */
  readonly headers?: readonly string[];
  readonly content?: Content;
  readonly links?: object;
}
