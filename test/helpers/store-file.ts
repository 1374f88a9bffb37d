/** Files of a store, as a person would write them: lines without checksums. */

export interface StoredLine {
  /** "orders.created". */
  readonly event: string;
  readonly data: object;
  readonly kept?: object;
}

/** The text of a store.ndjson with these resources, in the order of their kinds. */
export function storeFile(resources: readonly StoredLine[]): string {
  const lines = resources.map((line, index) => ({ seq: index + 1, ...line }));
  const header = { forno: 1, seq: lines.length, resources: lines.length };
  const at = "2026-01-31T18:00:00.000Z";
  return [{ ...header, at }, ...lines].map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** The line of an order of one large pizza, placed and changed at `placedAt`. */
export function orderLine(id: string, placedAt: string, fields: object = {}): StoredLine {
  const pizzaSize = { id: "grande", name: "Large" };
  const times = { placedAt, updatedAt: placedAt, statusSince: placedAt };
  const content = { pizzaSize, toppings: [], beverages: [], status: "Ready", ...fields };
  return { event: "orders.created", data: { id, ...content, ...times } };
}
