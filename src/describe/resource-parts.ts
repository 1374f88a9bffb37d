/** What several operations of a kind have in common. */

import type { OrderReads } from "../auth/access.ts";
import type { Kind } from "../pizzeria/kind.ts";
import type { Components } from "./components.ts";
import { examplesOf } from "./examples.ts";
import { notFound, preconditionFailed } from "./problem-examples.ts";
import type { OperationRow } from "./operation.ts";
import { describeParameters, idParameter } from "./parameters.ts";
import type { Refusal } from "./problems.ts";

export interface ResourceContext {
  readonly components: Components;
  readonly orderReads: OrderReads;
  readonly bodyLimit: number;
}

export const json = "application/json";

/** The id in the path, and others by the keys of their rows. */
export function itemParameters(
  kind: Kind,
  { components }: ResourceContext,
  keys: readonly string[],
): Pick<OperationRow, "pathParameters" | "parameters"> {
  return {
    pathParameters: [idParameter(kind, components, examplesOf(kind).create["id"])],
    parameters: describeParameters(components, keys),
  };
}

export function notFoundRefusal(kind: Kind): Refusal {
  return { scope: kind.schemaName, problem: notFound(kind) };
}

export function preconditionRefusal(kind: Kind): Refusal {
  return { scope: kind.schemaName, problem: preconditionFailed(kind) };
}
