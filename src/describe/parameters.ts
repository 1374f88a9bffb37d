/** The parameters of requests. What a query may hold is said by the fields' own schemas. */

import { idField, type Schema } from "../pizzeria/fields.ts";
import type { Kind } from "../pizzeria/kind.ts";
import { limitMost } from "../handlers/list-query.ts";
import { type Components, pascalCase, type Ref } from "./components.ts";

interface ParameterRow {
  readonly name: string;
  readonly in: "query" | "header" | "path";
  readonly description: string;
  readonly schema: Schema;
  readonly example?: unknown;
  readonly required?: boolean;
}

const text: Schema = { type: "string" };

const rows: Readonly<Record<string, ParameterRow>> = {
  RequestId: {
    name: "X-Request-Id",
    in: "header",
    description:
      "The client's own id for the request, given back with the answer and logged: 1 to 128 of " +
      "`A-Z a-z 0-9 _ . ~ : + / = @ -`. Any other is replaced.",
    schema: text,
    example: "till-2-000173",
  },
  IfNoneMatch: {
    name: "If-None-Match",
    in: "header",
    description: "Entity tags that the client has: 304 when one is the answer's (RFC 9110).",
    schema: text,
    example: '"mcl3_Jn1oJmGSYyUGbRFfw"',
  },
  IfMatch: {
    name: "If-Match",
    in: "header",
    description: "412 unless the stored resource has one of these entity tags (RFC 9110).",
    schema: text,
    example: "*",
  },
  UnlessMatch: {
    name: "If-None-Match",
    in: "header",
    description: "412 when the stored resource has one of these entity tags (RFC 9110).",
    schema: text,
    example: '"mcl3_Jn1oJmGSYyUGbRFfw"',
  },
  Limit: {
    name: "limit",
    in: "query",
    description: "The length of a page. Left out, the list is whole.",
    schema: { type: "integer", minimum: 1, maximum: limitMost },
    example: 50,
  },
  After: {
    name: "after",
    in: "query",
    description: "Where the page begins: the opaque cursor in the `Link` of the page before.",
    schema: { type: "string", pattern: "^s[0-9a-z]{1,10}$" },
    example: "s1c",
  },
  Sort: {
    name: "sort",
    in: "query",
    description: "The order of the list, by when its items were created.",
    schema: { type: "string", enum: ["oldest", "newest"], default: "oldest" },
    example: "newest",
  },
  Since: {
    name: "since",
    in: "query",
    description: "Only orders placed at this time or later.",
    schema: { type: "string", format: "date-time" },
    example: "2026-01-31T18:00:00Z",
  },
  Embed: {
    name: "embed",
    in: "query",
    description: "Adds to every reference the name that the item had when it was ordered.",
    schema: { type: "string", enum: ["names"] },
    example: "names",
  },
  LastEventId: {
    name: "Last-Event-ID",
    in: "header",
    description: "The id of the last event that the client has: the stream goes on after it.",
    schema: text,
    example: "128",
  },
  Origin: {
    name: "Origin",
    in: "header",
    description: "The origin of the page that asks (CORS).",
    schema: text,
    example: "https://pizza.example",
  },
  RequestedMethod: {
    name: "Access-Control-Request-Method",
    in: "header",
    description: "What the page wants to do: makes this a preflight (CORS).",
    schema: text,
    example: "PUT",
  },
  PageFile: {
    name: "name",
    in: "path",
    description: "The name of the file.",
    schema: text,
    example: "order.css",
    required: true,
  },
};

/** `keys`: of the rows above. */
export function describeParameters(
  components: Components,
  keys: readonly string[],
): readonly Ref[] {
  return keys.map((key) => {
    const row = rows[key];
    if (row === undefined) throw new Error(`the description has no row for the parameter ${key}`);
    return components.refer("parameters", key, () => row);
  });
}

export function idParameter({ label, schemaName }: Kind, components: Components, id: unknown): Ref {
  return components.refer("parameters", `${schemaName}Id`, () => ({
    name: "id",
    in: "path",
    required: true,
    description: `The id of the ${label}.`,
    schema: components.refer("schemas", "Id", () => idField.schema),
    example: id,
  }));
}

/** The parameters of the list of a kind. */
export function listParameters(kind: Kind, components: Components): readonly Ref[] {
  const paging = ["Limit", "After", "Sort", ...(kind.placed ? ["Since", "Embed"] : [])];
  return [...describeParameters(components, paging), ...filters(kind, components)];
}

function filters({ shape }: Kind, components: Components): readonly Ref[] {
  const scalars = Object.entries(shape).filter(([, { fromQuery }]) => fromQuery !== undefined);
  return scalars.map(([name, { schema }]) =>
    components.refer("parameters", `${pascalCase(name)}Filter`, () => ({
      name,
      in: "query",
      description: `Only those whose \`${name}\` is this, or one of these.`,
      schema: { type: "array", items: queryValue(schema) },
    })),
  );
}

/** A value of the right type that nothing can have is fine: it matches nothing. */
function queryValue(schema: Schema): Schema {
  const { type, enum: choices } = schema;
  return choices === undefined ? { type } : { type, enum: choices };
}
