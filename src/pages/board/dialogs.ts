/** The state of the dialogs. A dialog is drawn as long as its state is there. */

import type { MenuItem } from "../shared/menu.ts";
import type { AddedDevice, MenuKind, NamedPizza } from "../shared/types.ts";
import { set, state } from "./state.ts";

export type Dialog = { readonly type: "settings" } | FormDialog | DevicesDialog
  | TableCardsDialog;

export type FormDialog = ItemDialog | PizzaDialog;

interface Form {
  /** By field. */
  readonly faults: Readonly<Record<string, string>>;
  readonly failure: string;
  readonly isSaving: boolean;
}

export interface ItemDialog extends Form {
  readonly type: "item";
  readonly kind: MenuKind;
  /** The values that the fields begin with. */
  readonly item: MenuItem | undefined;
  /** The tag of the state that is being changed. Undefined: a new item. */
  readonly etag: string | undefined;
}

export interface PizzaDialog extends Form {
  readonly type: "pizza";
  /** The pizza that is changed. Undefined: a new one. */
  readonly before: NamedPizza | undefined;
  /** Ids, each as often as it is on the pizza. */
  readonly toppings: readonly string[];
}

export const untried: Form = { faults: {}, failure: "", isSaving: false };

export type DeviceRole = AddedDevice["role"];

/** As the service lists it. `seenAt`: missing where it was not seen since the service started. */
export type Device = AddedDevice & { readonly seenAt?: string };

export interface DevicesDialog {
  readonly type: "devices";
  /** Undefined: not read yet. */
  readonly devices: readonly Device[] | undefined;
  readonly failure: string;
  /** Undefined: the list is shown. */
  readonly adding: NewDevice | undefined;
}

/** The form of a device to be added. */
export interface NewDevice {
  readonly name: string;
  readonly role: DeviceRole;
  /** The last one that was made. */
  readonly code: DeviceCode | undefined;
  readonly isMaking: boolean;
}

export interface DeviceCode {
  readonly deviceId: string;
  readonly name: string;
  readonly role: DeviceRole;
  readonly link: string;
  /** As Date.now, by the service's clock. */
  readonly endsAt: number;
}

export interface TableCardsDialog {
  readonly type: "table-cards";
  /** One a line, as typed so far; saved on the device. */
  readonly names: string;
  /** Whether guests may order on their own; undefined until the service has said so. */
  readonly guestOrders: boolean | undefined;
}

export function openDialog(dialog: Dialog): void {
  set({ dialog });
}

export function closeDialog(): void {
  set({ dialog: undefined });
}

type DialogOf<Type> = Extract<Dialog, { readonly type: Type }>;

/** Changes a dialog, unless it was closed meanwhile. */
export function updateDialog<Type extends Dialog["type"]>(
  type: Type, change: Partial<DialogOf<Type>>,
): void {
  const { dialog } = state();
  if (dialog?.type === type) set({ dialog: { ...dialog, ...change } as Dialog });
}
