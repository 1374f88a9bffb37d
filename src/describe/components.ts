/** The reusable parts of an OpenAPI 3.1 document (section 4.8.7). */

import { isDeepStrictEqual } from "node:util";

type Components = Record<string, Record<string, object>>;

/**
 * The document with each part that has a `$component`, "schemas/Order", under its components, and a
 * reference to it wherever it was, beside the `others`. Throws where two different parts have the
 * same name.
 */
export function withComponents(document: object, others: object): object {
  const components: Components = {};
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== "object" || value === null) return value;
    const members = Object.entries(value).map(([name, member]) => [name, visit(member)]);
    const { $component: place, ...part } = Object.fromEntries(members);
    if (place === undefined) return part;
    const [section = "", name = ""] = String(place).split("/");
    const parts = (components[section] ??= {});
    if (!isDeepStrictEqual((parts[name] ??= part), part)) {
      throw new Error(`the description has two different parts by the name of ${place}`);
    }
    return { $ref: `#/components/${place}` };
  };
  return { ...(visit(document) as object), components: { ...components, ...others } };
}

/** "not-found" → "NotFound". */
export function pascalCase(words: string): string {
  return words
    .split("-")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}
