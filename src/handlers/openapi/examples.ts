/**
 * The examples of resources in the description: what may be sent to a server with the starter menu,
 * and what it answers, times aside.
 */

import type { Kind } from "../kind.ts";

export type Body = Readonly<Record<string, unknown>>;

export interface KindExamples {
  /** A new resource, whole. */
  readonly create: Body;
  /** The same one, changed. */
  readonly update: Body;
  /** What has changed. */
  readonly patch: Body;
  /** What the guard refuses. */
  readonly invalid: Body;
}

const rows: Readonly<Record<string, KindExamples>> = {
  toppings: examples(
    { id: "tartufo", name: "Truffle", isVegetarian: true, isVegan: true },
    { name: "White truffle" },
    { name: "", isVegan: "yes" },
  ),
  pizzasizes: examples(
    { id: "mini", name: "Mini", diameterInInches: 6.5 },
    { diameterInInches: 7 },
    { diameterInInches: 0 },
  ),
  beverages: examples(
    { id: "gassosa", name: "Gassosa", isCarbonated: true, sizeOptions: ["0.2 l", "1 l"] },
    { sizeOptions: ["0.33 l"] },
    { sizeOptions: ["0.2 l", "0.2 l"] },
  ),
  orders: examples(
    {
      id: "tavolo-4",
      pizzaSize: { id: "grande" },
      toppings: [{ id: "funghi" }, { id: "mozzarella" }, { id: "mozzarella" }],
      beverages: [{ id: "chinotto" }],
      status: "Preparing",
    },
    { status: "Ready" },
    { pizzaSize: "grande", status: "Done" },
  ),
};

function examples(create: Body, patch: Body, fault: Body): KindExamples {
  return { create, update: { ...create, ...patch }, patch, invalid: { ...create, ...fault } };
}

export function examplesOf(kind: Kind): KindExamples {
  const found = rows[kind.name];
  if (found === undefined) throw new Error(`the description has no examples of ${kind.name}`);
  return found;
}

const placedAt = "2026-01-31T18:00:00.000Z";
export const updatedAt = "2026-01-31T18:12:30.000Z";

/** Orders: they carry times, and the names of what they hold. */
export function hasTimes(kind: Kind): boolean {
  return kind.sortKey !== undefined;
}

/** The resource as it is answered after its create, or after its update. */
export function answered(kind: Kind, body: Body): Body {
  if (!hasTimes(kind)) return body;
  const isUpdate = body === examplesOf(kind).update;
  return { ...body, placedAt, updatedAt: isUpdate ? updatedAt : placedAt };
}

/** The order with the starter menu's names. */
export function answeredWithNames(kind: Kind): Body {
  return {
    ...answered(kind, examplesOf(kind).create),
    pizzaSize: { id: "grande", name: "Large" },
    toppings: [
      { id: "funghi", name: "Mushrooms" },
      { id: "mozzarella", name: "Mozzarella" },
      { id: "mozzarella", name: "Mozzarella" },
    ],
    beverages: [{ id: "chinotto", name: "Chinotto" }],
  };
}
