/** The dialog Settings: one list, and each row says what holds now. */

import { button, type Child, h, icon, unseen, type View } from "../shared/dom.ts";
import { claims } from "../shared/session.ts";
import { dayText, locale, t } from "../shared/words.ts";
import { sheet } from "./sheet.ts";
import { isReader, scales, type State } from "./state.ts";

const percent = new Intl.NumberFormat(locale, { style: "percent" });

/** A− and A+, in the top bar and here. */
export function sizeButton(by: 1 | -1, { settings: { scale } }: State): View {
  return button("scale", by, {
    dir: "ltr", "aria-disabled": scales[scales.indexOf(scale) + by] === undefined && "true",
  }, by > 0 ? "A+" : "A−", unseen(` ${by > 0 ? t("Larger text") : t("Smaller text")}`));
}

export function settingsDialog(state: State): View {
  const { settings: { scale, chimes }, isStaff } = state;
  const { sub = "", exp = 0 } = claims() ?? {};
  return sheet({ name: "settings", title: t("Settings") }, [
    h("ul", { class: "settings rows" },
      isStaff && wayRow("table-cards", "table", t("Table cards"),
        t("Codes to print, one for each table")),
      settingRow("text", t("Text size"), t("On this device"), h("span", { class: "sizes" },
        sizeButton(-1, state), h("span", { role: "status" }, percent.format(scale)),
        sizeButton(1, state))),
      !isReader(state) && settingRow("sound", t("Sound"), t("It repeats while an order waits"),
        button("sound", "", {
          class: "plain switch", role: "switch", "aria-checked": String(chimes),
          "aria-label": t("Sound"),
        }, h("i", { class: "track" }))),
      wayRow("sign-out", "leave", t("Sign out"), t("This device is “{name}”, {until}", {
        name: sub, until: t("until {day}", { day: dayText(exp * 1000) }),
      }))),
  ], []);
}

function rowText(symbol: string, name: string, now: string): readonly Child[] {
  return [icon(symbol),
    h("span", {}, h("b", {}, name), " ", h("span", { class: "soft small" }, now))];
}

/** The whole row is a button. */
function wayRow(action: string, symbol: string, name: string, now: string): View {
  return h("li", { key: action, class: action },
    button(action, "", {
      class: "plain", "aria-label": name, "aria-description": now,
    }, ...rowText(symbol, name, now), icon("next")));
}

function settingRow(symbol: string, name: string, now: string, control: View): View {
  return h("li", { key: symbol }, ...rowText(symbol, name, now), control);
}
