/** Makes a logo of any picture. Reads a file of the device, and draws on a canvas. */

import { t } from "../shared/words.ts";

/** The service takes no longer ones: each event of the shop has the logo. */
const longestLogo = 8_000;

/** In pixels, from the largest on. */
const sides = [192, 160, 128, 96, 72, 56, 40, 28];

const types: readonly (readonly [type: string, quality?: number])[] = [
  ["image/png"], ["image/webp", 0.9], ["image/webp", 0.7],
];

/** The sharpest that is short enough, as a data URL. Rejects for a file that is no picture. */
export async function logoFrom(file: Blob): Promise<string> {
  const image = new Image();
  image.src = await dataUrlOf(file);
  await image.decode();
  for (const side of sides) {
    for (const [type, quality] of types) {
      const logo = draw(image, side).toDataURL(type, quality);
      // A browser that cannot write this type writes a PNG.
      if (logo.length <= longestLogo && logo.startsWith(`data:${type}`)) return logo;
    }
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
