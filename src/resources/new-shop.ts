/**
 * The kinds in the store, and the content of a new one: a shop, and the menu in MENU_FILE.
 */

import { readFileSync } from "node:fs";
import { messageOf } from "../log/system-error.ts";
import { Faults, inWords, isObject } from "../problems/faults.ts";
import { SettingsError } from "../settings.ts";
import type { StoredKind } from "../store/rows.ts";
import { Tables } from "../store/tables.ts";
import { type Guard, newId, objectOf, optional } from "./check.ts";
import { locks } from "./device-lock.ts";
import { type MenuItem, type MenuKind, menuKinds } from "./menu.ts";
import { orders } from "./order.ts";
import { newShop, shops } from "./shop.ts";

/** The kinds in the store, in the order of its file. */
export const storedKinds: readonly StoredKind[] = [shops, ...menuKinds, orders, locks];

/** Faults in the message. The others are only counted. */
const maxShown = 10;

/** `menuFile`: null for no menu. Throws SettingsError, one line with every fault and its place. */
export function newContent(menuFile: string | null): Tables {
  const tables = new Tables(storedKinds);
  tables.load({ seq: 1, event: `${shops.name}.created`, data: newShop });
  const menu = menuFile === null ? {} : readMenu(menuFile);
  let seq = 1;
  for (const { name } of menuKinds) {
    for (const data of menu[name] ?? []) {
      seq += 1;
      tables.load({ seq, event: `${name}.created`, data });
    }
  }
  return tables;
}

type Menu = Readonly<Record<string, readonly MenuItem[] | undefined>>;

/** A list of items with different ids. */
function isListOf({ name, isItem }: MenuKind): Guard<readonly MenuItem[]> {
  return (value, at, faults): value is readonly MenuItem[] => {
    if (!Array.isArray(value)) return faults.addUnexpected(at, `an array of ${name}`, value);
    const ids = new Set<string>();
    for (const [index, item] of value.entries()) {
      if (!isItem(item, [...at, index], faults)) continue;
      const { id } = item;
      if (!ids.has(id)) ids.add(id);
      else faults.add([...at, index, "id"], () => `expected another id, got ${inWords(id)} twice`);
    }
    return faults.isEmpty;
  };
}

const isMenu: Guard<Menu> = objectOf<Menu>(
  Object.fromEntries(menuKinds.map((kind) => [kind.name, optional(isListOf(kind))])),
);

function readMenu(path: string): Menu {
  const menu = withIds(parseJson(path));
  const faults = new Faults();
  if (isMenu(menu, [], faults)) return menu;
  const { list, count } = faults;
  const shown = list.slice(0, maxShown).map(({ pointer, detail }) => `${pointer}: ${detail}`);
  if (count > maxShown) shown.push(`and ${count - maxShown} more`);
  throw new SettingsError(`MENU_FILE: ${path}: ${shown.join("; ")}`);
}

function parseJson(path: string): unknown {
  const bytes = readFileSync(path);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    const why = `expected JSON in UTF-8: ${messageOf(cause)}`;
    throw new SettingsError(`MENU_FILE: ${path}: ${why}`, { cause });
  }
}

/** An item without an id gets one, as when it is posted. */
function withIds(menu: unknown): unknown {
  if (!isObject(menu)) return menu;
  const lists = Object.entries(menu).map(([name, list]) => {
    if (!Array.isArray(list)) return [name, list];
    const ids = new Set(list.map((item) => (isObject(item) ? item["id"] : undefined)));
    const isTaken = (id: string): boolean => ids.has(id);
    return [name, list.map((item) => isObject(item) ? { id: newId(isTaken), ...item } : item)];
  });
  return Object.fromEntries(lists);
}
