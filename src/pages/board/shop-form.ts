/** The dialog Shop: the name, the logo and the color that guests see. It makes a logo small. */

import { h, type View } from "../shared/dom.ts";
import { logoOf } from "../shared/look.ts";
import type { Shop } from "../shared/types.ts";
import { t } from "../shared/words.ts";
import { freshForm, type ShopDialog } from "./dialog-state.ts";
import { formDialog, saveForm, textField, textIn } from "./forms.ts";
import { changeShop } from "./shop-writes.ts";
import { notify, openDialog, state, typeInto, updateDialog } from "./store.ts";

/** Forno's red, which is stored as no color. */
const tomato = "#b3261a";

export function openShopForm(): void {
  openDialog({ type: "shop", ...freshForm });
}

function openSettings(): void {
  openDialog({ type: "settings" });
}

function textsIn({ name, color = tomato, logo = "" }: Shop): Readonly<Record<string, string>> {
  return { name, color, logo };
}

/** The fields that differ from the shop as it is now. */
function changesOf(dialog: ShopDialog): Partial<Shop> {
  const differs = Object.entries(textsIn(state().menu.shop)).filter(([field, now]) =>
    textIn(dialog, field, now).trim() !== now);
  return Object.fromEntries(differs.map(([field]) => {
    const text = dialog.typed[field]?.trim() ?? "";
    return [field, text === tomato ? "" : text];
  }));
}

function save(dialog: ShopDialog): Promise<void> {
  const changes = changesOf(dialog);
  const faults = changes.name === "" ? { name: t("The shop needs a name.") } : {};
  return saveForm(dialog, faults, async () => {
    await changeShop(() => changes);
    return "";
  }, () => {
    notify(t("Saved"));
    openSettings();
  });
}

async function readLogo(file: File | undefined): Promise<void> {
  if (file === undefined) return;
  try {
    typeInto("logo", await logoFrom(file));
    updateDialog("shop", { failure: "" });
  } catch {
    updateDialog("shop", { failure: t("That is no picture.") });
  }
}

export function shopForm(dialog: ShopDialog): View {
  const { name = "", color = "", logo = "" } = textsIn(state().menu.shop);
  return formDialog(dialog, {
    title: t("Shop"), isTyped: Object.keys(changesOf(dialog)).length > 0, back: openSettings,
    leaveLabel: t("Don’t change"), save: () => save(dialog),
  },
    textField(dialog, { name: "name", label: t("Name"), first: name }),
    logoField(textIn(dialog, "logo", logo)),
    h("label", { key: "color" }, h("span", {}, t("Color of buttons and marks")), h("input", {
      type: "color", name: "color", value: textIn(dialog, "color", color),
      oninput: ({ currentTarget: { value } }) => { typeInto("color", value); },
    })));
}

function logoField(logo: string): View {
  const choose = (): void => { document.querySelector<HTMLElement>("#logo-file")?.click(); };
  return h("div", {
    key: "logo", class: "logo-field wrap", role: "group", "aria-labelledby": "logo-label",
  },
    h("p", { id: "logo-label" }, t("Logo")),
    h("img", { class: "box", src: logoOf(logo === "" ? {} : { logo }), alt: "" }),
    h("input", {
      id: "logo-file", type: "file", accept: "image/*", hidden: true,
      oninput: ({ currentTarget }) => { void readLogo(currentTarget.files?.[0]); },
    }),
    h("div", {},
      h("button", { onclick: choose }, logo === "" ? t("A picture") : t("Another picture")),
      logo !== "" && h("button", {
        key: "remove", class: "plain link", onclick: () => { typeInto("logo", ""); },
      }, t("Remove")),
      h("p", { class: "soft small" }, t("Best is a square. It is made small here."))));
}

/** The service takes no longer ones: each event of the shop has the logo. */
const longestLogo = 8_000;

/** In pixels, from the largest on. */
const sides = [192, 160, 128, 96, 72, 56, 40, 28];

/** The sharpest that is short enough, as a data URL. Rejects for a file that is no picture. */
async function logoFrom(file: Blob): Promise<string> {
  const image = new Image();
  image.src = await dataUrlOf(file);
  await image.decode();
  for (const side of sides) {
    // A browser that cannot write WebP writes a PNG.
    const logo = draw(image, side).toDataURL("image/webp", 0.9);
    if (logo.length <= longestLogo) return logo;
  }
  throw new Error(t("That is no picture."));
}

function dataUrlOf(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => { resolve(String(reader.result)); };
    reader.onerror = reject;
    reader.readAsDataURL(file);
  });
}

/** As large as fits, on nothing. */
function draw(image: HTMLImageElement, side: number): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  // A drawing without a size of its own fills the square.
  const { naturalWidth: width = side, naturalHeight: height = side } = image;
  const scale = side / Math.max(width, height, 1);
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas;
}
