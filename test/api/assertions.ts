/**
 * The rules for every answer of one sort (contract part 5), asserted in one place: a problem
 * is RFC 9457 with its type's status, a fault has its RFC 6901 pointer and a sentence. The header
 * fields that all answers share: answers.test.ts.
 */

import assert from "node:assert/strict";
import { type ProblemType, problemTypes } from "../../src/problems/problem.ts";
import type { Response } from "../helpers/forno.ts";
import type { Body } from "../helpers/samples.ts";

export interface ProblemBody {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly errors?: readonly {
    readonly pointer?: string;
    readonly parameter?: string;
    readonly detail: string;
  }[];
  readonly allowed?: readonly string[];
  readonly identical?: boolean;
}

/** Asserts a whole problem answer of this type and hands its body on. */
export function assertProblem(response: Response, type: ProblemType): ProblemBody {
  const problem = response.json as ProblemBody;
  // answers.test.ts compares this table with the text of /problems.
  const { status, title } = problemTypes[type];
  const found = [response.status, problem?.status, problem?.type, problem?.title];
  assert.deepEqual(found, [status, status, `/problems#${type}`, title], response.text);
  assert.match(response.headers.get("content-type") ?? "", /^application\/problem\+json\b/);
  assert.match(problem.detail, /\S/);
  return problem;
}

/** Asserts 400 `invalid-body` with exactly these places at fault, in whatever order. */
export function assertFaults(response: Response, pointers: readonly string[]): ProblemBody {
  const problem = assertProblem(response, "invalid-body");
  const found = new Set(problem.errors?.map((fault) => fault.pointer));
  assert.deepEqual([...found].sort(), [...pointers].sort(), response.text);
  for (const fault of problem.errors ?? []) assert.match(fault.detail, /\S/);
  return problem;
}

/** Asserts 400 `invalid-query` that names this parameter; answers the fault's detail. */
export function assertQueryFault(response: Response, parameter: string): string {
  const problem = assertProblem(response, "invalid-query");
  const fault = problem.errors?.find((one) => one.parameter === parameter);
  assert.ok(fault, `no fault names ${parameter}: ${response.text}`);
  return fault.detail;
}

/** Asserts an answer with this resource in it. `expected`: as for `content`. */
export function assertResource(response: Response, status: number, expected: Body): void {
  assert.equal(response.status, status, response.text);
  assert.match(response.headers.get("content-type") ?? "", /^application\/json\b/);
  assert.deepEqual(content(response.json as Body), expected);
  strongTag(response);
}

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** A resource as a client sends it: without the times and the names that an order has beside. */
export function content(resource: Body): Body {
  if (!("placedAt" in resource)) return resource;
  const { placedAt, updatedAt, statusSince, ...rest } = resource as Record<string, any>;
  for (const time of [placedAt, updatedAt, statusSince]) assert.match(time, timestamp);
  assert.ok(updatedAt >= placedAt);
  const [toppings, beverages] = [rest["toppings"], rest["beverages"]].map((all) => all.map(bareId));
  return { ...rest, pizzaSize: bareId(rest["pizzaSize"]), toppings, beverages };
}

/** A reference without its name. */
function bareId({ id, name, ...others }: Body): Body {
  assert.match(String(name), /\S/);
  assert.deepEqual(others, {});
  return { id };
}

/** The answer's ETag, asserted to be a strong one (RFC 9110 section 8.8.3). */
export function strongTag(response: Response): string {
  const tag = response.headers.get("etag") ?? "";
  assert.match(tag, /^"[\x21\x23-\x7e]+"$/);
  return tag;
}

/** The ids of a list, in its order. */
export function ids(response: Response): string[] {
  assert.equal(response.status, 200, response.text);
  return (response.json as { id: string }[]).map((resource) => resource.id);
}
