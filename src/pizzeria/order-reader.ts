/**
 * An order of a backup or a menu: what a client sends, and beside it, where they are known, its
 * times, who placed it and the names of what was ordered. Without names it gets those of the items
 * in the same document.
 */

import { isSubject, subjectRule } from "../auth/claims.ts";
import { defaultStatus, type OrderContent } from "./model.ts";
import type { Draft } from "../store/store.ts";
import type { Faults } from "../problems/faults.ts";
import { check, isObject, nameField, ownMember, type Path } from "./fields.ts";
import { isOrder } from "./orders.ts";
import { keptText, type Names, orderDraft } from "./stored-order.ts";
import { namesOf, referencesOf } from "./order-names.ts";

export interface OrderSource {
  /** For orders without times: RFC 3339, UTC, milliseconds. */
  readonly now: string;
  /** The name of an item in the document. */
  nameOf(kind: string, id: string): string | undefined;
}

/** Undefined with faults. */
export function readOrder(
  value: unknown,
  source: OrderSource,
  faults: Faults,
): (Draft & { readonly id: string }) | undefined {
  const { placedBy, names: sentNames, ...content } = membersOf(value);
  const { placedAt = source.now, updatedAt = placedAt } = content;
  const sent: unknown = isObject(value) ? content : value;
  if (!isOrder(sent, faults, ["status"])) return undefined;
  const order = { ...sent, status: sent.status ?? defaultStatus };
  const names =
    sentNames === undefined
      ? menuNames(order, source, faults)
      : readNames(sentNames, order, faults);
  const areTimes =
    isTime(placedAt, ["placedAt"], faults) && isTime(updatedAt, ["updatedAt"], faults);
  if (!areTimes || !isPlacer(placedBy, faults) || names === undefined || !faults.isEmpty) {
    return undefined;
  }
  const kept = keptText({ placedBy, names });
  return { id: sent.id, ...orderDraft(order, { placedAt, updatedAt }, kept) };
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

function menuNames(order: OrderContent, source: OrderSource, faults: Faults): Names | undefined {
  const names = namesOf(order, (kind, id) => source.nameOf(kind, id));
  if (names !== undefined) return names;
  for (const { kind, id, path } of referencesOf(order)) {
    if (source.nameOf(kind, id) !== undefined) continue;
    faults.addUnexpected(path, `the id of one of the document's ${kind}`, id);
  }
  return undefined;
}

function readNames(value: unknown, order: OrderContent, faults: Faults): Names | undefined {
  const members = membersOf(value);
  if (Object.keys(members).length !== 3) {
    faults.addUnexpected(["names"], "pizzaSize, toppings and beverages", value);
    return undefined;
  }
  const pizzaSize = ownMember(members, "pizzaSize");
  const toppings = ownMember(members, "toppings");
  const beverages = ownMember(members, "beverages");
  const areGood =
    check(nameField, pizzaSize, ["names", "pizzaSize"], faults) &&
    areNames(toppings, order.toppings.length, ["names", "toppings"], faults) &&
    areNames(beverages, order.beverages.length, ["names", "beverages"], faults);
  return areGood ? { pizzaSize, toppings, beverages } : undefined;
}

function areNames(
  value: unknown,
  count: number,
  path: Path,
  faults: Faults,
): value is readonly string[] {
  if (Array.isArray(value) && value.length === count) {
    return value.every((name, index) => check(nameField, name, [...path, index], faults));
  }
  faults.addUnexpected(path, `an array of ${count}, a name for each reference`, value);
  return false;
}

const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Spelled as Forno spells times, because they are compared as texts. */
function isTime(value: unknown, path: Path, faults: Faults): value is string {
  if (typeof value === "string" && timePattern.test(value)) {
    const milliseconds = Date.parse(value);
    // The 30th of February is parsed as the 1st or 2nd of March.
    if (!Number.isNaN(milliseconds) && new Date(milliseconds).toISOString() === value) return true;
  }
  faults.addUnexpected(path, 'a time such as "2026-01-31T18:00:00.000Z"', value);
  return false;
}

/** As a token's `sub`. */
function isPlacer(value: unknown, faults: Faults): value is string | undefined {
  if (value === undefined) return true;
  if (isSubject(value)) return true;
  faults.addUnexpected(["placedBy"], subjectRule, value);
  return false;
}
