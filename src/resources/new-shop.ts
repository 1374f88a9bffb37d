/** The content of a new store: a shop, and the menu in MENU_FILE. */

import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";
import { messageOf } from "../log/system-error.ts";
import { Faults, inWords, isObject } from "../problems/faults.ts";
import { SettingsError } from "../settings.ts";
import { Tables } from "../store/tables.ts";
import { type Guard, objectOf, optional } from "./check.ts";
import { menuKinds, storedKinds } from "./kinds.ts";
import type { MenuItem, MenuKind } from "./menu-kind.ts";
import { newId } from "./new-id.ts";
import { newShop, shops } from "./shop.ts";

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
      if (ids.has(item.id)) {
        faults.add([...at, index, "id"], () => `expected another id, got ${inWords(item.id)} twice`);
      }
      ids.add(item.id);
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
  const shown = faults.list.slice(0, maxShown).map(({ pointer, detail }) => `${pointer}: ${detail}`);
  const more = faults.count > maxShown ? [`and ${faults.count - maxShown} more`] : [];
  throw new SettingsError(`MENU_FILE: ${path}: ${[...shown, ...more].join("; ")}`);
}

function parseJson(path: string): unknown {
  const bytes = readFileSync(path);
  if (!isUtf8(bytes)) throw new SettingsError(`MENU_FILE: ${path}: expected UTF-8, got other bytes`);
  // Without a byte order mark.
  const text = new TextDecoder().decode(bytes);
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = messageOf(error);
    const [, position] = / at position (\d+)/.exec(reason) ?? [];
    const line = position === undefined ? "" : `, line ${lineOf(text, Number(position))}`;
    throw new SettingsError(`MENU_FILE: ${path}${line}: expected JSON: ${reason}`, { cause: error });
  }
}

function lineOf(text: string, position: number): number {
  return text.slice(0, position).split("\n").length;
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
