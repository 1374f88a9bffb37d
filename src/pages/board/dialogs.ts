/** The state of the large dialogs while they are open. */

export interface SettingsDialog {
  readonly type: "settings";
  /** How many are signed in. Undefined: not read yet. */
  readonly deviceCount: number | undefined;
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
  /** Whether the link is on the clipboard; where it cannot be, it is shown. */
  readonly copied: "" | "copied" | "shown";
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

/** The text typed so far, saved on the device. */
export interface TypedCards {
  /** One a line. */
  readonly names: string;
  readonly address: string;
}

export interface CardsDialog extends TypedCards {
  readonly type: "cards";
  /** Whether guests may order on their own; undefined until the service has said so. */
  readonly guestOrders: boolean | undefined;
}
