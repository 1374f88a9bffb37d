import { isPizzaSize } from "../validation/pizza-size.ts";
import type { Kind } from "./kind.ts";
import { menuKind } from "./menu-kind.ts";

/** How large a pizza is. */
export const pizzaSizes: Kind = menuKind({
  name: "pizzasizes",
  label: "pizza size",
  schemaName: "PizzaSize",
  description: "How large a pizza is.",
  guard: isPizzaSize,
  examples: {
    create: { id: "mini", name: "Mini", diameterInInches: 6.5 },
    patch: { diameterInInches: 7 },
    fault: { diameterInInches: 0 },
  },
});
