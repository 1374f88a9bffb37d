/** Parts that several views of the board have. */

import { button, type Child, h, type View } from "../shared/dom.ts";
import { t } from "../shared/words.ts";
import type { State } from "./state.ts";

/** Opens the menu of a card or a row. */
export function moreButton(of: string, name: string, { popup, isStaff }: State): View {
  return button("popup", of, {
    class: "more", "aria-haspopup": "menu", "aria-expanded": String(popup === of),
    "aria-label": t("More for {name}", { name }), disabled: !isStaff,
  }, "⋯");
}

export function formDialog(action: string, title: string, ...children: readonly Child[]): View {
  return h("dialog", { key: action, class: "form", "aria-labelledby": "form-title" },
    h("form", { novalidate: true, "data-do": action },
      h("h2", { id: "form-title" }, title), ...children));
}

export function checkbox(label: string, of: object, ...more: readonly Child[]): View {
  return h("label", { class: "checkbox" }, h("span", {}, label, ...more),
    h("input", { type: "checkbox", ...of }));
}
