/**
 * The guards and the description cannot disagree: every value on either side of a bound goes to a
 * JSON Schema evaluator and to the server, and both must say the same.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Forno, type Response, startForno } from "../helpers/forno.ts";
import { isLong } from "../helpers/long.ts";
import {
  assertDescribed,
  fetchDescription,
  type Operation,
  operationAt,
  parametersOf,
} from "./description.ts";
import { faultsOf, resolve, type Schema } from "./json-schema.ts";
import { type Body, itemPath, orderSample, type Sample, samples } from "./kinds.ts";
import { sidesOf } from "./sides.ts";

const atOnce = 40;

/** In slices, so that writes share an fsync and the machine is not flooded. */
async function inSlices<T>(all: readonly T[], act: (one: T) => Promise<void>): Promise<void> {
  for (let index = 0; index < all.length; index += atOnce) {
    await Promise.all(all.slice(index, index + atOnce).map(act));
  }
}

/**
 * A good body with one member after the other replaced by each value on a side of its bounds, apart
 * from what the server takes beyond the description: null for a member that may be left out, and
 * anything in a time of its own or beside the id of a reference.
 */
function variantsOf(good: Body, schema: Schema, root: Schema): readonly unknown[] {
  const { properties, required = [] } = resolve(schema, root);
  const replaced = Object.entries<Schema>(properties).flatMap(([name, field]) => [
    { ...good, [name]: undefined },
    ...(["placedAt", "updatedAt", "statusSince"].includes(name) ? [] : sidesOf(field, root))
      .filter((value) => value !== null || required.includes(name))
      .map((value) => ({ ...good, [name]: value })),
  ]);
  const texts = [good, {}, [], null, 1, "x", ...replaced, { ...good, colour: 1 }].map((body) =>
    JSON.stringify(body),
  );
  return [...new Set(texts)].map((text) => JSON.parse(text));
}

const bodyTypes = ["application/json", "application/merge-patch+json"];

function bodySchema({ row }: Operation): Schema {
  const { content } = row["requestBody"];
  const [type = ""] = bodyTypes.filter((one) => content[one] !== undefined);
  return content[type].schema;
}

/** Puts on the menu whatever an order is going to refer to. */
class Menu {
  readonly #forno: Forno;
  readonly #there = new Map<string, Promise<Response>>();

  constructor(forno: Forno) {
    this.#forno = forno;
  }

  async serve(body: unknown, root: Schema): Promise<void> {
    const order = body as Record<string, any> | null;
    const items = [
      ["pizzasizes", order?.["pizzaSize"]] as const,
      ...list(order?.["toppings"]).map((one) => ["toppings", one] as const),
      ...list(order?.["beverages"]).map((one) => ["beverages", one] as const),
    ];
    for (const [kind, reference] of items) {
      const id: unknown = reference?.id;
      if (faultsOf(id, { $ref: "#/components/schemas/Id" }, root).length > 0) continue;
      await this.#add(kind, String(id));
    }
  }

  async #add(kind: string, id: string): Promise<void> {
    const sample = samples.find(({ path }) => path === `/api/${kind}`);
    const key = `${kind}/${id}`;
    const adding =
      this.#there.get(key) ??
      this.#forno.call("POST", `/api/${kind}`, {
        token: this.#forno.staff,
        body: { ...sample?.body, id },
      });
    this.#there.set(key, adding);
    const { status } = await adding;
    assert.ok(status === 201 || status === 409, key);
  }
}

function list(value: unknown): readonly any[] {
  return Array.isArray(value) ? value : [];
}

for (const sample of samples) {
  test(`POST ${sample.path} takes exactly the bodies that the description allows`, async (t) => {
    const forno = await startForno(t);
    const document = await fetchDescription(forno);
    const operation = operationAt(document, "POST", sample.path);
    const schema = bodySchema(operation);
    const menu = new Menu(forno);
    const { id: _chosen, ...good } = sample.body;
    const verdicts = { allowed: 0, forbidden: 0 };
    await inSlices(variantsOf(good, schema, document), async (body) => {
      await menu.serve(body, document);
      const isAllowed = faultsOf(body, schema, document).length === 0;
      const response = await forno.call("POST", sample.path, asJson(forno, body));
      assert.equal(response.status, isAllowed ? 201 : 400, JSON.stringify(body));
      assertDescribed(response, operation, document);
      verdicts[isAllowed ? "allowed" : "forbidden"] += 1;
    });
    assert.ok(verdicts.allowed > 50 && verdicts.forbidden > 50, JSON.stringify(verdicts));
  });

  // PUT takes the bodies of POST.
  for (const method of isLong ? ["PUT", "PATCH"] : ["PATCH"]) {
    const path = `${sample.path}/{id}`;
    test(`${method} ${path} takes exactly the bodies that the description allows`, async (t) => {
      const forno = await startForno(t);
      const document = await fetchDescription(forno);
      const operation = operationAt(document, method, path);
      const schema = bodySchema(operation);
      const menu = new Menu(forno);
      const good = method === "PUT" ? sample.body : {};
      // A variant may close an order, so each is tried on an order of its own.
      const shared = sample === orderSample ? undefined : await fresh(forno, sample);
      // A merge patch may leave out the id of a reference too; the description asks for it.
      const variants = variantsOf(good, schema, document).filter(
        (body) => method === "PUT" || !/"pizzaSize":\{(?!"id")/.test(JSON.stringify(body)),
      );
      await inSlices(variants, async (body) => {
        await menu.serve(body, document);
        const item = shared ?? await fresh(forno, sample);
        const fits = faultsOf(body, schema, document).length === 0;
        // The one rule that a schema has no words for: the id is that of the path, if any.
        const { id } = (body ?? {}) as { id?: unknown };
        const sent = method === "PUT" && id === sample.body["id"] ? item["id"] : id;
        const isAllowed = fits && (sent === undefined || sent === null || sent === item["id"]);
        const renamed = sent === id ? body : { ...(body as Body), id: sent };
        const to = `${sample.path}/${encodeURIComponent(String(item["id"]))}`;
        const response = await forno.call(method, to, asJson(forno, renamed));
        assert.equal(
          response.status,
          isAllowed ? 200 : 400,
          `${JSON.stringify(body)} ${response.text}`,
        );
        assertDescribed(response, operation, document);
      });
    });
  }
}

function asJson(forno: Forno, body: unknown) {
  const headers = { "content-type": "application/json" };
  return { token: forno.staff, headers, body: JSON.stringify(body) };
}

/** The sample, created once more under an id of its own. */
async function fresh(forno: Forno, { path, body }: Sample): Promise<Body> {
  const { id: _chosen, ...content } = body;
  const { json } = await forno.asStaff("POST", path, content);
  return json as Body;
}

/** Texts that a query may hold where a value of some type is expected. */
const queryTexts = [
  ...["", "0", "1", "-1", "1.5", "1e3", "999", "1000", "1001", "abc", "NaN", "Infinity", "0x10"],
  ...["true", "false", "TRUE", "yes", "null", "oldest", "newest", "Newest", "names", "name"],
  ...[
    "Pending", "pending", "Out for Delivery", "Done", "s", "s0", "s1z", "sA", "s00000000000", "x1",
  ],
  ...["2026-01-31T18:00:00Z", "2026-01-31t18:00:00.5+01:00", "2026-02-30T18:00:00Z", "2026-01-31"],
  ...["2026-01-31T24:00:00Z", "2026-01-31T18:00:00", "2026-13-01T18:00:00Z", "1769882400"],
];

for (const sample of samples) {
  for (const path of [sample.path, `${sample.path}/{id}`]) {
    test(`GET ${path} takes exactly the queries that the description allows`, async (t) => {
      const forno = await startForno(t);
      const document = await fetchDescription(forno);
      const operation = operationAt(document, "GET", path);
      await forno.asStaff("POST", sample.path, sample.body);
      const target = path === sample.path ? path : itemPath(sample);
      const inQuery = parametersOf(operation, document).filter((one) => one["in"] === "query");
      const asked = inQuery.flatMap((one) => queryTexts.map((text) => [one, text] as const));
      await inSlices(asked, async ([{ name, schema }, text]) => {
        const value =
          schema.type === "array" ? [queryValue(schema.items, text)] : queryValue(schema, text);
        const isAllowed = faultsOf(value, schema, document).length === 0;
        const response = await forno.call("GET", `${target}?${name}=${encodeURIComponent(text)}`);
        assert.equal(response.status, isAllowed ? 200 : 400, `${name}=${text}`);
        assertDescribed(response, operation, document);
      });
      const unknown = await forno.call("GET", `${target}?colour=red`);
      assert.equal(unknown.status, 400);
      assertDescribed(unknown, operation, document);
    });
  }
}

/** The text as a value of the schema's type, where it spells one. */
function queryValue({ type }: Schema, text: string): unknown {
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : text;
  if (type === "integer") return /^-?\d+$/.test(text) ? Number(text) : text;
  const isNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text);
  return type === "number" && isNumber ? Number(text) : text;
}
