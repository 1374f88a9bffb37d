/** The dialog Shop: the name, the logo and the color that guests see. */

import { explain } from "../shared/api.ts";
import { type Child, classes, h, submitted, type View } from "../shared/dom.ts";
import { inkOn, logoOf } from "../shared/look.ts";
import { t } from "../shared/words.ts";
import type { ShopDialog } from "./dialog-types.ts";
import { dialogFrame } from "./dialog-frame.ts";
import { openDialog, updateDialog } from "./dialogs.ts";
import { logoFrom } from "./logo.ts";
import { notify } from "./notices.ts";
import { changeShop } from "./shop-writes.ts";
import { state } from "./store.ts";

/** Empty: no color is stored, and the pages have Forno's red. */
const colors: Readonly<Record<string, string>> = {
  "": t("Tomato"), "#8c2340": t("Wine"), "#5b2a6e": t("Aubergine"), "#0a5c8c": t("Sea"),
  "#0b5d66": t("Petrol"), "#7a4419": t("Chestnut"),
};

const tomato = "#b3261a";

export function openShopForm(): void {
  const { name, color = "", logo = "" } = state().menu.shop;
  openDialog({
    type: "shop", name, color, logo, isOwnColor: !(color in colors), failure: "", isSaving: false,
  });
}

/** "#0a5c8c", also where it was typed without "#"; undefined where it is no color. */
function colorOf({ color }: ShopDialog): string | undefined {
  const code = color.trim().toLowerCase().replace(/^#?/, "#");
  return color === "" ? "" : /^#[0-9a-f]{6}$/.test(code) ? code : undefined;
}

async function save(dialog: ShopDialog): Promise<void> {
  if (dialog.isSaving) return;
  const { logo } = dialog;
  const [name, color] = [dialog.name.trim(), colorOf(dialog)];
  if (name === "") return updateDialog("shop", { failure: t("The shop needs a name.") });
  if (color === undefined) {
    return updateDialog("shop", { failure: t("A color code has six signs, such as #0a5c8c.") });
  }
  updateDialog("shop", { isSaving: true, failure: "" });
  const failure = await changeShop(() => ({ name, color, logo })).then(() => "", explain);
  if (failure !== "") return updateDialog("shop", { isSaving: false, failure });
  notify(t("Saved"));
  openDialog({ type: "settings" });
}

async function readLogo(file: File | undefined): Promise<void> {
  if (file === undefined) return;
  const change = await logoFrom(file).then((logo) => ({ logo, failure: "" }),
    () => ({ failure: t("That is no picture.") }));
  updateDialog("shop", change);
}

export function shopForm(dialog: ShopDialog): View {
  const { name, failure } = dialog;
  const back = (): void => { openDialog({ type: "settings" }); };
  return dialogFrame({ name: "shop", title: t("Shop"), back }, [
    h("form", {
      id: "shop", novalidate: true, onsubmit: submitted(() => { void save(dialog); }),
    },
      h("label", {}, h("span", {}, t("Name")), h("input", {
        name: "name", value: name, maxlength: 200, autocomplete: "off",
        oninput: ({ currentTarget: { value } }) => { updateDialog("shop", { name: value }); },
      })),
      logoField(dialog), colorField(dialog), preview(dialog)),
  ], [
    h("p", { class: "fault", role: "alert" }, failure),
    h("button", { type: "submit", form: "shop", class: "go" }, t("Save")),
    h("button", { onclick: back }, t("Don’t change")),
  ]);
}

function logoField({ logo }: ShopDialog): View {
  const choose = (): void => { document.querySelector<HTMLElement>("#logo-file")?.click(); };
  return h("div", { class: "logo-field", role: "group", "aria-labelledby": "logo-label" },
    h("p", { id: "logo-label" }, t("Logo")),
    h("img", { src: logoOf(logo === "" ? {} : { logo }), alt: "" }),
    h("input", {
      id: "logo-file", type: "file", accept: "image/*", hidden: true,
      oninput: ({ currentTarget }) => { void readLogo(currentTarget.files?.[0]); },
    }),
    h("div", {},
      h("button", { onclick: choose }, logo === "" ? t("A picture") : t("Another picture")),
      logo !== "" && h("button", {
        key: "remove", class: "plain link", onclick: () => { updateDialog("shop", { logo: "" }); },
      }, t("Remove")),
      h("p", { class: "soft small" }, t("Best is a square. It is made small here."))));
}

function colorField(dialog: ShopDialog): View {
  const { color, isOwnColor } = dialog;
  const pick = (change: Partial<ShopDialog>) => (): void => { updateDialog("shop", change); };
  const swatch = (value: string, name: string, isChosen: boolean, press: () => void): View =>
    h("label", { key: name, class: classes("swatch", isChosen && "chosen") },
      h("input", { type: "radio", name: "color", checked: isChosen, oninput: press }),
      h("i", { style: { "--shop": value } }), h("span", {}, name));
  return h("fieldset", {}, h("legend", {}, t("Color of buttons and marks")),
    h("div", { class: "swatches" },
      ...Object.entries(colors).map(([value, name]) =>
        swatch(value || tomato, name, !isOwnColor && color === value,
          pick({ color: value, isOwnColor: false, failure: "" }))),
      swatch("conic-gradient(#b3261a, #f2b441, #1f6b3a, #0a5c8c, #5b2a6e, #b3261a)", t("Your own"),
        isOwnColor, pick({ color: color === "" ? tomato : color, isOwnColor: true }))),
    ...isOwnColor ? ownColor(dialog) : []);
}

function ownColor(dialog: ShopDialog): readonly Child[] {
  const code = colorOf(dialog);
  const isPale = code !== undefined && inkOn(code) === "#000000";
  const field = (more: object): View => h("input", {
    oninput: ({ currentTarget: { value } }) => {
      updateDialog("shop", { color: value, failure: "" });
    }, ...more,
  });
  return [
    h("div", { key: "own", class: "own-color" },
      h("label", {}, h("span", {}, t("Color code")),
        field({ name: "code", value: dialog.color, autocomplete: "off", dir: "ltr" })),
      field({ type: "color", value: code ?? tomato, "aria-label": t("Your own") })),
    h("p", { key: "pale", class: "fault", role: "status" }, isPale
      ? t("White cannot be read on this color. Words on it are black.") : ""),
  ];
}

/** The head of the order page, its button, and the bar of the board. */
function preview(dialog: ShopDialog): View {
  const { name, logo } = dialog;
  const color = colorOf(dialog) || tomato;
  const head = (): readonly View[] => [
    h("img", { src: logoOf(logo === "" ? {} : { logo }), alt: "" }), h("bdi", {}, name),
  ];
  return h("div", {},
    h("p", { id: "look" }, t("How it looks")),
    h("div", {
      class: "look", role: "img", "aria-labelledby": "look",
      style: { "--shop": color, "--on-shop": inkOn(color) },
    },
      h("p", { class: "head gingham" }, ...head()),
      h("p", { class: "page" }, h("b", {}, t("Place order"))),
      h("p", { class: "bar" }, ...head())),
    h("p", { class: "soft small" }, t("Red for “late” and green for “go on” stay as they are.")));
}
