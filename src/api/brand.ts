/**
 * A shop's own logo and colors: `brand/logo.svg` (or `logo.png`) and `brand/theme.css` in the data
 * folder, both optional, read and checked when the server starts. The theme may only set custom
 * properties, so it can change colors and fonts, and nothing else.
 */

import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileFault, SettingsError } from "../settings.ts";

const maxBytes = 262_144;

/** By name, "logo.svg". Throws SettingsError for a file that cannot be used. */
export function readBrand(dataDir: string): ReadonlyMap<string, Buffer> {
  const folder = join(dataDir, "brand");
  const files = new Map<string, Buffer>();
  const logo = ["logo.svg", "logo.png"].find((name) => existsSync(join(folder, name)));
  for (const name of [logo, "theme.css"]) {
    if (name === undefined || !existsSync(join(folder, name))) continue;
    const file = join(folder, name);
    const stats = statSync(file);
    const kindFault = fileFault(stats);
    if (kindFault !== undefined) throw new SettingsError(`${file}: ${kindFault}`);
    const { size } = stats;
    if (size > maxBytes) {
      throw new SettingsError(`${file}: expected at most ${maxBytes} bytes, got ${size}`);
    }
    const content = readFileSync(file);
    const fault = name === "theme.css" ? themeFault(content.toString()) : logoFault(name, content);
    if (fault !== undefined) throw new SettingsError(`${file}${fault}`);
    files.set(name, content);
  }
  return files;
}

function logoFault(name: string, content: Buffer): string | undefined {
  const start = name.endsWith(".png") ? "\x89PNG\r\n" : "<";
  const text = content.toString("latin1").replace(/^\xef\xbb\xbf/, "").trimStart();
  if (text.startsWith(start)) return undefined;
  return `: expected ${name.endsWith(".png") ? "a PNG" : "an SVG"} image`;
}

/** A part of a theme: `:root { --fire: #b3261a; }`, also for dark screens. */
const themePart = new RegExp([
  /\s+/, /\/\*.*?\*\//, /:root\s*\{/, /@media\s*\(prefers-color-scheme:\s*(?:dark|light)\)\s*\{/,
  /--[\w-]+\s*:[^;{}<\\]*;/, /\}/,
].map(({ source }) => source).join("|"), "sy");

function themeFault(theme: string): string | undefined {
  for (let at = 0; at < theme.length; at = themePart.lastIndex) {
    themePart.lastIndex = at;
    if (themePart.test(theme)) continue;
    const line = theme.slice(0, at).split("\n").length;
    const found = theme.slice(at).split("\n")[0]?.slice(0, 60);
    return `:${line}: expected custom properties within :root, such as "--fire: #b3261a;", ` +
      `got ${JSON.stringify(found)}`;
  }
  return undefined;
}
