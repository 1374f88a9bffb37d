/** GET of a list and of one resource, described. */

import type { Kind } from "../pizzeria/kind.ts";
import { mapValues } from "./components.ts";
import { answered, answeredWithNames } from "./examples.ts";
import { invalidItemQuery, invalidListQuery } from "./problem-examples.ts";
import { type OperationRow, readAnswers } from "./operation.ts";
import { describeParameters, listParameters } from "./parameters.ts";
import {
  itemParameters,
  json,
  notFoundRefusal,
  type ResourceContext,
} from "./resource-parts.ts";
import { referSchema } from "./schemas.ts";

export function listRow(kind: Kind, context: ResourceContext): OperationRow {
  const { name, label, schemaName } = kind;
  const { components } = context;
  const schema = { type: "array", items: readSchema(kind, context) };
  const examples = mapValues(readExamples(kind), ({ value }) => ({ value: [value] }));
  return {
    id: `list${schemaName}s`,
    tag: name,
    summary: `List the ${label}s`,
    description:
      `All of them, oldest first, or those that match the query. ${whoReads(kind, context)}` +
      "Parameters whose name begins with `_` are ignored, others that are not listed are refused.",
    parameters: [
      ...listParameters(kind, components),
      ...describeParameters(components, ["IfNoneMatch"]),
    ],
    answers: readAnswers(`The ${label}s that match.`, {
      headers: ["Cache-Control", "X-Total-Count", "Link", "ETag"],
      content: { [json]: { schema, examples } },
    }),
    refusals: [{ scope: `${schemaName}List`, problem: invalidListQuery(kind) }],
  };
}

export function getRow(kind: Kind, context: ResourceContext): OperationRow {
  const { name, label, schemaName } = kind;
  const embed = kind.placed ? ["Embed"] : [];
  return {
    id: `get${schemaName}`,
    tag: name,
    summary: `Get one ${label}`,
    description: `The ${label} with this id. ${whoReads(kind, context)}`.trim(),
    ...itemParameters(kind, context, [...embed, "IfNoneMatch"]),
    answers: readAnswers(`The ${label}.`, {
      headers: ["Cache-Control", "ETag"],
      content: { [json]: { schema: readSchema(kind, context), examples: readExamples(kind) } },
    }),
    refusals: [
      { scope: `${schemaName}Item`, problem: invalidItemQuery(kind) },
      notFoundRefusal(kind),
    ],
  };
}

function whoReads(kind: Kind, { orderReads }: ResourceContext): string {
  if (kind.placed === undefined || orderReads === "public") return "";
  return orderReads === "authenticated"
    ? "Any valid token reads them. "
    : "Staff read them all, a customer those placed under the same `sub`. ";
}

function readSchema(kind: Kind, { components }: ResourceContext): object {
  const answer = referSchema(kind, "answer", components);
  return kind.placed ? { anyOf: [referSchema(kind, "named", components), answer] } : answer;
}

function readExamples(kind: Kind): Readonly<Record<string, { readonly value: object }>> {
  const plain = { value: answered(kind, "create") };
  return kind.placed ? { plain, names: { value: answeredWithNames(kind) } } : { plain };
}
