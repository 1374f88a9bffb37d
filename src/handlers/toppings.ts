import { isTopping } from "../validation/topping.ts";
import type { Kind } from "./kind.ts";
import { menuKind } from "./menu-kind.ts";

/** What goes on a pizza. */
export const toppings: Kind = menuKind({
  name: "toppings",
  label: "topping",
  schemaName: "Topping",
  description: "What goes on a pizza.",
  guard: isTopping,
  examples: {
    create: { id: "tartufo", name: "Truffle", isVegetarian: true, isVegan: true },
    patch: { name: "White truffle" },
    fault: { name: "", isVegan: "yes" },
  },
});
