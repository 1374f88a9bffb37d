/** Values on both sides of every bound of a schema, to ask two judges about. */

import { resolve, type Schema } from "./json-schema.ts";

/** Values of no type that any field has, or of another one. */
const strangers: readonly unknown[] = [null, true, 0, 1.5, "", "x", [], [null], {}, { id: 1 }];

/** `root`: for `$ref`s. Deterministic. */
export function sidesOf(schema: Schema, root: Schema): readonly unknown[] {
  const { type, anyOf, items, properties = {}, required = [], ...bounds } = resolve(schema, root);
  const alternatives: readonly Schema[] = anyOf ?? [];
  return [
    ...strangers,
    ...alternatives.flatMap((one) => sidesOf(one, root)),
    ...(type === "string" ? texts(bounds) : []),
    ...(type === "number" || type === "integer" ? numbers(bounds) : []),
    ...(type === "array" ? arrays(bounds, items, root) : []),
    ...(type === "object" ? objects(properties, required, root) : []),
  ];
}

function texts({ minLength, maxLength, pattern = "", enum: choices = [] }: Schema): unknown[] {
  const lengths = [minLength, maxLength].filter((bound) => bound !== undefined);
  const around = lengths.flatMap((bound) => [bound - 1, bound, bound + 1]).filter((n) => n >= 0);
  return [
    ...around.flatMap((length) => ["n".repeat(length), "🍕".repeat(length)]),
    ...edgesOf(pattern).flatMap((character) => [character, `a${character}`]),
    ...choices.flatMap((one: string) => [one, one.toLowerCase(), `${one} `]),
    ...["..", "...", "\ud83c", "a\udf55", "\u{10ffff}"],
  ];
}

/** Every character that a pattern names, and its neighbours. */
function edgesOf(pattern: string): readonly string[] {
  const named = pattern.replaceAll(/\\u([0-9a-f]{4})/g, (_, code) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  const points = [...named].map((character) => character.codePointAt(0) ?? 0);
  const around = points.flatMap((point) => [point - 1, point, point + 1]);
  return [...new Set(around)].filter((point) => point >= 0).map((p) => String.fromCodePoint(p));
}

function numbers({ minimum, exclusiveMinimum, maximum }: Schema): unknown[] {
  const bounds = [minimum, exclusiveMinimum, maximum].filter((bound) => bound !== undefined);
  const around = bounds.flatMap((bound) => [
    bound - 1e-9,
    bound,
    bound + 1e-9,
    bound - 1,
    bound + 1,
  ]);
  return [...around, 5e-324, -5e-324, 1e308, -1e308];
}

function arrays({ minItems, maxItems }: Schema, items: Schema, root: Schema): unknown[] {
  const one = sidesOf(items, root);
  const different = (count: number): unknown[] =>
    Array.from({ length: count }, (_, index) =>
      resolve(items, root)["type"] === "object" ? { id: `n${index}` } : `n${index}`,
    );
  const lengths = [minItems, maxItems].filter((bound) => bound !== undefined);
  return [
    ...one.map((item) => [item]),
    ...lengths.flatMap((bound) => [different(bound), different(bound + 1)]),
    [...different(1), ...different(1)],
  ];
}

function objects(properties: Schema, required: readonly string[], root: Schema): unknown[] {
  const whole = Object.fromEntries(required.map((name) => [name, "n0"]));
  return [
    whole,
    { ...whole, another: { deep: [1] } },
    // The server takes more than the description beside what is required: see the guards.
    ...required.flatMap((name) =>
      sidesOf(properties[name], root).map((value) => ({ ...whole, [name]: value })),
    ),
  ];
}
