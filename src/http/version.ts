import { readFileSync } from "node:fs";

/** The version in package.json, which lies above both dist and src. */
export const version: string = readVersion();

function readVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  const value: unknown = JSON.parse(text);
  return typeof value === "object" && value !== null && "version" in value
    ? String(value.version)
    : "unknown";
}
