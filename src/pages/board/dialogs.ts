/** The state of the dialogs while they are open. */

import type { MenuItem } from "../shared/menu.ts";
import type { MenuKind } from "../shared/types.ts";

export type Dialog = { readonly type: "settings" } | ItemDialog | CardsDialog;

export interface ItemDialog {
  readonly type: "item";
  readonly kind: MenuKind;
  /** The values that the fields begin with. */
  readonly item: MenuItem | undefined;
  /** The tag of the state that is being changed. Undefined: a new item. */
  readonly etag: string | undefined;
  /** By field. */
  readonly faults: Readonly<Record<string, string>>;
  readonly failure: string;
  readonly isSaving: boolean;
}

export interface CardsDialog {
  readonly type: "cards";
  /** One a line, as typed so far; saved on the device. */
  readonly names: string;
  /** Whether guests may order on their own; undefined until the service has said so. */
  readonly guestOrders: boolean | undefined;
}
