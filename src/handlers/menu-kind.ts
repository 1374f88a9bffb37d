/** The kinds of the menu: what was sent is what is stored, in the order of the shape. */

import { Faults, inWords } from "../validation/faults.ts";
import { isObject, isPossibleId, ownMember, type Shape } from "../validation/fields.ts";
import type { Guard } from "../validation/shape.ts";
import type { Examples, Kind, Sender } from "./kind.ts";

export interface MenuKind<T> {
  readonly name: string;
  readonly label: string;
  readonly schemaName: string;
  readonly shape: Shape<T>;
  readonly examples: Examples;
  readonly isValid: Guard<T>;
}

export function menuKind<T extends { readonly id: string }>(menu: MenuKind<T>): Kind {
  const { isValid, ...names } = menu;
  const fields = Object.keys(menu.shape);
  return {
    ...names,
    parse(body, sender) {
      const content = parseWith(isValid, body, sender, ["id"]);
      const json = (id: string): string => JSON.stringify({ ...content, id }, fields);
      return {
        id: content.id ?? undefined,
        isSameAs: (stored) => stored.body === json(stored.id),
        decide(id, stored) {
          const next = json(id);
          return stored?.body === next ? "keep" : { body: next, kept: "" };
        },
      };
    },
  };
}

/** Throws Problem 400 "invalid-body" with every fault; `optional` fields may be missing or null. */
export function parseWith<T>(
  isValid: Guard<T>,
  body: unknown,
  sender: Sender,
  optional: readonly string[],
): T {
  const faults = new Faults();
  checkPathId(body, sender, faults);
  if (!isValid(body, faults, optional) || !faults.isEmpty) throw faults.toProblem();
  return body;
}

/** An id in the body of an update must be the one in the path. */
function checkPathId(body: unknown, { pathId }: Sender, faults: Faults): void {
  const id = isObject(body) ? ownMember(body, "id") : undefined;
  if (pathId === undefined || typeof id !== "string" || !isPossibleId(id) || id === pathId) return;
  faults.add(["id"], `expected "${pathId}", the id in the path, or none; got ${inWords(id)}`);
}
