/**
 * Reads files that the operator made, and files of the package. A fault is a SettingsError with the
 * file and, in JSON, the line.
 */

import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { messageOf } from "./log/system-error.ts";
import { SettingsError } from "./settings.ts";

/** The bytes of a file that the operator made. Throws Error, or Node's error, if it is no file. */
export function readRegularFile(path: string): Buffer {
  if (statSync(path).isFile()) return readFileSync(path);
  // The read of a FIFO would block the whole process, its signals included.
  throw new Error("expected a file, got a folder, a FIFO or a device");
}

/** The value of a JSON file. `setting`: what names the file. Throws SettingsError. */
export function readJson(path: string, setting?: string): unknown {
  const file = setting === undefined ? path : `${setting}: ${path}`;
  let bytes: Buffer;
  try {
    bytes = readRegularFile(path);
  } catch (cause) {
    throw new SettingsError(`${file}: cannot be read: ${messageOf(cause)}`, { cause });
  }
  let text: string | undefined;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return JSON.parse(text);
  } catch (cause) {
    const fault = messageOf(cause);
    const line = text === undefined ? "" : lineOf(fault, text);
    throw new SettingsError(`${file}: expected JSON in UTF-8: ${fault}${line}`, { cause });
  }
}

/** The line of a fault of JSON.parse, in words. "" if the fault has it, or is the text's end. */
function lineOf(fault: string, text: string): string {
  if (fault.includes("(line ") || fault.endsWith("end of JSON input")) return "";
  const [, position] = / at position (\d+)/.exec(fault) ?? [];
  const lines = text.split("\n");
  // An unexpected token has no position: it is in the line that first brings such a fault.
  const line = position === undefined
    ? lines.findIndex((_, index) => isUnexpectedToken(lines.slice(0, index + 1).join("\n"))) + 1
    : text.slice(0, Number(position)).split("\n").length;
  return ` (line ${line})`;
}

function isUnexpectedToken(json: string): boolean {
  try {
    JSON.parse(json);
    return false;
  } catch (error) {
    return messageOf(error).startsWith("Unexpected token");
  }
}

const packageFile = join(dirname(import.meta.dirname), "package.json");

export const version: string = JSON.parse(readFileSync(packageFile, "utf8")).version;
