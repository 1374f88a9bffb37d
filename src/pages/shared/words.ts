/**
 * The page's language: texts, numbers, times and lengths. The server chooses the language and
 * translates the HTML; scripts read the same words here. The English text is the key.
 */

type Word = string | Readonly<Record<string, string>>;

const { lang, dir } = document.documentElement;

/** The person's own variant of the page's language: "en-US" for "en". */
const variant = navigator.languages.find((tag) => tag.split("-")[0] === lang.split("-")[0])
  ?? lang;

/** Order numbers and bottle sizes have Latin digits, so Arabic would mix two kinds without this. */
export const locale = new Intl.Locale(variant, { numberingSystem: "latn" }).toString();

/** Lengths are inches in American English, centimeters elsewhere. */
export const usesInches = variant === "en-US";
export const inchesPerUnit = usesInches ? 1 : 1 / 2.54;

const numbers = new Intl.NumberFormat(locale);
const plurals = new Intl.PluralRules(lang);
const lengths = new Intl.NumberFormat(locale, usesInches ? { style: "unit", unit: "inch" }
  : { style: "unit", unit: "centimeter", maximumFractionDigits: 0 });
const timeFormat = new Intl.DateTimeFormat(locale, { timeStyle: "short" });
const dateFormat = new Intl.DateTimeFormat(locale, { dateStyle: "medium" });

const words = await readWords();

/**
 * The text in the page's language, with each `{name}` in it replaced by that value. A number called
 * `count` chooses the plural form. Keys are whole sentences, written out where they are used, so
 * that a test can compare them with the files.
 */
export function t(text: string, values: Readonly<Record<string, string | number>> = {}): string {
  const word = words[text] ?? text;
  const { count } = values;
  const plural = typeof count === "number" ? plurals.select(count) : "other";
  const form = typeof word === "string" ? word : word[plural] ?? word["other"] ?? text;
  return form.replaceAll(/\{(\w+)\}/g, (_, name: string) => shown(values[name]));
}

export function numberText(value: number): string {
  return numbers.format(value);
}

/** "14.5 in", or "37 cm". */
export function lengthText(diameterInInches: number): string {
  return unbrokenUnit(lengths.format(diameterInInches / inchesPerUnit));
}

/** A number stays on the line of its unit: "0.33 l can" may break before "can" only. */
export function unbrokenUnit(text: string): string {
  return text.replaceAll(/(\d) (?=\p{L})/gu, "$1\u00a0");
}

/** Letters that no accent can be taken off. */
const plainLetters: Readonly<Record<string, string>> = {
  ł: "l", ß: "ss", ø: "o", đ: "d", æ: "ae", œ: "oe",
};

/** For a search: "jalapeno" finds "Jalapeño", "obrien" O’Brien, and "7" the 7 of any script. */
export function normalize(text: string): string {
  return text.normalize("NFKD").replaceAll(/[\p{M}'’ʼ‘`]/gu, "").toLowerCase()
    .replaceAll(/[łßøđæœ]/g, (letter) => plainLetters[letter] ?? letter)
    .replaceAll(/\p{Nd}/gu, digitOf).trim();
}

/** The digits of a script follow one another, from zero on. */
function digitOf(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let value = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value += 1;
  return String(value % 10);
}

/** "7:42 PM", or "19:42". */
export function timeText(moment: Date | number): string {
  return timeFormat.format(moment);
}

/** "7:42", or "19:42": in a kitchen everybody knows whether it is evening. */
export function clockText(moment: string | number): string {
  const parts = timeFormat.formatToParts(new Date(moment));
  return parts.filter(({ type }) => type !== "dayPeriod").map(({ value }) => value).join("").trim();
}

export function dayText(moment: Date | number): string {
  return dateFormat.format(moment);
}

/** "Large, 14.5 in", "Ready, 7:31 PM", or what there is of that. */
export function joined(name: string, note: string): string {
  return name === "" || note === "" ? name + note : t("{name}, {note}", { name, note });
}

/** "Basil, Rocket and Ham". */
export function listed(texts: readonly string[]): string {
  return new Intl.ListFormat(lang, { type: "conjunction" })
    .format(texts.map(isolated));
}

/** Between the names of a list that has no "and". */
export const comma: string = dir === "rtl" ? "، " : ", ";

/** A name keeps its own direction in a text that runs the other way; several have the page's. */
function isolated(text: string): string {
  if (dir !== "rtl") return text;
  return `${text.includes("\u2068") ? "\u2067" : "\u2068"}${text}\u2069`;
}

function shown(value: string | number | undefined): string {
  return typeof value === "number" ? numberText(value) : isolated(`${value}`);
}

/** Without words of its language the page speaks English. */
async function readWords(): Promise<Readonly<Record<string, Word>>> {
  const { href } = document.querySelector<HTMLLinkElement>("#words") ?? {};
  if (href === undefined) return {};
  return fetch(href).then((answer) => answer.json()).catch(() => ({}));
}
