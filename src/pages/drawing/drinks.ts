/**
 * How a drink is drawn: as the vessel that its name says, else as the one that it usually comes in.
 * The first row with a stem in the name counts.
 */

import { normalize } from "../shared/words.ts";

type Vessel = "bottle" | "can" | "glass" | "stem" | "cup";

/** The vessel, what is in it or its label, the outline: see shapes.svg. */
type Colors = readonly [first: string, second: string, third: string];

export interface DrinkLook {
  readonly shape: Vessel;
  readonly colors: Colors;
}

const vessels: readonly (readonly [stems: string, Vessel])[] = [
  ["bottle|bottigl|flasche|botella|bouteil|زجاجة", "bottle"],
  ["can|lattina|dose|lata|canett|علبة", "can"],
  ["glass|draft|spina|fass|bicchier|verre|vaso|كأس|كوب", "glass"],
  ["cup|tazza|tasse|taza|فنجان", "cup"],
];

const coffee: Colors = ["#fffaf0", "#5b3a22", "#a0866c"];
const white: Colors = ["#f5f1e4", "#efd98c", "#94875f"];
const water: Colors = ["#cfe6ee", "#ffffff", "#5f8ea3"];
const wine: Colors = ["#3f5b3a", "#f3ead8", "#2c4028"];
const otherCan: Colors = ["#5a3a22", "#e8c27a", "#3b2412"];
const sand: Colors = ["#f3ece2", "#d8c6ae", "#94836d"];

/** For a drink that its vessel's color does not depend on. */
const byVessel: Readonly<Record<Vessel, Colors>> = {
  bottle: wine, can: otherCan, glass: sand, stem: white, cup: coffee,
};

/** The first vessel is the usual one. */
type Drink = readonly [stems: string, looks: Readonly<Partial<Record<Vessel, Colors>>>];

const drinks: readonly Drink[] = [
  ["espress|coffee|caffe|cafe|kaffee|cappucc|choco|cioccol|schoko|قهوة", { cup: coffee }],
  ["tea|te|tee|the|شاي", { cup: ["#fffaf0", "#9db45c", "#8c9a6c"] }],
  ["red|rosso|rotwein|rouge|tinto|أحمر", { stem: ["#f3ece6", "#8c2340", "#8d7470"] }],
  ["prosecc|spritz|champagn|sekt|white|weißwein|rose|bianco|blanc|أبيض", { stem: white }],
  ["water|acqua|wasser|eau|agua|ماء|مياه", { bottle: water }],
  ["lager|beer|birra|bier|cervez|بيرة", {
    bottle: ["#8a5a2b", "#f2d9a0", "#5f3b18"], glass: ["#fff6df", "#e0a23a", "#9a7233"],
  }],
  ["wine|vino|wein|vin|نبيذ", { bottle: wine }],
  ["cola|كولا", { can: ["#b62f1f", "#fffaf0", "#7d1b10"] }],
  ["chinott|fanta|tonic|energy", { can: otherCan }],
  ["lemon|limon|zitron|citron|ليمون", { glass: ["#f5f1e4", "#f2d449", "#a4905f"] }],
  ["orang|aranc|naranj|برتقال|juice|succo|saft|jus|zumo|عصير", {
    glass: ["#f5f1e4", "#ee9a35", "#a4804f"],
  }],
];

/** Short stems are whole words, so that "can" is not in "americano"; "tee" may end one. */
function patternOf(stems: string, wholeUpTo: number): RegExp {
  const whole = stems.split("|").map((stem) => normalize(stem)).map((stem) =>
    stem === "tee" ? "tee(?!\\p{L})"
      : stem.length <= wholeUpTo ? `(?<!\\p{L})${stem}(?!\\p{L})` : stem);
  return new RegExp(whole.join("|"), "u");
}

const vesselPatterns = vessels.map(([stems, vessel]) => [patternOf(stems, 4), vessel] as const);
const drinkPatterns = drinks.map(([stems, looks]) => [patternOf(stems, 3), looks] as const);

export function lookOfDrink(name: string): DrinkLook {
  const text = normalize(name);
  const [, looks = {}] = drinkPatterns.find(([pattern]) => pattern.test(text)) ?? [];
  const [, vessel] = vesselPatterns.find(([pattern]) => pattern.test(text)) ?? [];
  const [usual = "glass"] = Object.keys(looks) as Vessel[];
  const shape = vessel ?? usual;
  return { shape, colors: looks[shape] ?? byVessel[shape] };
}
