/** Cards for tables, printed from the board: what a guest's camera reads (contract part 7). */

import assert from "node:assert/strict";
import type { Window } from "./browser.ts";
import { decodeQr, type Grid, gridOfPath } from "./qr-decoder.ts";
import { type Shop, shopTest } from "./shop.ts";

const names = ".table-cards textarea";
const address = "[data-do=cards-address]";

async function openCards(shop: Shop, language = "en-GB"): Promise<Window> {
  const board = await shop.board({ language });
  await board.run(`
    window.printed = 0;
    window.print = () => { window.printed += 1; };`);
  await board.tap("Settings");
  await board.tap("Table cards");
  await board.until(`document.querySelector("${names}")`);
  return board;
}

/** What each code within holds. */
async function codesIn(board: Window, place: string): Promise<string[]> {
  const codes = await board.run<[string, number][]>(`
    return [...document.querySelectorAll("${place} svg.qr")].map((one) =>
      [one.querySelector("path").getAttribute("d"), one.viewBox.baseVal.width]);`);
  const texts = codes.map(([path, side]) => decodeQr(gridOfPath(path, side - 8)).text);
  const [[path, side] = ["", 0]] = codes;
  const seen = await board.run<Grid>(photograph, path, side - 8);
  assert.equal(decodeQr(seen).text, texts[0], "as a camera sees it");
  return texts;
}

/**
 * Draws a path as a photograph of a small print shows it, of little more than two pixels a module
 * and not straight, and answers what is dark where each module was.
 */
const photograph = `
  const [path, size] = arguments;
  const canvas = (side) => Object.assign(document.createElement("canvas"), {
    width: side, height: side,
  }).getContext("2d", { willReadFrequently: true });
  const print = canvas(8 * (size + 8));
  print.fillStyle = "#fff";
  print.fillRect(0, 0, print.canvas.width, print.canvas.width);
  print.setTransform(8, 0, 0, 8, 32, 32);
  print.fillStyle = "#000";
  print.fill(new Path2D(path));
  const photo = canvas(4 * (size + 8));
  const turn = new DOMMatrix().translate(1.5 * size, 8).rotate(11).scale(2.3);
  photo.setTransform(turn.scale(1 / 8));
  photo.imageSmoothingQuality = "high";
  photo.drawImage(print.canvas, 0, 0);
  const rows = Array.from({ length: size }, (_, row) => row);
  return rows.map((row) => rows.map((column) => {
    const { x, y } = turn.transformPoint({ x: column + 4.5, y: row + 4.5 });
    return photo.getImageData(Math.floor(x), Math.floor(y), 1, 1).data[0] < 128;
  }));`;

const isOff = `document.querySelector("[data-do=print-cards]").ariaDisabled === "true"`;

shopTest("twelve cards in one press, six on a sheet, each with the link of its table",
  { GUEST_ORDERS: "on" }, async (shop) => {
    await shop.place();
    const board = await openCards(shop);
    assert.ok(await board.run(`return ${isOff}`), "no name, no card");
    await board.tap("Table 1 to Table 12");
    await board.says("2 sheets of A4, six cards on each.");
    await board.type(names, "\nTerrace, by the lemon tree");
    await board.tap("Print 13 cards");
    assert.equal(await board.run("return window.printed"), 1);
    const links = await codesIn(board, ".sheets");
    assert.equal(links.length, 13);
    assert.equal(links[6], `${shop.forno.origin}/?for=Table+7`);
    assert.deepEqual(await codesIn(board, ".preview"), links.slice(12), "the last one typed");
    assert.doesNotMatch(await board.text(), /Guests can’t order/);
    assert.deepEqual(await board.printedPages(), Array(3).fill([210, 297]), "no order is printed");
    // The browser has told that it is done.
    assert.equal(await board.run(`return document.querySelector(".sheets")`), null);

    const guest = await shop.browser.open(links[6] ?? "");
    await guest.until(`/Table.7/.test(document.body.innerText)`);
    const beside = await shop.browser.open(`${shop.forno.origin}/board`, { beside: board });
    await beside.tap("Settings");
    await beside.tap("Table cards");
    await beside.until(`document.querySelector("${names}").value.includes("lemon tree")`);
    assert.deepEqual(await board.complaints(), []);
  });

shopTest("on paper as Americans have it, and under the address that was typed", async (shop) => {
  const board = await openCards(shop, "en-US");
  await board.fill(names, "Bar");
  await board.fill(address, "https://forno.example/pizza");
  await board.tap("Print 1 card");
  assert.deepEqual(await codesIn(board, ".sheets"), ["https://forno.example/pizza/?for=Bar"]);
  assert.deepEqual(await board.printedPages(), [[216, 279]]);
  await board.tap("A4");
  await board.tap("Print 1 card");
  assert.deepEqual(await board.printedPages(), [[210, 297]]);
});

shopTest("what would be no use printed is said before, and not printed", async (shop) => {
  const board = await openCards(shop);
  await board.says("Guests can’t order on their own yet. Where Forno runs, set "
    + "GUEST_ORDERS=on and start it again.");
  assert.match(await board.text(), /Only this computer can open http:\/\/127\.0\.0\.1:\d+\/\./);
  for (const [typed, fault] of [
    ["Table 1\nالشرفة", "الشرفة: the kitchen needs a digit in it, or a letter from A to Z."],
    ["Zoë\nZoe", "The kitchen can’t tell Zoe from Zoë."],
    [`A${"b".repeat(40)}`, `A${"b".repeat(40)}: this name is too long.`],
    [`1${"طاولة".repeat(7)}`, "too long for a code, together with the address."],
  ] as const) {
    await board.fill(names, typed);
    await board.says(fault);
    await board.until(isOff);
    await board.click("[data-do=print-cards]");
  }
  await board.fill(names, "Table 1\n\n  Table   1 \nطاولة 2");
  await board.until(`!(${isOff})`);
  for (const typed of ["forno", "ftp://forno.example/", "https://forno.example/?for=1", " "]) {
    await board.fill(address, typed);
    await board.says("The address is something like https://forno.example/.");
    await board.until(isOff);
  }
  assert.equal(await board.run("return window.printed"), 0);
  await board.fill(address, "https://forno.example");
  await board.tap("Print 2 cards");
  assert.deepEqual(await codesIn(board, ".sheets"), ["Table+1", "%D8%B7%D8%A7%D9%88%D9%84%D8%A9+2"]
    .map((name) => `https://forno.example/?for=${name}`));
});
