/**
 * The look of the shop: its color and its logo. Both come with the page, so that the first drawing
 * has them, and change with the shop. This file reads and changes the head of the document.
 */

import { filesPath } from "./dom.ts";
import { emptyMenu, type Menu } from "./menu.ts";
import type { Shop } from "./types.ts";

export type Look = Pick<Shop, "color" | "logo">;

const root = document.documentElement;
const tabIcon = document.querySelector<HTMLLinkElement>("link[rel=icon]");
const fornoLogo = new URL("icon.svg", new URL(filesPath, document.baseURI)).href;

/** The menu before it is read: nothing but the look that the server sent with the page. */
export function menuAtFirst(): Menu {
  const { color } = root.dataset;
  const logo = tabIcon?.href;
  const sent = { ...(color && { color }), ...(logo?.startsWith("data:") && { logo }) };
  return { ...emptyMenu, shop: { ...emptyMenu.shop, ...sent } };
}

/** The address of the shop's logo, else of Forno's. */
export function logoOf({ logo }: Look): string {
  return logo ?? fornoLogo;
}

let shown: Look | undefined;

/** Gives the document this color, and the tab this logo. */
export function showLook({ color, logo }: Look): void {
  if (shown?.color === color && shown?.logo === logo) return;
  shown = { color, logo };
  root.dataset["color"] = color ?? "";
  const { style } = root;
  if (color === undefined) for (const name of ["--shop", "--on-shop"]) style.removeProperty(name);
  else {
    style.setProperty("--shop", color);
    style.setProperty("--on-shop", inkOn(color));
  }
  if (tabIcon !== null) tabIcon.href = logoOf({ logo });
}

/** White if its contrast to this color is 4.5 (WCAG 2.2, 1.4.3), else black. */
function inkOn(color: string): "#ffffff" | "#000000" {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const value = Number.parseInt(color.slice(start, start + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return 1.05 / (luminance + 0.05) >= 4.5 ? "#ffffff" : "#000000";
}
