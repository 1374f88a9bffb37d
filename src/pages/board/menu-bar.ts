/** The buttons in the bar of a row of the menu. */

import { itemOf } from "../shared/menu.ts";
import { t } from "../shared/words.ts";
import { barAction, type BarContents } from "./bar.ts";
import { changeItem } from "./item-form.ts";
import { changePizza } from "./pizza-form.ts";
import { indexOfPizza, removeItem, removePizza, tell } from "./shop-writes.ts";
import type { Bar, State } from "./state.ts";

type BarOf<Type> = Extract<Bar, { readonly type: Type }>;

export function itemBar({ menu }: State, { kind, id }: BarOf<"item">): BarContents | undefined {
  const item = itemOf(menu, kind, id);
  if (item === undefined) return undefined;
  const { name } = item;
  return {
    name, below: undefined,
    actions: [barAction(t("Change"), name, () => { tell(changeItem(kind, id), name); })],
    apart: barAction(t("Remove"), name, () => { tell(removeItem(kind, id), name); }),
  };
}

export function pizzaBar({ menu }: State, { pizza }: BarOf<"pizza">): BarContents | undefined {
  if (indexOfPizza(menu.shop, pizza) < 0) return undefined;
  const { name } = pizza;
  return {
    name, below: undefined,
    actions: [barAction(t("Change"), name, () => { changePizza(pizza); })],
    apart: barAction(t("Remove"), name, () => { tell(removePizza(pizza), name); }),
  };
}
