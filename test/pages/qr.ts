/** The encoder of the pages, and what a code on the board holds. */

import type { Window } from "./browser.ts";

type Modules = readonly (readonly boolean[])[];

interface Qr {
  qrModules(text: string): Modules;
  qrPath(modules: Modules): string;
}

// By a computed address: the compiler checks the pages with the types of a browser, apart.
const { href } = new URL("../../src/pages/board/qr-modules.ts", import.meta.url);
export const { qrModules, qrPath }: Qr = await import(href);

/** Waits until these codes are drawn there, one for each text, with the light around it. */
export async function codesAre(board: Window, place: string, texts: string[]): Promise<void> {
  const codes = texts.map((text) => qrModules(text));
  await board.is(`$$("${place} svg.qr path").map((one) =>
    [one.getAttribute("d"), one.ownerSVGElement.viewBox.baseVal.width])`,
  codes.map((modules) => [qrPath(modules), modules.length + 8]), texts.join());
}
