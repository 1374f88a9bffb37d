/** The state of the page, and named functions that set it. Its settings are saved on the device. */

import { serverNow } from "../shared/api.ts";
import { menuAtFirst } from "../shared/look.ts";
import { pageStateOf } from "../shared/page-state.ts";
import { save, saved } from "../shared/storage.ts";
import type { Change } from "../shared/types.ts";
import type { Dialog } from "./dialog-state.ts";
import type { BoardOrder } from "./known-orders.ts";
import { changeState, scales, type Settings, type State, tabs } from "./state.ts";

const isPhone = matchMedia("(max-width: 30rem)").matches;

const defaults: Settings = {
  scale: 1, newSound: true, readySound: isPhone, toppings: true, tab: "orders",
};

const settings = saved("board", defaults) ?? defaults;

/** The knowledge of a device before it has read anything, and after it was removed. */
const nothingRead = {
  orders: new Map(), ordersEtag: "", marks: new Map(), hasRead: false, day: undefined,
  undoLines: [], arrived: [], search: undefined, dialog: undefined,
  typedNotice: undefined,
} satisfies Partial<State>;

const firstState: State = {
  ...nothingRead,
  menu: menuAtFirst(),
  role: "nobody",
  refused: undefined,
  signInFailure: "",
  now: 0,
  lostAt: undefined,
  newBuild: "",
  // Waiters take the phone out of the pocket, and look at the same as before.
  tab: isPhone ? tabs.find((tab) => tab === settings.tab) ?? "orders" : "orders",
  shownList: "make",
  widthRem: 80,
  paper: undefined,
  settings: { ...settings, scale: scales.includes(settings.scale) ? settings.scale : 1 },
  isMuted: true,
};

export const { state, set, drawNow, onChange } = pageStateOf(firstState);

export function forgetOrders(): void {
  set(nothingRead);
}

/** The shop has another history, such as a backup: whatever it says now is newer. */
export function forgetHistory(): void {
  const orders = new Map([...state().orders].map(([id, order]) =>
    [id, { ...order, updatedAt: "" }]));
  set({ orders, ordersEtag: "", undoLines: [] });
}

export function saveSettings(change: Partial<Settings>): void {
  const settings = { ...state().settings, ...change };
  set({ settings });
  save("board", settings);
}

export function applyChanges(changes: readonly Change[]): void {
  set(changeState(state(), changes, serverNow()));
}

export function noteWidth(widthRem: number): void {
  if (widthRem !== state().widthRem) set({ widthRem });
}

/** The last sign of life of a shop that is silent. Undefined: it has answered. */
export function noteLost(lostAt: number | undefined): void {
  if (lostAt !== state().lostAt) set({ lostAt });
}

export function noteMuted(isMuted: boolean): void {
  set({ isMuted });
}

/** Undefined ends the search in the open orders. */
export function searchFor(search: string | undefined): void {
  set({ search });
}

/** For a board of one column. */
export function showList(shownList: State["shownList"]): void {
  set({ shownList });
}

const undoForMs = 10_000;
const maxUndoLines = 3;
const lastUndoLine = { key: 0 };

/** A line about what this device has done, for ten seconds. */
export function notify(
  text: string, undo?: () => void, before: readonly BoardOrder[] = [],
): void {
  const key = lastUndoLine.key += 1;
  set({ undoLines: [...state().undoLines, { key, text, undo, before }].slice(-maxUndoLines) });
  setTimeout(() => { dropUndoLine(key); }, undoForMs);
}

/** Ends an undo line before its ten seconds are over. */
export function dropUndoLine(key: number): void {
  set({ undoLines: state().undoLines.filter((line) => line.key !== key) });
}

/** A dialog is drawn as long as its state is there. */
export function openDialog(dialog: Dialog): void {
  set({ dialog });
}

export function closeDialog(): void {
  set({ dialog: undefined });
}

/** Changes a dialog, unless it was closed meanwhile. */
export function updateDialog<Type extends Dialog["type"]>(
  type: Type, change: Partial<Extract<Dialog, { readonly type: Type }>>,
): void {
  const { dialog } = state();
  if (dialog?.type === type) set({ dialog: { ...dialog, ...change } as Dialog });
}

/** Keeps the text of a field of the dialog that is open. */
export function typeInto(field: string, text: string): void {
  const { dialog } = state();
  if (dialog === undefined || !("typed" in dialog)) return;
  set({ dialog: { ...dialog, typed: { ...dialog.typed, [field]: text } } });
}
