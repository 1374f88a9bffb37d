/**
 * The examples of resources in the description: what may be sent to a server with the starter menu,
 * and what it answers, times aside.
 */

import type { Body, Kind } from "../kind.ts";

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

const known = new WeakMap<Kind, KindExamples>();

/** The same objects for the same kind: `answered` tells a create from an update by them. */
export function examplesOf(kind: Kind): KindExamples {
  const found = known.get(kind);
  if (found !== undefined) return found;
  const { create, patch, fault } = kind.examples;
  const made = {
    create,
    update: { ...create, ...patch },
    patch,
    invalid: { ...create, ...fault },
  };
  known.set(kind, made);
  return made;
}

const placedAt = "2026-01-31T18:00:00.000Z";
export const updatedAt = "2026-01-31T18:12:30.000Z";

/** The resource as it is answered after its create, or after its update. */
export function answered(kind: Kind, body: Body): Body {
  if (kind.placed === undefined) return body;
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
