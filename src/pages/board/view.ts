/** The whole board: the top bar, the bars below it, the tab that is open, and what floats above. */

import { button, type Child, classes, h, icon, logo, unseen, type View } from "../shared/dom.ts";
import { howToGetCode } from "../shared/session.ts";
import { clockText, number, t, timeText } from "../shared/words.ts";
import { statusNames } from "./actions.ts";
import { devicesDialog } from "./devices.ts";
import { doneTab } from "./done-tab.ts";
import { inviteDialog } from "./invite.ts";
import { itemForm } from "./item-form.ts";
import { menuTab } from "./menu-tab.ts";
import { undoRow } from "./notices.ts";
import { stages, stageOf } from "./orders.ts";
import { ordersTab } from "./orders-tab.ts";
import { checkbox, formDialog } from "./parts.ts";
import { popupOf } from "./popup.ts";
import { ticketsOf } from "./printing.ts";
import { signInEnds } from "./sign-in.ts";
import {
  canAct, isLive, isReader, pendingCount, scales, type State, type Tab, tabs,
} from "./state.ts";
import { cardsDialog } from "./table-cards.ts";

const tabNames: Readonly<Record<Tab, string>> = {
  orders: t("Orders"), done: t("Done"), menu: t("Menu"),
};

const tabViews: Readonly<Record<Tab, (state: State) => View>> = {
  orders: ordersTab, done: doneTab, menu: menuTab,
};

export function viewOf(state: State): readonly Child[] {
  const look = classes(!isLive(state) && "frozen",
    isReader(state) && "view-only", state.withKeys && "with-keys");
  const isOrders = state.tab === "orders";
  return [
    h("div", { key: "board", id: "board", class: look },
      topBar(state), !state.isSignedIn && signInBar(state),
      h("div", { key: "stage", class: `stage on-${state.tab}` },
        lostNews(state), tabViews[state.tab](state), !isOrders && undoRow(state, undefined))),
    h("section", { key: "over", "aria-label": state.popup !== undefined && t("Menu") },
      popupOf(state), dialogOf(state)),
    h("p", { key: "arrived", class: "unseen", role: "status" }, arrivedText(state)),
    h("p", { key: "done", class: "unseen", role: "log", "aria-label": t("News") },
      state.notices.at(-1)?.text ?? ""),
    ticketsOf(state),
    state.sheets,
  ];
}

function topBar(state: State): View {
  const { menu: { shop }, tab, isMuted, settings: { scale, chimes } } = state;
  const size = (by: 1 | -1, text: string, label: string): View => button("scale", by, {
    dir: "ltr", "aria-disabled": scales[scales.indexOf(scale) + by] === undefined && "true",
  }, text, unseen(` ${label}`));
  return h("header", { key: "top", class: "top" },
    h("img", { src: logo, alt: "", width: 24, height: 24 }),
    h("div", { class: "who" }, h("h1", {}, h("bdi", {}, shop.name)), sign(state)),
    h("nav", { "aria-label": t("Views"), "data-guard": "" },
      ...tabsFor(state).map((name) => button("tab", name, {
        class: "tab", "aria-current": name === tab && "page",
      }, h("span", { class: "name", "data-name": tabNames[name] }, tabNames[name]),
        name === "orders" && badge(state)))),
    // It keeps its place: the press that brings the chime back moves nothing.
    h("p", { class: classes("muted", !(isMuted && chimes && canAct(state)) && "unused") },
      icon("muted"), h("span", {}, t("Chime silenced. Tap."))),
    h("div", { class: "tools", "data-guard": "" },
      h("a", { class: "button", href: "./", target: "_blank", "aria-label": t("Phone order") },
        icon("phone"), h("span", { class: "wide" }, t("Phone order"))),
      size(-1, "A−", t("Smaller text")), size(1, "A+", t("Larger text")),
      button("settings", "", { "aria-label": t("Settings") }, icon("settings"))));
}

/** Readers change nothing, so they have no use for the menu. */
function tabsFor(state: State): readonly Tab[] {
  return tabs.filter((name) => name !== "menu" || !isReader(state));
}

/** Whether the shop takes orders: a shape and a word. */
function sign({ menu: { shop }, isSignedIn, lost, orderReads, now }: State): View {
  const [look, text] = !isSignedIn ? ["square", t("Signed out")]
    : lost !== undefined ? ["square", t("No connection")]
      : shop.name === "" || orderReads === "loading" ? ["", ""]
        : shop.isOpen ? ["dot", t("Open")] : ["square", t("Closed")];
  return h("p", { class: "sign" },
    h("span", { class: look }, text),
    isSignedIn && h("span", { class: "ends" }, signInEnds(now)));
}

/** It keeps its place while there is nothing to say: the tabs beside it never move. */
function badge(state: State): View {
  const count = pendingCount(state);
  if (!isLive(state)) {
    return h("span", { class: "badge unsure" }, count > 0 ? `${number(count)}?` : "?");
  }
  return h("span", { class: classes("badge", count === 0 && "none") }, count > 0 && number(count));
}

function lostNews({ lost }: State): View {
  return h("section", { key: "lost", class: "lost", hidden: lost === undefined, "data-guard": "" },
    h("p", { role: "alert" }, ...lost === undefined ? [] : [
      h("b", {}, t("Connection lost at {time}", { time: clockText(lost.at) })), " ",
      h("span", {}, t("{count} were waiting then.", { count: lost.waiting }), " ",
        t("This board shows what was known.")),
    ]),
    button("try-now", "", {}, t("Try now")));
}

/** No column says zero: what was there stays, and this says what may have come since. */
function signInBar({ signedOut, signInFault, orderReads, orders }: State): View {
  const time = signedOut === undefined ? "" : timeText(signedOut.at);
  const open = [...orders.values()].filter(({ status }) => stageOf(status) !== undefined).length;
  const waiting = orderReads === "open"
    ? t("{count} orders are open. Sign in to move them on.", { count: open })
    : signedOut === undefined ? ""
      : `${t("{count} were waiting then.", { count: signedOut.waiting })} ${
        t("This board shows what was known at {time}.", { time })}`;
  return h("section", { key: "sign-in", class: "sign-in", "aria-label": t("Sign in") },
    h("div", { role: "alert" },
      h("p", { class: "display" }, signedOut === undefined
        ? t("Signed out. Orders may be waiting.")
        : t("Signed out at {time}. Orders may be waiting.", { time })),
      h("p", {}, waiting)),
    h("form", { "data-do": "sign-in" },
      h("label", {}, unseen(t("Sign-in link")), h("input", {
        id: "link", name: "link", autocomplete: "off", spellcheck: "false",
        "aria-describedby": "link-fault", placeholder: t("Paste a sign-in link"),
      })),
      h("button", {}, t("Sign in"))),
    h("p", { id: "link-fault", role: "alert" }, signInFault),
    signedOut === undefined && h("details", {},
      h("summary", {}, t("Where do I get a link?")),
      h("p", {}, howToGetCode),
      h("p", {}, t("Or run this on the computer where Forno runs:"), " ",
        h("code", { dir: "ltr" }, "node dist/token.js staff --expires 7d --link"))));
}

function dialogOf(state: State): Child {
  const { dialog } = state;
  if (dialog?.type === "item") return itemForm(dialog);
  if (dialog?.type === "closing") return closingForm(state);
  if (dialog?.type === "devices") return devicesDialog(dialog);
  if (dialog?.type === "invite") return inviteDialog(dialog);
  if (dialog?.type === "cards") return cardsDialog(dialog);
  return dialog !== undefined && settingsForm(state);
}

/** A closed shop's old notice would be wrong: a new one is offered. */
function closingForm({ now }: State): View {
  const next = new Date(now + 30 * 60_000);
  next.setMinutes(60, 0, 0);
  const times = [0, 1, 2].map((hours) => timeText(next.getTime() + hours * 3_600_000));
  const texts = times.map((time) => t("Back at {time}", { time }));
  return formDialog("close-now", t("Close the shop"),
    h("label", {}, h("span", {}, t("Notice to customers")), h("input", {
      id: "closing-notice", name: "notice", maxlength: 500, autocomplete: "off",
    })),
    h("div", { class: "actions chips" }, ...texts.map((text) =>
      button("offer-notice", text, { class: "round" }, text))),
    h("div", { class: "actions" },
      h("button", { class: "go" }, t("Close the shop")),
      button("close-dialog", "", {}, t("Keep it open"))));
}

function settingsForm(state: State): View {
  const { settings, isSignedIn, isStaff } = state;
  const { chimes, lateChimes, usesKeys, limits, promise } = settings;
  const box = (of: string, label: string, checked: boolean, ...more: readonly Child[]): View =>
    checkbox(label, { checked, "data-do": "switch", "data-of": of }, ...more);
  const minutes = (of: string, label: string, value: number): View =>
    h("label", { key: of }, h("span", { class: "soft" }, label), h("input", {
      type: "number", min: 1, max: 999, step: 1, inputmode: "numeric", value,
      "data-do": "minutes", "data-of": of,
    }));
  return formDialog("close-dialog", t("Settings for this device"),
    ...isReader(state) ? [] : [
      box("chimes", t("Chime while an order waits to be accepted"), chimes),
      box("lateChimes", t("Chime when an order becomes late"), lateChimes),
      box("usesKeys", t("Number keys"), usesKeys, h("small", { class: "soft" },
        t("1 to 9 move that order on, ← and → change the column, U undoes."))),
    ],
    h("fieldset", {}, h("legend", {}, t("Late after so many minutes")),
      h("div", { class: "limits" },
        ...stages.map((stage) => minutes(stage, statusNames[stage], limits[stage])))),
    h("fieldset", {}, h("legend", {}, t("Promised to customers")),
      h("div", { class: "limits" },
        minutes("promise", t("Minutes from the order to the pizza"), promise))),
    h("div", { class: "actions" },
      h("button", { class: "go" }, t("Close")),
      isStaff && button("devices", "", {}, t("Devices")),
      isStaff && button("table-cards", "", {}, t("Table cards")),
      isSignedIn && button("sign-out", "", {}, t("Sign out"))));
}

function arrivedText({ arrived }: State): string {
  const numbers = arrived.join(", ");
  const count = arrived.length;
  return count === 0 ? "" : t("{count} new orders: {numbers}", { count, numbers });
}
