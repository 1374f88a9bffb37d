/**
 * Samples that the tests send: for each kind a whole valid body in the specification's field
 * order, and the same resource changed. References point into the starter menu.
 */

export type Body = Readonly<Record<string, unknown>>;

export interface Sample {
  readonly path: string;
  readonly body: Body;
  /** The same id, every other field different. */
  readonly changed: Body;
  /** The fields that a body may leave out, with values. */
  readonly optional: Body;
}

export function topping(fields: Body = {}): Body {
  return { id: "tartufo", name: "Truffle", isVegetarian: true, isVegan: true, ...fields };
}

export function pizzaSize(fields: Body = {}): Body {
  return { id: "mini", name: "Mini", diameterInInches: 6.5, ...fields };
}

export function beverage(fields: Body = {}): Body {
  return { id: "gassosa", name: "Gassosa", isCarbonated: true, sizeOptions: ["0.2 l"], ...fields };
}

export function order(fields: Body = {}): Body {
  return {
    id: "tavolo-4",
    pizzaSize: { id: "grande" },
    toppings: [{ id: "funghi" }, { id: "rucola" }],
    beverages: [{ id: "chinotto" }],
    status: "Preparing",
    ...fields,
  };
}

export const menuSamples: readonly Sample[] = [
  {
    path: "/api/toppings",
    body: topping(),
    changed: topping({ name: "Lard", isVegetarian: false, isVegan: false }),
    optional: { description: "Contains milk" },
  },
  {
    path: "/api/pizzasizes",
    body: pizzaSize(),
    changed: pizzaSize({ name: "Tiny", diameterInInches: 5 }),
    optional: { description: "Serves one" },
  },
  {
    path: "/api/beverages",
    body: beverage(),
    changed: beverage({ name: "Fizz", isCarbonated: false, sizeOptions: ["1 l", "2 l"] }),
    optional: { description: "Bitter" },
  },
];

export const orderSample: Sample = {
  path: "/api/orders",
  body: order(),
  changed: order({
    pizzaSize: { id: "piccola" },
    toppings: [],
    beverages: [{ id: "birra" }, { id: "birra" }],
    status: "Ready",
  }),
  optional: {
    pizza: "Calzone", note: "no salt", name: "Anna", table: "طاولة ٧", group: "K7QX3M",
    wantedAt: "2026-01-31T19:30:00.000Z",
  },
};

export const samples: readonly Sample[] = [...menuSamples, orderSample];

export const statuses = [
  "Pending", "Preparing", "Ready", "Out for Delivery", "Delivered", "Cancelled",
] as const;

/** The address of the sample's resource. */
export function itemPath(sample: Sample): string {
  return `${sample.path}/${String(sample.body["id"])}`;
}
