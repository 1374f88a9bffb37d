/** The pizzeria that is measured: its menu, any number of orders, and requests to it. */

import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { folder, token } from "./programs.ts";

const openOrders = 40;

function ids(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${name}-${index}`);
}

/** As short as those Forno assigns. */
export function orderId(index: number): string {
  return index.toString(32).toUpperCase().padStart(6, "0");
}

function content(index: number): object {
  const reference = (kind: string, offset: number, count: number): { id: string } => ({
    id: `${kind}-${(index + offset) % count}`,
  });
  return {
    pizzaSize: reference("size", 0, 4),
    toppings: [0, 3, 7, 11].map((offset) => reference("topping", offset, 20)),
    beverages: [0, 17].map((offset) => reference("beverage", offset, 50)),
  };
}

/** Delivered, but for a few that are spread over the whole store. */
function order(index: number, count: number): object {
  const placedAt = new Date(timeOf(index)).toISOString();
  const isOpen = index % Math.max(1, Math.floor(count / openOrders)) === 0;
  const status = isOpen ? "Preparing" : "Delivered";
  return { id: orderId(index), ...content(index), status, placedAt, updatedAt: placedAt };
}

export function timeOf(index: number): number {
  return Date.UTC(2025, 0, 1) + index * 1_000;
}

/** A document with so many orders, which every version loads as its menu. */
export async function writeDocument(name: string, count: number): Promise<string> {
  const file = join(folder, `${name}.json`);
  const toppings = ids("topping", 20).map((id) => ({
    id, name: `Topping ${id}`, isVegetarian: true, isVegan: false,
  }));
  const pizzasizes = ids("size", 4).map((id, index) => ({
    id, name: `Size ${id}`, diameterInInches: 9 + 3 * index,
  }));
  const beverages = ids("beverage", 50).map((id) => ({
    id, name: `Beverage ${id}`, isCarbonated: true, sizeOptions: ["0.33 l", "0.5 l", "1 l"],
  }));
  const out = createWriteStream(file);
  out.write("{\n");
  for (const [kind, items] of Object.entries({ toppings, pizzasizes, beverages })) {
    out.write(`"${kind}":[\n${items.map((item) => JSON.stringify(item)).join(",\n")}\n],\n`);
  }
  out.write('"orders":[');
  for (let index = 0; index < count; index++) {
    const line = JSON.stringify(order(index, count));
    if (!out.write(`${index === 0 ? "" : ","}\n${line}`)) await once(out, "drain");
  }
  out.end("\n]\n}\n");
  await once(out, "finish");
  return file;
}

/** A request as it goes on the wire, and the only status that is right. */
export interface Call {
  readonly text: string;
  readonly status: number;
}

function head(line: string, fields: readonly string[]): string {
  return [`${line} HTTP/1.1`, "Host: localhost", ...fields, "", ""].join("\r\n");
}

export function get(path: string, ...fields: readonly string[]): Call {
  return { text: head(`GET ${path}`, fields), status: 200 };
}

export function getUnlessChanged(path: string, tag: string): Call {
  return { ...get(path, `If-None-Match: ${tag}`), status: 304 };
}

export const authorization: string = `Authorization: Bearer ${token}`;

function write(line: string, body: object, status: number): Call {
  const text = JSON.stringify(body);
  const fields = [
    authorization, "Content-Type: application/json", `Content-Length: ${text.length}`,
  ];
  return { text: head(line, fields) + text, status };
}

export function create(index: number): Call {
  return write("POST /api/orders", { ...content(index), status: "Preparing" }, 201);
}

export function setStatus(index: number, status: string): Call {
  return write(`PATCH /api/orders/${orderId(index)}`, { status }, 200);
}
