/** Parts that several views of the board have. */

import { type Child, h, type View } from "../shared/dom.ts";

export function formDialog(action: string, title: string, ...children: readonly Child[]): View {
  return h("dialog", { key: action, class: "form", "aria-labelledby": "form-title" },
    h("form", { novalidate: true, "data-do": action },
      h("h2", { id: "form-title" }, title), ...children));
}

export function checkbox(label: string, of: object, ...more: readonly Child[]): View {
  return h("label", { class: "checkbox" }, h("span", {}, label, ...more),
    h("input", { type: "checkbox", ...of }));
}
