/** The state of the page. Its settings are saved on the device. */

import { serverNow } from "../shared/api.ts";
import { menuAtFirst } from "../shared/look.ts";
import { claims } from "../shared/session.ts";
import { save, saved } from "../shared/storage.ts";
import { storeOf } from "../shared/store.ts";
import type { Change } from "../shared/stream.ts";
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
  signIn: "nobody",
  refused: undefined,
  signInFailure: "",
  now: 0,
  lostAt: undefined,
  newBuild: "",
  // Waiters take the phone out of the pocket, and look at the same as before.
  tab: isPhone ? tabs.find((tab) => tab === settings.tab) ?? "orders" : "orders",
  part: "make",
  widthRem: 80,
  paper: undefined,
  settings: { ...settings, scale: scales.includes(settings.scale) ? settings.scale : 1 },
  isMuted: true,
};

export const { state, set, drawNow, onChange } = storeOf(firstState);

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

/** One column shows what is to be made, or what is ready. */
export function showPart(part: State["part"]): void {
  set({ part });
}

/** A display that only shows the board, also while its sign-in is refused. */
export function isReader({ signIn, refused }: State): boolean {
  return signIn === "reader" || refused !== undefined && claims()?.role === "reader";
}
