/** The reusable parts of an OpenAPI 3.1 document (section 4.8.7). */

export interface Ref {
  readonly $ref: string;
}

export type Section = "schemas" | "responses" | "parameters" | "headers";

/** A part is in it from the first reference on: none is left out, and none is unused. */
export class Components {
  readonly #sections = new Map<Section, Map<string, object>>();

  /** `make` is called once for each name. */
  refer(section: Section, name: string, make: () => object): Ref {
    const parts = this.#sections.get(section) ?? new Map<string, object>();
    this.#sections.set(section, parts);
    // Set first to keep its place before the parts that it refers to itself.
    if (!parts.has(name)) parts.set(name, {}).set(name, make());
    return { $ref: `#/components/${section}/${name}` };
  }

  toJSON(): Readonly<Record<string, object>> {
    const sections = [...this.#sections].map(([section, parts]) => [
      section,
      Object.fromEntries(parts),
    ]);
    return Object.fromEntries(sections);
  }
}

/** "not-found", "pizza size" → "NotFound", "PizzaSize". */
export function pascalCase(words: string): string {
  return words
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}

export function mapValues<In, Out>(
  record: Readonly<Record<string, In>>,
  map: (value: In) => Out,
): Record<string, Out> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}
