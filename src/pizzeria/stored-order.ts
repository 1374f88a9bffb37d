/**
 * How an order is stored, and read back: the resource as the API answers it, and beside it who
 * placed it and the names of what was ordered, as they were then, in the order of the references:
 *
 *     "placedBy":"anna","names":{"pizzaSize":"Large","toppings":["Basil"],"beverages":[]}
 */

import { subjectLength } from "../auth/claims.ts";
import { jsonString } from "../log/json-text.ts";
import type { Order, OrderContent, Reference } from "./model.ts";
import type { Draft } from "../store/store.ts";
import { type Entry, parsedBody } from "../store/table.ts";
import { nameField } from "./fields.ts";
import type { KeptSchema } from "./kind.ts";

/** The names of what was ordered, as the menu had them then, in the order of the references. */
export interface Names {
  readonly pizzaSize: string;
  readonly toppings: readonly string[];
  readonly beverages: readonly string[];
}

/** What is kept beside an order. */
export interface Kept {
  /** The subject of the token that it was placed with. */
  readonly placedBy?: string | undefined;
  readonly names: Names;
}

/** The same, for the description. */
export const keptSchema: KeptSchema = {
  required: ["names"],
  properties: {
    names: {
      type: "object",
      required: ["pizzaSize", "toppings", "beverages"],
      properties: {
        pizzaSize: nameField.schema,
        toppings: { type: "array", items: nameField.schema },
        beverages: { type: "array", items: nameField.schema },
      },
      additionalProperties: false,
    },
    placedBy: {
      type: "string",
      minLength: 1,
      maxLength: subjectLength,
      description: "The `sub` of the token that it was placed with, if that had one.",
    },
  },
};

/** RFC 3339, UTC, milliseconds. */
export interface Times {
  readonly placedAt: string;
  readonly updatedAt: string;
}

/**
 * Exactly the members of an order, whatever else the references held. Put together as text, which
 * takes a third of the time: ids, statuses and times hold nothing that JSON would escape.
 */
export function orderDraft(
  { id, pizzaSize, toppings, beverages, status }: OrderContent,
  { placedAt, updatedAt }: Times,
  kept: string,
): Draft {
  const body =
    `{"id":"${id}","pizzaSize":${jsonOf(pizzaSize)},` +
    `"toppings":[${toppings.map(jsonOf).join()}],"beverages":[${beverages.map(jsonOf).join()}],` +
    `"status":"${status}","placedAt":"${placedAt}","updatedAt":"${updatedAt}"}`;
  return { body, kept };
}

/** The members beside an order, as text. */
export function keptText({ placedBy: placer, names }: Kept): string {
  const by = placer === undefined ? "" : `"placedBy":${jsonString(placer)},`;
  const size = jsonString(names.pizzaSize);
  const toppings = names.toppings.map(jsonString).join();
  const beverages = names.beverages.map(jsonString).join();
  return `${by}"names":{"pizzaSize":${size},"toppings":[${toppings}],"beverages":[${beverages}]}`;
}

function jsonOf({ id }: Reference): string {
  return `{"id":"${id}"}`;
}

/** Stored by this server, as `orderDraft` has made it. */
export function orderOf(entry: Entry): Order {
  return parsedBody(entry) as Order;
}

/** Stored by this server, as `orderDraft` has made it. */
export function keptOf(entry: Entry): Kept {
  return JSON.parse(`{${entry.kept}}`) as Kept;
}

/** The subject that placed an order, without reading all of it: an index asks for each. */
export function placedBy(entry: Entry): string | undefined {
  const marker = '"placedBy":';
  const start = entry.text.lastIndexOf(marker);
  if (start === -1) return undefined;
  const literal = /^"(?:[^"\\]|\\.)*"/.exec(entry.text.slice(start + marker.length))?.[0];
  const value: unknown = literal === undefined ? undefined : JSON.parse(literal);
  return typeof value === "string" ? value : undefined;
}

/**
 * The order with the name that each reference had when it was ordered, as JSON. The references
 * stand in the text in the order of the names, and hold nothing but an id: parsing the order and
 * making it into text again would take three times as long.
 */
export function withNames(entry: Entry): string {
  const { pizzaSize, toppings, beverages } = keptOf(entry).names;
  const names = [pizzaSize, ...toppings, ...beverages].values();
  return entry.body.replaceAll(/(\{"id":"[^"]*")\}/g, (_, start: string) => {
    return `${start},"name":${jsonString(names.next().value ?? "")}}`;
  });
}

/** The text after a marker up to the next quote, for values that hold no escapes. */
export function textMember(text: string, marker: string): string | undefined {
  const start = text.indexOf(marker);
  if (start === -1) return undefined;
  return text.slice(start + marker.length, text.indexOf('"', start + marker.length));
}
