/**
 * The examples of resources in the description: what may be sent to a server with the starter menu,
 * and what it answers, times aside.
 */

import type { Body, Kind } from "../pizzeria/kind.ts";

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

export function examplesOf({ examples }: Kind): KindExamples {
  const { create, patch, fault } = examples;
  return { create, update: { ...create, ...patch }, patch, invalid: { ...create, ...fault } };
}

const placedAt = "2026-01-31T18:00:00.000Z";
export const updatedAt = "2026-01-31T18:12:30.000Z";

/** The resource as it is answered after its create, or after its update. */
export function answered(kind: Kind, after: "create" | "update"): Body {
  const body = examplesOf(kind)[after];
  if (kind.placed === undefined) return body;
  return { ...body, placedAt, updatedAt: after === "update" ? updatedAt : placedAt };
}

/** The order with the starter menu's names. */
export function answeredWithNames(kind: Kind): Body {
  return {
    ...answered(kind, "create"),
    pizzaSize: { id: "grande", name: "Large" },
    toppings: [
      { id: "funghi", name: "Mushrooms" },
      { id: "mozzarella", name: "Mozzarella" },
      { id: "mozzarella", name: "Mozzarella" },
    ],
    beverages: [{ id: "chinotto", name: "Chinotto" }],
  };
}
