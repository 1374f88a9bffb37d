/** The state of the page. Its settings are saved on the device. */

import { serverNow } from "../shared/api.ts";
import { menuAtFirst } from "../shared/look.ts";
import { claims } from "../shared/session.ts";
import { save, saved } from "../shared/storage.ts";
import { storeOf } from "../shared/store.ts";
import type { Change } from "../shared/stream.ts";
import { changeState, scales, type Settings, type State } from "./state.ts";

const defaults: Settings = { scale: 1, chimes: true };

const { scale, chimes } = saved("board", defaults) ?? defaults;

/** The knowledge of a device before it has read anything, and after it was removed. */
const nothingRead = {
  orders: new Map(), ordersEtag: "", marks: new Map(), hasRead: false, day: undefined, notices: [],
  arrived: [], search: undefined, dialog: undefined, typedNotice: undefined,
} satisfies Partial<State>;

const firstState: State = {
  ...nothingRead,
  menu: menuAtFirst(),
  signIn: "nobody",
  refused: undefined,
  signInFailure: "",
  now: 0,
  lostAt: undefined,
  tab: "orders",
  chosenColumn: "Pending",
  isToMakeOpen: false,
  paper: undefined,
  settings: { scale: scales.includes(scale) ? scale : defaults.scale, chimes },
  isMuted: true,
};

export const { state, set, drawNow, onChange } = storeOf(firstState);

export function forgetOrders(): void {
  set(nothingRead);
}

export function saveSettings(change: Partial<Settings>): void {
  const settings = { ...state().settings, ...change };
  set({ settings });
  save("board", settings);
}

export function applyChanges(changes: readonly Change[]): void {
  set(changeState(state(), changes, serverNow()));
}

/** A display that only shows the board, also while its sign-in is refused. */
export function isReader({ signIn, refused }: State): boolean {
  return signIn === "reader" || refused !== undefined && claims()?.role === "reader";
}
