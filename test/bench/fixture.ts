/** The pizzeria that is measured: a menu, orders in any number, and the bodies of new ones. */

import { createWriteStream } from "node:fs";
import { once } from "node:events";
import { join } from "node:path";
import { dist, type Servers } from "./servers.ts";

const firstPlacedAt = Date.UTC(2025, 0, 1);

const toppings = ids("topping", 20).map((id) => ({
  id, name: `Topping ${id}`, isVegetarian: true, isVegan: false,
}));
const pizzasizes = ids("size", 4).map((id, index) => ({
  id, name: `Size ${id}`, diameterInInches: 9 + 3 * index,
}));
const beverages = ids("beverage", 50).map((id) => ({
  id, name: `Beverage ${id}`, isCarbonated: true, sizeOptions: ["0.33 l", "0.5 l", "1 l"],
}));

function ids(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${name}-${index}`);
}

/** As short as the ones Forno assigns. */
export function orderId(index: number): string {
  return index.toString(32).toUpperCase().padStart(6, "0");
}

function content(index: number): object {
  const reference = (kind: string, offset: number, of: number): { id: string } => ({
    id: `${kind}-${(index + offset) % of}`,
  });
  return {
    pizzaSize: reference("size", 0, 4),
    toppings: [0, 3, 7, 11].map((offset) => reference("topping", offset, 20)),
    beverages: [0, 17].map((offset) => reference("beverage", offset, 50)),
  };
}

/** The body of a create, about 220 bytes; Forno gives it an id and the times. */
export function newOrderBody(index: number, status: string): string {
  return JSON.stringify({ ...content(index), status });
}

/** All orders closed but `open` of them, which lie spread over the whole store. */
function orderLine(index: number, count: number, open: number): string {
  const time = new Date(firstPlacedAt + index * 1000).toISOString();
  const stride = Math.floor(count / open);
  const status = index % stride === 0 && index / stride < open ? "Preparing" : "Delivered";
  return JSON.stringify({
    id: orderId(index), ...content(index), status, placedAt: time, updatedAt: time,
  });
}

/** Makes a data folder with `count` orders, of which `open` are being prepared. */
export async function seededFolder(
  servers: Servers, name: string, count: number, open: number,
): Promise<string> {
  const { workspace } = servers;
  const file = join(workspace.folder, `${name}.json`);
  await writeBackup(file, count, open);
  const dataDir = workspace.subfolder(name);
  const program = { script: join(dist, "restore.js"), args: [file], env: { DATA_DIR: dataDir } };
  await workspace.start(program).finished();
  return dataDir;
}

async function writeBackup(file: string, count: number, open: number): Promise<void> {
  const out = createWriteStream(file);
  const menu = JSON.stringify({ toppings, pizzasizes, beverages });
  out.write(`${menu.slice(0, -1)},"orders":[`);
  for (let index = 0; index < count; index++) {
    const more = out.write(`${index === 0 ? "" : ","}\n${orderLine(index, count, open)}`);
    // A million orders at once would wait in memory as a quarter of a gigabyte.
    if (!more) await once(out, "drain");
  }
  out.end("\n]}\n");
  await once(out, "finish");
}
