/** The state of the dialogs while they are open. */

import type { MenuItem } from "../shared/menu.ts";
import type { MenuKind } from "../shared/types.ts";

export type Dialog = { readonly type: "settings" } | ItemDialog | DevicesDialog | InviteDialog
  | CardsDialog;

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

/** As the service lists it: by the name in its token. */
export interface Device {
  readonly sub: string;
  readonly isLocked: boolean;
  /** These are missing for one that is locked out and was not seen since the service started. */
  readonly role?: "staff" | "reader";
  readonly expiresAt?: string;
  readonly seenAt?: string;
}

export interface DevicesDialog {
  readonly type: "devices";
  /** Undefined: not read yet. */
  readonly devices: readonly Device[] | undefined;
  readonly failure: string;
}

export interface InviteDialog {
  readonly type: "invite";
  readonly name: string;
  readonly role: "staff" | "reader";
  /** Undefined: none was made yet, or a field has changed since. */
  readonly code: InviteCode | undefined;
  readonly isMaking: boolean;
  readonly failure: string;
}

export interface InviteCode {
  readonly link: string;
  /** As Date.now, by the service's clock. */
  readonly endsAt: number;
  /** Devices before it was made: one that is there afterwards has come in with it. */
  readonly before: readonly Device[];
  readonly hasCome: boolean;
}

export interface CardsDialog {
  readonly type: "cards";
  /** One a line, as typed so far; saved on the device. */
  readonly names: string;
  /** Whether guests may order on their own; undefined until the service has said so. */
  readonly guestOrders: boolean | undefined;
}
