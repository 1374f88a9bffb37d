/**
 * Translations of the pages (contract part 7). data/words/{language}.json is an object from English
 * text to translation. A text that depends on a number has a translation for each of the language's
 * plural categories, such as `one` and `other`. A text without a translation stays English.
 */

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { readJson } from "../files.ts";

export interface Language {
  /** The name of its file: "it", "pt-BR". */
  readonly tag: string;
  /** Its language and script: "pt-Latn". */
  readonly writing: string | undefined;
  /** Only translations that differ from the English text. */
  readonly words: Readonly<Record<string, unknown>>;
}

/** Languages by tag in lower case. */
export type Languages = ReadonlyMap<string, Language>;

/** The same from dist/api and from src/api. */
const folder = join(import.meta.dirname, "../../data/words");

/** Language, script and region (RFC 5646 section 2.1): Intl takes all of that form. */
const fileName = /^([a-z]{2,3}(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?)\.json$/i;

const english: Language = { tag: "en", writing: "en-Latn", words: {} };

/** All languages, English included. Throws SettingsError for a file that is not JSON. */
export function readLanguages(): Languages {
  const files = existsSync(folder) ? readdirSync(folder) : [];
  const tags = files.flatMap((file) => fileName.exec(file)?.[1] ?? []);
  const languages = [english, ...tags.map((tag) =>
    ({ tag, writing: writingOf(tag), words: readWords(tag) }))];
  return new Map(languages.map((language) => [language.tag.toLowerCase(), language]));
}

function readWords(tag: string): Language["words"] {
  const words = Object.entries(Object(readJson(join(folder, `${tag}.json`))));
  return Object.fromEntries(words.filter(([text, word]) => word !== text));
}

/** Undefined for a tag that is none. */
function writingOf(tag: string): string | undefined {
  try {
    const { language, script } = new Intl.Locale(tag).maximize();
    return `${language}-${script}`;
  } catch {
    return undefined;
  }
}

/**
 * The client's most wanted language that exists, else English (RFC 4647 section 3.4). Who wants
 * zh-TW reads a zh-Hant rather than a zh, and a pt-BR where there is no pt-PT.
 */
export function preferredLanguage(
  languages: Languages,
  acceptLanguage: string | undefined,
): Language {
  for (const wanted of preferences(acceptLanguage)) {
    // Longer tags can be cut (RFC 5646 section 4.4.1).
    const tag = wanted.slice(0, 35);
    const found = lookedUp(languages, tag);
    const writing = writingOf(tag);
    if (found !== undefined && found.writing === writing) return found;
    const related = [...languages.values()].find((one) => one.writing === writing) ?? found;
    if (related !== undefined) return related;
  }
  return languages.get(english.tag) ?? english;
}

/** The language with this tag, or with the longest part of it. */
function lookedUp(languages: Languages, tag: string): Language | undefined {
  if (tag === "") return undefined;
  return languages.get(tag)
    ?? lookedUp(languages, tag.slice(0, Math.max(0, tag.lastIndexOf("-"))));
}

/** Replaces each `{{English text}}` by its translation, escaped for text and attributes. */
export function translate(html: string, { words }: Language): string {
  return html.replaceAll(/\{\{(.+?)\}\}/g, (_, text: string) => {
    const word = words[text];
    return escapeHtml(typeof word === "string" ? word : text);
  });
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

const rightToLeft = ["Adlm", "Arab", "Hebr", "Nkoo", "Rohg", "Syrc", "Thaa"];

/** The writing direction. */
export function directionOf({ writing = "" }: Language): "ltr" | "rtl" {
  return rightToLeft.includes(writing.slice(-4)) ? "rtl" : "ltr";
}

/** Longer than a browser's with ten languages. */
const maxPreferencesLength = 500;

/**
 * The values of Accept-Encoding or Accept-Language (RFC 9110 section 12.4.2) in lower case, highest
 * quality first, without refused ones (q=0).
 */
export function preferences(header: string | undefined): readonly string[] {
  // Cut before it is split: 15,000 commas would take milliseconds.
  return (header ?? "")
    .slice(0, maxPreferencesLength)
    .split(",")
    .map(weighted)
    .filter(({ value, quality }) => value !== "" && quality > 0)
    .sort((one, other) => other.quality - one.quality)
    .map(({ value }) => value);
}

function weighted(member: string): { value: string; quality: number } {
  const [value = "", ...parameters] = member.toLowerCase().split(";").map((part) => part.trim());
  const weight = parameters.find((one) => one.startsWith("q="))?.slice(2);
  return { value, quality: weight === undefined ? 1 : Number(weight) };
}
