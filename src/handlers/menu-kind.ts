/** The kinds of the menu: what was sent is what is stored, in the order of the shape. */

import { type Guard, parseBody } from "../validation/shape.ts";
import type { Kind } from "./kind.ts";

/** What a kind of the menu says of itself; the rest is the same for all. */
export interface MenuKind<T>
  extends Pick<Kind, "name" | "label" | "schemaName" | "description" | "examples"> {
  readonly guard: Guard<T>;
}

/** Makes a kind of the menu. A resource is stored as its fields, in the order of the shape. */
export function menuKind<T extends { readonly id: string }>(menu: MenuKind<T>): Kind {
  const { guard, ...names } = menu;
  const fields = Object.keys(guard.shape);
  return {
    ...names,
    shape: guard.shape,
    parse(body, { pathId }) {
      const content = parseBody(guard, body, pathId, ["id"]);
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
