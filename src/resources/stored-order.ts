/**
 * How an order is stored, and read back: the resource as the API answers it, and beside it who
 * placed it and the names of what was ordered, as they were then, in the order of the references:
 *
 *     "placedBy":"anna","names":{"pizzaSize":"Large","toppings":["Basil"],"beverages":[]}
 */

import { subjectLength } from "../auth/claims.ts";
import { jsonString, literalAt } from "../log/json-text.ts";
import type { Order, OrderContent, Reference } from "./model.ts";
import type { Draft } from "../store/store.ts";
import { type Entry, parsedBody } from "../store/table.ts";
import { type Field, listField, nameField } from "./field.ts";
import type { KeptSchema } from "./kind.ts";
import type { MenuKind } from "./menu.ts";
import { objectField } from "./shape.ts";

/** What is kept beside an order. */
export interface Kept {
  /** The subject of the token that it was placed with. */
  readonly placedBy?: string;
  readonly names: Names;
}

/** The names of what was ordered, as the menu had them then, in the order of the references. */
export interface Names {
  readonly pizzaSize: string;
  readonly toppings: readonly string[];
  readonly beverages: readonly string[];
}

const listOfNames = listField(nameField, "an array of texts");

/** As a document holds them. */
export const namesField: Field<Names> = objectField<Names>({
  pizzaSize: nameField,
  toppings: listOfNames,
  beverages: listOfNames,
});

/** `Kept`, for the description. */
export const keptSchema: KeptSchema = {
  required: ["names"],
  properties: {
    names: namesField.schema,
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
  id: string,
  { pizzaSize, toppings, beverages, status }: OrderContent,
  { placedAt, updatedAt }: Times,
  kept: string,
): Draft {
  const body =
    `{"id":"${id}","pizzaSize":{"id":"${pizzaSize.id}"},"toppings":[${idsOf(toppings)}],` +
    `"beverages":[${idsOf(beverages)}],"status":"${status}","placedAt":"${placedAt}",` +
    `"updatedAt":"${updatedAt}"}`;
  return { body, kept };
}

function idsOf(references: readonly Reference[]): string {
  let text = "";
  for (const { id } of references) text += text === "" ? `{"id":"${id}"}` : `,{"id":"${id}"}`;
  return text;
}

/** The members beside an order, as text. `names`: as JSON. */
export function keptText(placer: string | undefined, names: string): string {
  const by = placer === undefined ? "" : `"placedBy":${jsonString(placer)},`;
  return `${by}"names":${names}`;
}

/**
 * The names of all that is referred to, as JSON: `nameFor` gives each of them, as JSON too.
 * Undefined where one has none.
 */
export function namesText(
  { pizzaSize, toppings, beverages }: OrderContent,
  nameFor: (kind: MenuKind, id: string) => string | undefined,
): string | undefined {
  const size = nameFor("pizzasizes", pizzaSize.id);
  const listOf = (kind: MenuKind, references: readonly Reference[]): string | undefined => {
    let text = "";
    for (const { id } of references) {
      const name = nameFor(kind, id);
      if (name === undefined) return undefined;
      text += text === "" ? name : `,${name}`;
    }
    return text;
  };
  const ofToppings = listOf("toppings", toppings);
  const ofBeverages = listOf("beverages", beverages);
  if (size === undefined || ofToppings === undefined || ofBeverages === undefined) return undefined;
  return `{"pizzaSize":${size},"toppings":[${ofToppings}],"beverages":[${ofBeverages}]}`;
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
  // A string, as `keptText` has made it.
  return JSON.parse(literalAt(entry.text, start + marker.length)) as string;
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
