/**
 * The dialog Table cards: a sign for each table, with a QR code that opens the order page for it.
 * Six go on a sheet of paper. In the code a card is an order's.
 */

import { readGuestOrders } from "../shared/api.ts";
import { classes, h, icon, type View } from "../shared/dom.ts";
import { logoOf } from "../shared/look.ts";
import { save, saved } from "../shared/storage.ts";
import { tableNamesKey } from "../shared/table-names.ts";
import { t } from "../shared/words.ts";
import { dialogFrame } from "./dialog-frame.ts";
import type { TableSignsDialog } from "./dialog-state.ts";
import { printPages } from "./paper.ts";
import { fitsCode, onlyHereWarning, ownAddress, qrCode } from "./qr-code.ts";
import { openDialog, state, updateDialog } from "./store.ts";

const signsOnPage = 6;
const longestName = 40;
/** From here on a name has smaller letters, and two lines. */
const longName = 15;

export async function openTableSigns(): Promise<void> {
  const names = saved(tableNamesKey, "") ?? "";
  openDialog({ type: "table-signs", names, guestOrders: undefined });
  const guestOrders = await readGuestOrders().catch(() => undefined);
  updateDialog("table-signs", { guestOrders });
}

export function tableSignsButton(): View {
  return h("button", { key: "signs", onclick: () => { void openTableSigns(); } }, icon("print"),
    t("Table cards"));
}

function nameTables(names: string): void {
  updateDialog("table-signs", { names });
  save(tableNamesKey, names);
}

/** Adds those that are not there yet. */
function addTwelve(dialog: TableSignsDialog): void {
  const twelve = Array.from({ length: 12 }, (_, index) => tableName(index + 1));
  nameTables([...new Set([...namesIn(dialog), ...twelve])].join("\n"));
}

function printSigns(names: readonly string[]): void {
  const pages = Array.from({ length: pageCount(names) }, (_, index) =>
    names.slice(index * signsOnPage, (index + 1) * signsOnPage));
  printPages("printed-signs", pages.map((tables, index) =>
    h("section", { key: index }, ...tables.map(tableSign))));
}

function tableName(tableNumber: number): string {
  return t("Table {number}", { number: tableNumber });
}

function namesIn({ names }: TableSignsDialog): readonly string[] {
  const lines = names.split("\n").map((line) => line.trim().replaceAll(/\s+/g, " "));
  return [...new Set(lines)].filter((line) => line !== "");
}

function pageCount(names: readonly string[]): number {
  return Math.ceil(names.length / signsOnPage);
}

/** The page that a sign's code opens: beside this board, under the same address. */
function linkFor(name: string): string {
  return `${ownAddress}?${new URLSearchParams({ for: name })}`;
}

/** The first fault of the typed names. */
function faultIn(names: readonly string[]): string {
  for (const name of names) {
    if ([...name].length > longestName) return t("{name}: this name is too long.", { name });
    if (!fitsCode(linkFor(name))) {
      return t("{name}: too long for a code, together with the address.", { name });
    }
  }
  return "";
}

export function tableSignsDialog(dialog: TableSignsDialog): View {
  const names = namesIn(dialog);
  const fault = faultIn(names);
  return dialogFrame({ name: "signs", title: t("Table cards") }, [
    h("div", { class: "table-signs" },
      nameFields(dialog, names, fault),
      h("div", { class: "stack" },
        h("p", { id: "sign-preview" }, t("How a card looks")),
        h("div", { class: "preview box", "aria-labelledby": "sign-preview", role: "img" },
          tableSign(names.at(-1) ?? tableName(7)))),
      onlyHereWarning() || h("p", { class: "soft small" },
        t("The codes open {address}. It must stay the same: print new cards if it changes.", {
          address: ownAddress,
        })),
      dialog.guestOrders === false && h("p", { class: "fault" },
        t("Guests can’t order on their own yet."), " ",
        t("Where Forno runs, set {setting} and start it again.", { setting: "GUEST_ORDERS=on" }))),
  ], [
    h("p", { class: "soft" }, t("A code holds no secret. It says which table it is.")),
    fault === "" && names.length > 0 && h("button", {
      class: "go", onclick: () => { printSigns(names); },
    }, icon("print"), t("Print {count} cards", { count: names.length })),
  ]);
}

function nameFields(dialog: TableSignsDialog, names: readonly string[], fault: string): View {
  return h("div", { class: "stack" },
    h("label", {}, h("span", {}, t("Tables, one name a line")), h("textarea", {
      value: dialog.names, rows: 9, dir: "auto", spellcheck: "false", autofocus: true,
      "aria-describedby": "names-note names-fault",
      oninput: ({ currentTarget: { value } }) => { nameTables(value); },
    })),
    h("button", { onclick: () => { addTwelve(dialog); } },
      t("{first} to {last}", { first: tableName(1), last: tableName(12) })),
    h("p", { id: "names-note", class: "soft small" },
      names.length === 0 ? t("There is nothing to print yet.")
        : t("{count} sheets, six cards on each.", { count: pageCount(names) }), " ",
      t("A name can have up to {longest} letters.", { longest: longestName })),
    h("p", { id: "names-fault", class: "fault", role: "alert" }, fault));
}

/** Lengths in a sign are multiples of `--mm`: see table-signs.css. */
function tableSign(name: string): View {
  return h("article", { key: name, class: "table-sign" },
    h("p", { class: "brand" }, h("img", { src: logoOf(state().menu.shop), alt: "" }),
      h("bdi", {}, state().menu.shop.name)),
    h("h3", { class: classes([...name].length >= longName && "long") }, h("bdi", {}, name)),
    qrCode(linkFor(name), t("Code for {name}", { name })),
    h("p", {}, t("Scan, choose, and we bring it to you.")));
}
