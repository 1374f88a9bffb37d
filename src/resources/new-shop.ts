/** The content of a new store: a shop, and the menu in MENU_FILE. */

import { readJson } from "../files.ts";
import { Invalid, isObject } from "../problems/faults.ts";
import { SettingsError } from "../settings.ts";
import { Tables } from "../store/tables.ts";
import { arrayOf, type Guard, objectOf, optional, parse } from "./check.ts";
import { newId } from "./id.ts";
import { storedKinds } from "./kinds.ts";
import { menuKinds } from "./menu.ts";
import { isPizzas, newShop, shops } from "./shop.ts";

/** Faults in the message. Further faults are only counted. */
const maxShown = 10;

/** `menuFile`: null for no menu. Throws SettingsError, one line with every fault and its place. */
export function newContent(menuFile: string | null): Tables {
  if (menuFile === null) return contentOf({});
  const menu = withIds(readJson(menuFile, "MENU_FILE"));
  try {
    return contentOf(parse(isMenu, menu));
  } catch (error) {
    throw error instanceof Invalid ? menuFault(menuFile, error) : error;
  }
}

/** The items by kind, and the shop's pizzas. */
type Menu = Readonly<Record<string, readonly unknown[] | undefined>>;

const isMenu: Guard<Menu> = objectOf<Menu>({
  ...Object.fromEntries(
    menuKinds.map(({ name, isBody }) => [name, optional(arrayOf(isBody, name))]),
  ),
  pizzas: optional(isPizzas),
});

/** Throws Invalid if two items have one id. */
function contentOf(menu: Menu): Tables {
  const tables = new Tables(storedKinds);
  tables.add(shops, shops.read({ ...newShop, pizzas: menu["pizzas"] }, undefined));
  for (const kind of menuKinds) {
    for (const item of menu[kind.name] ?? []) tables.add(kind, kind.read(item, undefined));
  }
  return tables;
}

function menuFault(path: string, { faults }: Invalid): SettingsError {
  const shown = faults.slice(0, maxShown).map(({ pointer, detail }) => `${pointer}: ${detail}`);
  if (faults.length > maxShown) shown.push(`and ${faults.length - maxShown} more`);
  return new SettingsError(`MENU_FILE: ${path}: ${shown.join("; ")}`);
}

/** An item without an id gets one, as when it is posted. */
function withIds(menu: unknown): unknown {
  if (!isObject(menu)) return menu;
  const lists = Object.entries(menu).map(([name, list]) => {
    if (name === "pizzas" || !Array.isArray(list)) return [name, list];
    const ids = new Set(list.map((item) => (isObject(item) ? item["id"] : undefined)));
    const isTaken = (id: string): boolean => ids.has(id);
    return [name, list.map((item) => isObject(item) ? { id: newId(isTaken), ...item } : item)];
  });
  return Object.fromEntries(lists);
}
