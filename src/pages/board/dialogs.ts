/** Opens, changes and closes the dialog. It is drawn as long as its state is there. */

import { ask } from "../shared/dialogs.ts";
import { t } from "../shared/words.ts";
import type { Dialog, Form } from "./dialog-types.ts";
import { set, state } from "./store.ts";

export const freshForm: Form = { typed: {}, faults: {}, failure: "", saved: "", isSaving: false };

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

/** Keeps the text of a field of the dialog that is open. */
export function typeInto(field: string, text: string): void {
  const { dialog } = state();
  if (dialog === undefined || !("typed" in dialog)) return;
  set({ dialog: { ...dialog, typed: { ...dialog.typed, [field]: text } } });
}

/** Resolves to whether the dialog may go: typed text is thrown away only after a question. */
export async function mayThrowAway(isTyped: boolean): Promise<boolean> {
  return !isTyped || ask(t("Throw away what you typed?"), t("Throw away"), t("Go on typing"),
    { className: "ink" });
}
