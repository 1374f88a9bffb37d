/** The state of the dialog that is open: a type for each dialog. Pure values. */

import type { MenuItem } from "../shared/menu.ts";
import type { AddedDevice, MenuKind, Order, ShopPizza } from "../shared/types.ts";

export type Dialog = { readonly type: "settings" } | FormDialog | DevicesDialog
  | TableSignsDialog | OrderDialog | TableDialog | MenuRowDialog;

/** The actions of a whole order. */
export interface OrderDialog {
  readonly type: "order";
  readonly orderId: string;
  /** The states of its pizzas when the dialog opened. */
  readonly version: string;
}

/** The actions of all orders of a table. */
export interface TableDialog {
  readonly type: "table";
  readonly key: string;
  /** The table to move to, as typed so far. */
  readonly table: string;
  readonly failure: string;
}

/** The actions of a row of the menu. */
export interface MenuRowDialog {
  readonly type: "menu-row";
  readonly kind: MenuKind | "pizzas";
  /** The id of the item, or the name of the pizza. */
  readonly id: string;
}

export interface TableSignsDialog {
  readonly type: "table-signs";
  /** The names of tables, one a line, as typed so far; saved on the device. */
  readonly names: string;
  /** Whether guests may order on their own; undefined until the service has said so. */
  readonly guestOrders: boolean | undefined;
}

/** The forms, which ask before typed text is thrown away. */
export type FormDialog = ChangeDialog | ItemDialog | PizzaDialog | ShopDialog | OpeningDialog;

export interface Form {
  /** The texts that were typed so far, by field. */
  readonly typed: Readonly<Record<string, string | undefined>>;
  /** By field. */
  readonly faults: Readonly<Record<string, string>>;
  readonly failure: string;
  /** The sentence about the item that was saved before. */
  readonly saved: string;
  readonly isSaving: boolean;
}

export const freshForm: Form = { typed: {}, faults: {}, failure: "", saved: "", isSaving: false };

/** Table, name and time of an order, and a note for each pizza. */
export interface ChangeDialog extends Form {
  readonly type: "change";
  readonly title: string;
  /** The pizzas as they were when the dialog opened. */
  readonly before: readonly Order[];
}

export interface ItemDialog extends Form {
  readonly type: "item";
  readonly kind: MenuKind;
  /** The item that is changed, as it was when the dialog opened. Undefined: a new one. */
  readonly item: MenuItem | undefined;
}

export interface PizzaDialog extends Form {
  readonly type: "pizza";
  /** The pizza that is changed. Undefined: a new one. */
  readonly before: ShopPizza | undefined;
  /** Ids, each as often as it is on the pizza. */
  readonly toppings: readonly string[];
}

/** The name and the look of the shop. */
export interface ShopDialog extends Form {
  readonly type: "shop";
}

/** The question before the shop opens: whether the notice and what is sold out stay. */
export interface OpeningDialog extends Form {
  readonly type: "opening";
}

export interface DevicesDialog {
  readonly type: "devices";
  /** Undefined: not read yet. */
  readonly devices: readonly Device[] | undefined;
  readonly failure: string;
  /** Undefined: the list is shown. */
  readonly adding: NewDevice | undefined;
}

/** As the service lists it. `seenAt`: missing where it was not seen since the service started. */
export type Device = AddedDevice & { readonly seenAt?: string };

/** The form of a device to be added. */
export interface NewDevice {
  /** This very device, which a link has signed in. */
  readonly isThis: boolean;
  readonly name: string;
  readonly role: Device["role"];
  /** The last one that was made. */
  readonly code: DeviceCode | undefined;
  readonly isMaking: boolean;
}

export interface DeviceCode {
  readonly deviceId: string;
  readonly name: string;
  readonly role: Device["role"];
  /** Works once. */
  readonly code: string;
  /** As Date.now, by the service's clock. */
  readonly endsAt: number;
}
