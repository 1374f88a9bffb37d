/** The order page as elements, from its state: the frame around the menu and the trackers. */

import { asksAgainText, explainRefused } from "../shared/api.ts";
import { type Child, classes, h, icon, unseen, type View } from "../shared/dom.ts";
import { logoOf } from "../shared/look.ts";
import { isOpenedByBoard, isOwnSignIn, signOut } from "../shared/session.ts";
import { t } from "../shared/words.ts";
import { isEmpty } from "./basket.ts";
import { basketView } from "./basket-view.ts";
import { menuView } from "./menu-view.ts";
import { closeBasket, goToName } from "./navigation.ts";
import { mustWait, needsLink } from "./obstacles.ts";
import { ownWholeOrders } from "./own-orders.ts";
import { doubtView, sendingView } from "./sending-view.ts";
import { isInDoubt, isMenuShown, isSending, isStaff, type State } from "./state.ts";
import { momentText } from "./text-views.ts";
import { progressText, tableShown, trackersOf } from "./tracker.ts";
import { trackersView } from "./tracker-view.ts";

export function view(state: State): readonly Child[] {
  return [
    header(state),
    connectionBar(state),
    isMenuShown(state) ? menuPage(state) : trackerPage(state),
    h("p", { key: "announcement", class: "unseen", role: "status" }, state.announcement),
  ];
}

/** A ready order is in the title of the tab, whatever the page shows. */
export function documentTitle(state: State): string {
  const { menu: { shop }, ownOrders } = state;
  const ready = ownWholeOrders(ownOrders, state.orders).find(({ stage }) => stage === "ready");
  const [whole = ready] = trackersOf(state);
  if (whole !== undefined) {
    return t("{name}: {text}", { name: progressText(whole), text: whole.number });
  }
  const text = t("Order a pizza");
  return shop.name === "" || !isMenuShown(state) ? text
    : t("{name}: {text}", { name: shop.name, text });
}

function header(state: State): View {
  const { menu } = state;
  // Staff write name and table in the order.
  const isWritten = isMenuShown(state) && isStaff(state);
  const table = isWritten ? "" : tableShown(state);
  const isInert = isSending(state) || state.isBasketOpen;
  return h("header", { key: "top", class: "top gingham spread", inert: isInert },
    h("img", { src: logoOf(menu.shop), alt: "", width: 30, height: 30 }),
    h("p", { class: classes("display grow shop-name", menu.shop.name.length > 20 && "is-long") },
      menu.shop.name),
    table !== "" ? h("p", { key: "table", class: "display round line table-chip" }, icon("table"),
      h("bdi", {}, table))
      : canChoose(state) && isMenuShown(state) && !isWritten && nameButton(state),
    // An installed board has no button of the browser that leads back.
    isOpenedByBoard && h("a", { key: "board", class: "button", href: "board" },
      t("Back to the board")));
}

/** Says also to those who never unfold the order that a name can be given. */
function nameButton({ basket: { name } }: State): View {
  const isNamed = name.trim() !== "";
  return h("button", { key: "name", class: "round name-button", onclick: goToName }, icon("pen"),
    isNamed ? unseen(`${t("Name")} `) : t("Name"),
    isNamed && h("bdi", {}, name));
}

/** Says what keeps the page from the shop: no network, no answer, or a refused sign-in. */
function connectionBar(state: State): View {
  const { isOffline, lostAt, refused, isDenied } = state;
  const isHindered = isMenuShown(state) ? mustWait(state) || needsLink(state) : isDenied;
  const trouble = isOffline ? t("You’re offline.")
    : lostAt !== undefined ? t("The shop doesn’t answer.")
      : refused !== undefined && isHindered ? explainRefused(refused) : "";
  return h("aside", { key: "lost", class: "lost-bar line amber", hidden: trouble === "" },
    icon("offline"),
    h("p", {}, h("strong", { role: "status" }, trouble), " ", connectionNote(state)));
}

function connectionNote(state: State): Child {
  const { lostAt, isOffline, refused, basket } = state;
  if (lostAt === undefined && !isOffline && refused !== undefined) {
    // A sign-in that has ended does not go on by itself.
    return h("span", {}, refused.reason !== "expired" && asksAgainText, " ",
      isOwnSignIn()
        && h("button", { class: "plain link", onclick: signOut }, t("Forget this sign-in")));
  }
  if (!isMenuShown(state)) {
    return lostAt !== undefined && t("Last update {time}", { time: momentText(lostAt) });
  }
  return !isEmpty(basket) && t("Your order is kept.");
}

function menuPage(state: State): View {
  const isInert = isSending(state) || isInDoubt(state) || state.isBasketOpen;
  return h("main", { key: "shop", class: "menu-page" },
    !isEmpty(state.basket) && !isInert
      && h("a", { key: "skip", class: "button skip", href: "#place" }, t("Your order")),
    h("div", { class: "menu", inert: isInert }, ...menuView(state)),
    ...orderViews(state));
}

function canChoose({ menu }: State): boolean {
  return menu.pizzasizes.length > 0;
}

function orderViews(state: State): readonly Child[] {
  if (isSending(state) || isInDoubt(state)) return sendingViews(state);
  return canChoose(state) ? [
    state.isBasketOpen
      && h("div", { key: "close-order", class: "scrim close-order", onclick: closeBasket }),
    basketView(state),
  ] : [];
}

function trackerPage(state: State): View {
  return h("main", { key: "tracker", class: "tracker-page" },
    h("div", { inert: isSending(state) }, ...trackersView(state)),
    ...isSending(state) ? sendingViews(state) : []);
}

function sendingViews(state: State): readonly View[] {
  return [
    h("div", { key: "scrim", class: "scrim" }),
    isSending(state) ? sendingView(state) : doubtView(state),
  ];
}
