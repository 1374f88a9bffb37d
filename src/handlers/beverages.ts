import { isBeverage } from "../validation/beverage.ts";
import type { Kind } from "./kind.ts";
import { menuKind } from "./menu-kind.ts";

/** Drinks. */
export const beverages: Kind = menuKind({
  name: "beverages",
  label: "beverage",
  schemaName: "Beverage",
  description: "What there is to drink.",
  guard: isBeverage,
  examples: {
    create: { id: "gassosa", name: "Gassosa", isCarbonated: true, sizeOptions: ["0.2 l", "1 l"] },
    patch: { sizeOptions: ["0.33 l"] },
    fault: { sizeOptions: ["0.2 l", "0.2 l"] },
  },
});
