/** References: how an order names the items of the menu. */

import { didYouMean, isObject } from "../problems/faults.ts";
import { addUnknown, arrayOf, type Guard, isId, isName, objectOf } from "./check.ts";
import { maxItems } from "./limits.ts";
import type { MenuKind } from "./menu.ts";

/** A menu item in an order, with the name it had when it was ordered. */
export interface Reference {
  readonly id: string;
  readonly name: string;
}

/** As a client sends it. Only the `id` counts. */
export type Identified = Pick<Reference, "id">;

/** For the toppings, and the beverages, of a body. */
export function referencesTo(kind: MenuKind): Guard<readonly Identified[]> {
  const items = `objects, each with the id of a ${kind.label}`;
  return arrayOf(isReferenceTo(kind, "; to have it twice, list it twice"), items, maxItems);
}

/** An object with the id of an item. A client may send the item's other fields too. */
export function isReferenceTo({ label, fields }: MenuKind, quantityHint = ""): Guard<Identified> {
  const expected = `an object with the id of a ${label}`;
  return (value, at, faults): value is Identified => {
    if (!isObject(value)) return faults.addUnexpected(at, expected, value);
    const before = faults.count;
    isId(value["id"], [...at, "id"], faults);
    for (const name in value) {
      if (fields.includes(name)) continue;
      addUnknown(faults, [...at, name], () => {
        const isQuantity = typeof value[name] === "number" && /quant|qty|count|times/i.test(name);
        return (isQuantity && quantityHint) || didYouMean(name, fields);
      });
    }
    return faults.count === before;
  };
}

/** For a line of the store. */
export const isReference: Guard<Reference> = objectOf<Reference>({ id: isId, name: isName });

/** True if they refer to the same items, in the same order. */
export function hasSameIds(one: readonly Identified[], other: readonly Identified[]): boolean {
  return one.length === other.length && one.every(({ id }, index) => id === other[index]?.id);
}
