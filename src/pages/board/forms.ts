/** The frame, the fields and the saving of the forms for items and pizzas. */

import { explain } from "../shared/api.ts";
import { type Child, h, submitted, type View } from "../shared/dom.ts";
import { t } from "../shared/words.ts";
import type { FormDialog } from "./dialog-types.ts";
import { closeDialog } from "./dialogs.ts";
import { drawNow, set, state } from "./store.ts";

/** Saves what the form says. `isAnother`: the form stays, empty, for the next one. */
type Save = (form: HTMLFormElement, isAnother: boolean) => Promise<void>;

/** `isNew`: several may be added, one after the other. */
export function formDialog(
  title: string, { failure, saved }: FormDialog, isNew: boolean, save: Save,
  ...fields: readonly Child[]
): View {
  const saveAndAdd = (): void => {
    const form = document.querySelector<HTMLFormElement>("dialog.form form");
    if (form !== null) void save(form, true);
  };
  return h("dialog", {
    key: "form", class: "form", "aria-labelledby": "dialog-title", onclose: closeDialog,
  },
    h("form", { novalidate: true, onsubmit: submitted((form) => { void save(form, false); }) },
      h("h2", { id: "dialog-title" }, title),
      ...fields,
      h("p", { class: "fault", role: "alert" }, failure),
      h("p", { class: "soft saved", role: "status" }, saved),
      h("div", { class: "actions" },
        h("button", { type: "submit", class: "go" }, t("Save")),
        isNew && h("button", { key: "another", onclick: saveAndAdd }, t("Save and add another")),
        h("button", { key: "cancel", onclick: closeDialog }, t("Cancel")))));
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

/** A question that must be answered. `chosen`: the value of its answer, or undefined. */
export function choice(
  name: string, label: string, answers: Readonly<Record<string, string>>,
  chosen: string | undefined, fault = "",
): View {
  return h("fieldset", { key: name, class: "choice" },
    h("legend", {}, label),
    ...Object.entries(answers).map(([value, text]) => h("label", { key: value, class: "checkbox" },
      h("span", {}, text), h("input", {
        type: "radio", name, value, checked: value === chosen,
        "aria-describedby": `fault-${name}`, "aria-invalid": fault !== "" && "true",
      }))),
    h("span", { class: "fault", id: `fault-${name}` }, fault));
}

/**
 * Saves once, however often Save is pressed. Without a fault the dialog closes, or becomes `next`
 * for another one, with the focus on the name.
 */
export async function saveOnce(
  dialog: FormDialog, form: HTMLFormElement, faults: FormDialog["faults"],
  save: () => Promise<unknown>, next: FormDialog | undefined,
): Promise<void> {
  if (dialog.isSaving) return;
  const isRight = Object.keys(faults).length === 0;
  const shown = { ...dialog, faults, failure: "", saved: "", isSaving: isRight };
  set({ dialog: shown });
  drawNow();
  if (!isRight) return form.querySelector<HTMLElement>("[aria-invalid]")?.focus();
  const failure = await save().then(() => "", explain);
  if (state().dialog !== shown) return;
  if (failure !== "") return set({ dialog: { ...shown, failure, isSaving: false } });
  set({ dialog: next });
  drawNow();
  if (next === undefined) return document.querySelector<HTMLElement>(".steps .go")?.focus();
  form.reset();
  form.querySelector<HTMLElement>("[name=name]")?.focus();
}

/** The value of a field. */
export function textIn(form: HTMLFormElement, field: string): string {
  return String(new FormData(form).get(field) ?? "").trim();
}
