/** Parts of the forms for items and pizzas. A fault stands beside its field. */

import { type Child, h, submitted, type View } from "../shared/dom.ts";
import { t } from "../shared/words.ts";
import { closeDialog } from "./dialogs.ts";

interface FormParts {
  readonly title: string;
  readonly failure: string;
  readonly save: (form: HTMLFormElement) => void;
}

export function formDialog(
  { title, failure, save }: FormParts, ...fields: readonly Child[]
): View {
  return h("dialog", {
    key: "form", class: "form", "aria-labelledby": "dialog-title", onclose: closeDialog,
  },
    h("form", { novalidate: true, onsubmit: submitted(save) },
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

/** After the draw that shows the faults. */
export function focusFirstFault(form: HTMLFormElement): void {
  queueMicrotask(() => { form.querySelector<HTMLElement>("[aria-invalid]")?.focus(); });
}

/** The value of a field. */
export function textIn(form: HTMLFormElement, field: string): string {
  return String(new FormData(form).get(field) ?? "").trim();
}
