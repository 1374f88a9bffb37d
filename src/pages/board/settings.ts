/** The dialog Settings: one list, and each row says what holds now. */

import { type Child, h, icon, unseen, type View } from "../shared/dom.ts";
import { logoOf } from "../shared/look.ts";
import { claims } from "../shared/session.ts";
import { dayText, joined, locale, t, timeText } from "../shared/words.ts";
import { openDevices } from "./devices.ts";
import { dialogFrame } from "./dialog-frame.ts";
import { openShopForm } from "./shop-form.ts";
import { askToSignOut } from "./sign-in.ts";
import { isStaff, scales, type State } from "./state.ts";
import { saveSettings, state } from "./store.ts";
import { openTableSigns } from "./table-signs.ts";

const percent = new Intl.NumberFormat(locale, { style: "percent" });

export function settingsDialog(state: State): View {
  const { settings: { scale, newSound, readySound, toppings }, role } = state;
  const { sub = "", exp = 0, device } = claims() ?? {};
  return dialogFrame({ name: "settings", title: t("Settings") }, [
    h("ul", { class: "settings rows" },
      isStaff(state) && openRow("shop", t("Shop"), t("{name}: name, logo and color", {
        name: state.menu.shop.name,
      }), openShopForm),
      isStaff(state) && role === "owner"
        && openRow("device", t("Devices"), t("Who is signed in"), () => { openDevices(); }),
      isStaff(state) && openRow("table", t("Table cards"),
        t("Codes to print, one for each table"), () => { void openTableSigns(); }),
      settingRow("text", t("Text size"), t("On this device"), h("span", { class: "sizes wrap" },
        sizeButton(-1, scale), h("span", { role: "status" }, percent.format(scale)),
        sizeButton(1, scale))),
      isStaff(state) && switchRow("sound", t("Sound for new orders"),
        t("Three times, then once a minute while one waits"), "newSound", newSound),
      isStaff(state) && switchRow("sound", t("Sound for ready orders"), t("On this device"),
        "readySound", readySound),
      switchRow("note", t("Toppings on cards"), t("What differs is always there"),
        "toppings", toppings),
      openRow("leave", t("Sign out"),
        device === undefined
          ? t("Signed in as “{name}” until {time}", {
            name: sub, time: joined(dayText(exp * 1000), timeText(exp * 1000)),
          })
          : t("This device is “{name}”", { name: sub }),
        () => { void askToSignOut(); })),
    !("wakeLock" in navigator) && h("p", { class: "soft small" },
      t("This page cannot keep the screen on. Over https it could.")),
  ]);
}

function switchRow(
  symbol: string, name: string, about: string, setting: "newSound" | "readySound" | "toppings",
  isOn: boolean,
): View {
  return settingRow(symbol, name, about, h("button", {
    class: "plain soft switch", role: "switch", "aria-checked": String(isOn), "aria-label": name,
    onclick: () => { saveSettings({ [setting]: !isOn }); },
  }, h("i", { class: "switch-track" })), setting);
}

function sizeButton(by: 1 | -1, scale: number): View {
  const next = scales[scales.indexOf(scale) + by];
  return h("button", {
    key: by, dir: "ltr", onclick: next !== undefined && (() => { saveSettings({ scale: next }); }),
  }, by > 0 ? "A+" : "A−", unseen(` ${by > 0 ? t("Larger text") : t("Smaller text")}`));
}

function nameAndValue(symbol: string, name: string, now: string): readonly Child[] {
  return [symbol === "shop" ? h("img", { src: logoOf(state().menu.shop), alt: "" }) : icon(symbol),
    h("span", {}, h("span", {}, name), " ", h("span", { class: "soft small" }, now))];
}

/** The whole row is a button. */
function openRow(symbol: string, name: string, now: string, open: () => void): View {
  return h("li", { key: symbol, class: `${symbol} wrap` },
    h("button", { class: "plain row-button grow", onclick: open },
      ...nameAndValue(symbol, name, now), icon("next")));
}

function settingRow(
  symbol: string, name: string, now: string, control: View, key = symbol,
): View {
  return h("li", { key, class: "wrap" }, ...nameAndValue(symbol, name, now), control);
}
