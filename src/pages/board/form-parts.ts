/** The frame, the fields and the saving of the forms for items and pizzas. */

import { explain } from "../shared/api.ts";
import { type Child, h, submitted, type View } from "../shared/dom.ts";
import { t } from "../shared/words.ts";
import type { FormDialog } from "./dialog-types.ts";
import { closeDialog } from "./dialogs.ts";
import { drawNow, set, state } from "./state.ts";

export function formDialog(
  title: string, { failure }: FormDialog, save: (form: HTMLFormElement) => Promise<void>,
  ...fields: readonly Child[]
): View {
  return h("dialog", {
    key: "form", class: "form", "aria-labelledby": "dialog-title", onclose: closeDialog,
  },
    h("form", { novalidate: true, onsubmit: submitted((form) => { void save(form); }) },
      h("h2", { id: "dialog-title" }, title),
      ...fields,
      h("p", { class: "fault", role: "alert" }, failure),
      h("div", { class: "actions" },
        h("button", { type: "submit", class: "go" }, t("Save")),
        h("button", { onclick: closeDialog }, t("Cancel")))));
}

export function textField(
  name: string, label: string, value: string, fault = "", more: object = {},
): View {
  return h("label", { key: name }, h("span", {}, label), h("input", {
    name, value, maxlength: 200, autocomplete: "off", ...more,
    "aria-describedby": `fault-${name}`, "aria-invalid": fault !== "" && "true",
  }), h("span", { class: "fault", id: `fault-${name}` }, fault));
}

export function textArea(name: string, label: string, value: string, more: object): View {
  return h("label", { key: name }, h("span", {}, label),
    h("textarea", { name, value, ...more }));
}

export function checkbox(name: string, label: string, checked = false): View {
  return h("label", { key: name, class: "checkbox" }, h("span", {}, label),
    h("input", { type: "checkbox", name, checked }));
}

/** Saves once, however often Save is pressed. Without a fault the dialog closes. */
export async function saveOnce(
  dialog: FormDialog, form: HTMLFormElement, faults: FormDialog["faults"],
  save: () => Promise<unknown>,
): Promise<void> {
  if (dialog.isSaving) return;
  const isRight = Object.keys(faults).length === 0;
  const shown = { ...dialog, faults, failure: "", isSaving: isRight };
  set({ dialog: shown });
  drawNow();
  if (!isRight) return form.querySelector<HTMLElement>("[aria-invalid]")?.focus();
  const next = await save().then(() => undefined, (fault: unknown) =>
    ({ ...shown, failure: explain(fault), isSaving: false }));
  if (state().dialog === shown) set({ dialog: next });
}

/** The value of a field. */
export function textIn(form: HTMLFormElement, field: string): string {
  return String(new FormData(form).get(field) ?? "").trim();
}
