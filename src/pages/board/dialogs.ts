/** Opens, changes and closes the dialog. It is drawn as long as its state is there. */

import type { Dialog, Form } from "./dialog-types.ts";
import { set, state } from "./store.ts";

export const freshForm: Form = { faults: {}, failure: "", saved: "", isSaving: false };

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
