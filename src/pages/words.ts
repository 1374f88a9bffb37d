/**
 * The page's language: its texts, numbers, times and lengths. The server has chosen the language
 * and translated what stands in the HTML; here is what scripts say. The English text is the key.
 */

type Word = string | Readonly<Record<string, string>>;

const { lang, dir } = document.documentElement;

/** As the person's own browser writes that language: "en-US" of "en". */
export const locale = navigator.languages.find((tag) => tag.split("-")[0] === lang.split("-")[0])
  ?? lang;

/** Lengths are inches in American English, centimetres elsewhere (contract part 7). */
export const usesInches = locale === "en-US";
const inchesPerUnit = usesInches ? 1 : 1 / 2.54;

const plural = new Intl.PluralRules(lang);
const inches = new Intl.NumberFormat(locale, { style: "unit", unit: "inch" });
const centimetres = new Intl.NumberFormat(locale, {
  style: "unit", unit: "centimeter", maximumFractionDigits: 0,
});
const time = new Intl.DateTimeFormat(locale, { timeStyle: "short" });
const date = new Intl.DateTimeFormat(locale, { dateStyle: "medium" });

const words = await readWords();

/**
 * The text in the page's language, each `{name}` in it replaced by that value. A number called
 * `count` chooses among plural forms. Keys are whole sentences, written out where they are used: a
 * test compares them with the files.
 */
export function t(text: string, values: Readonly<Record<string, string | number>> = {}): string {
  const word = words[text] ?? text;
  const { count } = values;
  const form = typeof word === "string" ? word
    : (typeof count === "number" ? word[plural.select(count)] : undefined) ?? word["other"] ?? text;
  return form.replaceAll(/\{(\w+)\}/g, (_, name: string) => shown(values[name]));
}

export function number(value: number): string {
  return value.toLocaleString(locale);
}

/** "14.5 in", or "37 cm". */
export function length(diameterInInches: number): string {
  return usesInches ? inches.format(diameterInInches)
    : centimetres.format(diameterInInches / inchesPerUnit);
}

/** As people type it: "14.5", or "36,8". */
export function lengthText(diameterInInches: number): string {
  const options = { maximumFractionDigits: 1, useGrouping: false };
  return (diameterInInches / inchesPerUnit).toLocaleString(locale, options);
}

/**
 * The inches that were typed, 0 where it is no width. "25,5" is twenty-five and a half, wherever
 * one is; so it is in Arabic digits.
 */
export function inchesIn(text: string): number {
  const latin = text.trim().replaceAll(/[٠-٩۰-۹]/g, (digit) =>
    String((digit.charCodeAt(0) - 0x660) % 0x90)).replace(/[,٫]/, ".");
  const isNumber = /^\d+(\.\d*)?$|^\.\d+$/.test(latin);
  return isNumber ? Number((Number(latin) * inchesPerUnit).toFixed(4)) : 0;
}

/** For a search, as people type: "jalapeno" finds "Jalapeño". */
export function plain(text: string): string {
  return text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase().trim();
}

/** "7:42 PM", or "19:42". */
export function clock(moment: Date | number): string {
  return time.format(moment);
}

export function day(moment: Date | number): string {
  return date.format(moment);
}

function shown(value: string | number | undefined): string {
  if (typeof value === "number") return number(value);
  // A name keeps its own direction within a sentence that runs the other way.
  return dir === "rtl" ? `\u2068${value}\u2069` : `${value}`;
}

/** Without them the page goes on in English. */
async function readWords(): Promise<Readonly<Record<string, Word>>> {
  const { href } = document.querySelector<HTMLLinkElement>("#words") ?? {};
  if (href === undefined) return {};
  return fetch(href).then((answer) => answer.json()).catch(() => ({}));
}
