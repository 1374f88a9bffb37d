/** The whole board: the top bar, the bars below it, the tab that is open, and what floats above. */

import { button, type Child, classes, h, icon, logo, unseen, type View } from "../shared/dom.ts";
import { itemOf, tally } from "../shared/menu.ts";
import { lostBar } from "../shared/parts.ts";
import type { MenuKind } from "../shared/types.ts";
import { dayText, number, t, timeText } from "../shared/words.ts";
import { doneTab } from "./done-tab.ts";
import { itemForm } from "./item-form.ts";
import { menuTab } from "./menu-tab.ts";
import { type OpenOrder, stages } from "./orders.ts";
import { groupText, ordersTab, statusNames, waysFrom } from "./orders-tab.ts";
import { howToGetCode } from "../shared/session.ts";
import { signInEnds } from "./sign-in.ts";
import { checkbox, formDialog } from "./parts.ts";
import { type Notice, pendingCount, scales, type State, type Tab, tabs } from "./state.ts";

const tabNames: Readonly<Record<Tab, string>> = {
  orders: t("Orders"), done: t("Done"), menu: t("Menu"),
};

const tabViews: Readonly<Record<Tab, (state: State) => View>> = {
  orders: ordersTab, done: doneTab, menu: menuTab,
};

export function viewOf(state: State): readonly Child[] {
  const look = classes(!state.isSignedIn ? "signed-out" : !state.isStaff && "view-only",
    state.withKeys && "with-keys");
  return [
    h("div", { key: "board", id: "board", class: look },
      topBar(state), !state.isSignedIn && signInBar(state),
      h("div", { key: "stage", class: `stage on-${state.tab}` },
        lostBar(state.lostAt), tabViews[state.tab](state))),
    notices(state),
    h("section", { key: "over", "aria-label": state.popup !== undefined && t("Menu") },
      popup(state), dialogOf(state)),
    h("p", { key: "arrived", class: "unseen", role: "status" }, arrivedText(state)),
    tickets(state),
  ];
}

function topBar(state: State): View {
  const { menu: { shop }, tab, settings: { scale } } = state;
  const size = (by: 1 | -1, text: string, label: string): View => button("scale", by, {
    dir: "ltr", "aria-disabled": scales[scales.indexOf(scale) + by] === undefined && "true",
  }, text, unseen(` ${label}`));
  return h("header", { key: "top", class: "top" },
    h("img", { src: logo, alt: "", width: 24, height: 24 }),
    h("div", { class: "who" }, h("h1", {}, h("bdi", {}, shop.name)), sign(state)),
    h("nav", { "aria-label": t("Views") }, ...tabsFor(state).map((name) => button("tab", name, {
      class: "tab", "aria-current": name === tab && "page",
    }, tabNames[name], name === "orders" && badge(state)))),
    h("div", { class: "tools" },
      h("a", { class: "button", href: "./", target: "_blank", "aria-label": t("Phone order") },
        icon("phone"), h("span", { class: "wide" }, t("Phone order"))),
      size(-1, "A−", t("Smaller text")), size(1, "A+", t("Larger text")),
      button("settings", "", { "aria-label": t("Settings") }, icon("settings"))));
}

/** Readers change nothing, so they have no use for the menu. */
function tabsFor({ isSignedIn, isStaff }: State): readonly Tab[] {
  return tabs.filter((name) => name !== "menu" || isStaff || !isSignedIn);
}

/** Whether the shop takes orders: a shape and a word. */
function sign({ menu: { shop }, isSignedIn, orderReads, now }: State): View {
  const [look, text] = !isSignedIn ? ["square", t("Signed out")]
    : shop.name === "" || orderReads === "loading" ? ["", ""]
      : shop.isOpen ? ["dot", t("Open")] : ["square", t("Closed")];
  return h("p", { class: "sign" },
    h("span", { class: look }, text), isSignedIn && h("span", { class: "ends" }, signInEnds(now)));
}

/** It keeps its place while there is nothing to say: the tabs beside it never move. */
function badge(state: State): View {
  const count = pendingCount(state);
  if (!state.isSignedIn) {
    return h("span", { class: "badge unsure" }, count > 0 ? `${number(count)}?` : "?");
  }
  return h("span", { class: classes("badge", count === 0 && "none") }, count > 0 && number(count));
}

/** No column says zero: what was there stays, and this says what may have come since. */
function signInBar({ signedOut, signInFault, orderReads, orders }: State): View {
  const time = signedOut === undefined ? "" : timeText(signedOut.at);
  const waiting = orderReads === "open"
    ? t("{count} orders are open. Sign in to move them on.", { count: orders.size })
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

function notices({ notices: all, tab, isMuted, isStaff, settings }: State): View {
  return h("div", {
    key: "notices", class: `notices on-${tab}`, role: "log", "aria-label": t("News"),
  },
    isMuted && isStaff && settings.chimes && h("p", {
      key: "unmute", class: "notice unmute", style: { "--slot": 0 },
    }, icon("muted"), h("span", {}, t("Tap anywhere once, so that the chime can sound."))),
    ...all.map((one) => notice(one)));
}

function notice({ key, text, stage, slot, undo }: Notice): View {
  const column = stage === undefined ? 4 : stages.indexOf(stage) + 1;
  return h("div", { key, class: "notice", style: { "--column": column, "--slot": slot } },
    h("span", {}, text),
    undo !== undefined && button("undo", key, {}, t("Undo")));
}

function popup(state: State): Child {
  const { popup: of } = state;
  if (of === undefined) return undefined;
  const [kind = "", id = ""] = of.split(" ");
  const stage = state.orders.get(id)?.stage;
  const name = kind === "order" ? id : itemOf(state.menu, kind as MenuKind, id)?.name ?? id;
  const item = (action: string, about: string, label: string, look = ""): View =>
    button(action, about, {
      key: `${action} ${about}`, role: "menuitem", class: look, tabindex: -1,
    }, label, unseen(` ${name}`));
  const items = kind !== "order"
    ? [item("change", of, t("Change")), item("duplicate", of, t("Duplicate")),
      item("remove", of, t("Remove"), "apart")]
    : stage === undefined ? [] : [
      ...waysFrom[stage].more.map(([to, label]) => item("move", `${id} ${to}`, label)),
      item("print", id, t("Print ticket")),
      item("move", `${id} Cancelled`, t("Cancel order"), "apart"),
    ];
  return items.length === 0 ? undefined : h("div", {
    key: "popup", class: "popup", role: "menu", "aria-label": t("More for {name}", { name }),
  }, ...items);
}

function dialogOf(state: State): Child {
  const { dialog } = state;
  if (dialog?.type === "item") return itemForm(dialog);
  if (dialog?.type === "closing") return closingForm(state);
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

function settingsForm({ settings: { chimes, usesKeys, limits }, isSignedIn }: State): View {
  const box = (of: string, label: string, checked: boolean, ...more: readonly Child[]): View =>
    checkbox(label, { checked, "data-do": "switch", "data-of": of }, ...more);
  return formDialog("close-dialog", t("Settings for this device"),
    box("chimes", t("Chime while an order waits to be accepted"), chimes),
    box("usesKeys", t("Number keys"), usesKeys, h("small", { class: "soft" },
      t("1 to 9 move that order on, ← and → change the column, U undoes."))),
    h("fieldset", {}, h("legend", {}, t("Late after so many minutes")),
      h("div", { class: "limits" }, ...stages.map((stage) =>
        h("label", { key: stage }, h("span", { class: "soft" }, statusNames[stage]), h("input", {
          type: "number", min: 1, max: 999, step: 1, inputmode: "numeric", value: limits[stage],
          "data-do": "limit", "data-of": stage,
        }))))),
    h("div", { class: "actions" },
      h("button", { class: "go" }, t("Close")),
      isSignedIn && button("sign-out", "", {}, t("Sign out"))));
}

function arrivedText({ arrived }: State): string {
  const numbers = arrived.join(", ");
  const count = arrived.length;
  return count === 0 ? "" : t("{count} new orders: {numbers}", { count, numbers });
}

/** Printed: 80 mm wide, black on white, one for each order. */
function tickets(state: State): View {
  return h("div", { key: "tickets", class: "tickets", "aria-hidden": "true" },
    ...state.printing.map((one, index) => ticket(state, one, index)));
}

function ticket(state: State, { order }: OpenOrder, index: number): View {
  const placed = new Date(order.placedAt);
  const lines = [[order.pizzaSize], order.toppings, order.beverages].map(tally);
  const group = groupText(state, order.id);
  return h("article", { key: order.id, class: "ticket", style: { page: `ticket-${index}` } },
    h("h3", {}, unseen(t("Order")), " ", h("bdi", {}, order.id)),
    h("p", {}, t("{day}, {time}", { day: dayText(placed), time: timeText(placed) }),
      group !== "" && h("b", {}, group)),
    ...lines.map((part, at) => h("ul", { key: at }, ...part.map(({ id, text, count }) =>
      h("li", { key: id, class: (count > 1 || at === 0) && "strong" }, h("bdi", {}, text))))));
}
