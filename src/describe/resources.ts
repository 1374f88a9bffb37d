/** The six operations of a kind of resource: rows by method and path, as in the route table. */

import type { Kind } from "../pizzeria/kind.ts";
import type { OperationRows } from "./operation.ts";
import type { ResourceContext } from "./resource-parts.ts";
import { getRow, listRow } from "./reads.ts";
import { createRow, patchRow, removeRow, replaceRow } from "./writes.ts";

export function resourceOperations(kind: Kind, context: ResourceContext): OperationRows {
  const path = `/api/${kind.name}`;
  return {
    [`GET ${path}`]: () => listRow(kind, context),
    [`POST ${path}`]: () => createRow(kind, context),
    [`GET ${path}/:id`]: () => getRow(kind, context),
    [`PUT ${path}/:id`]: () => replaceRow(kind, context),
    [`PATCH ${path}/:id`]: () => patchRow(kind, context),
    [`DELETE ${path}/:id`]: () => removeRow(kind, context),
  };
}
