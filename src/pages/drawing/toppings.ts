/**
 * How a topping is drawn: word stems in six languages lead to a shape of shapes.svg and its colors.
 * The first row with a stem in the name counts, so the special comes before the general.
 */

import { normalize } from "../shared/words.ts";

/**
 * From the dough up: what comes later lies on top. How large a piece of each shape is on a pizza of
 * radius 100, and how many there are of a topping.
 */
export const shapes = {
  sauce: [0, 0], melt: [40, 9], crumble: [28, 8], fold: [28, 7], disc: [24, 9], salami: [27, 12],
  tomato: [22, 10], wedge: [22, 8], mushroom: [27, 8], artichoke: [26, 8], prawn: [28, 7],
  strip: [28, 8], stick: [32, 8], fillet: [40, 7], cube: [22, 8], bits: [22, 8], dots: [22, 8],
  onion: [26, 8], ring: [22, 11], sprig: [22, 8], leaf: [26, 6], lobed: [30, 8], shred: [26, 9],
} as const;

type Shape = keyof typeof shapes;

/** `colors`: see shapes.svg. */
export interface Paint {
  readonly shape: Shape;
  readonly colors: readonly [first: string, second: string, third: string];
}

type Row = readonly [
  stems: string, shape: Shape, first: string, second: string, third?: string,
];

const rows: readonly Row[] = [
  ["cherry tom|pomodorin|kirschtom|tomates? ceris|كرزية", "tomato", "#c32", "#e64", "#fd9"],
  ["tomato sauce|tomatenso|sauce tom|salsa de tom|salsa di pom|passata|sugo|pomodoro|صلصة",
    "sauce", "#b32", "#c53"],
  ["tomat|طماطم|بندورة", "tomato", "#c32", "#e64", "#fd9"],
  ["bufal|buffal|buffel|bufflon|burrat|stracciatel|جاموس", "melt", "#ffe", "#fec", "#da7"],
  ["provol|scamorz|smoked cheese|raucherkase|fume|ahumad", "melt", "#fda", "#db5", "#c94"],
  ["gorgonzol|blue|blauschimm|roquefort|bleu|azul|زرقاء", "crumble", "#eed", "#689"],
  ["goat|capra|caprin|ziegen|chevre|cabra|feta|ricott|ماعز|فيتا", "crumble", "#fee", "#ddb"],
  ["crudo|parma|serrano|bresaol|rohschinken", "fold", "#c66", "#a44"],
  ["grana|parm|pecorin|reggian|cheddar|hartkase|بارم|بيكورينو", "shred", "#fd9", "none", "#da4"],
  ["mozzarel|fior di|cheese|formagg|kase|fromag|queso|موتزار|موزار|جبن",
    "melt", "#fec", "#ec8", "#da5"],
  ["porcin|steinpilz|cepe|boletus|seta", "mushroom", "#db9", "#863", "#742"],
  ["truff|tartuf|truf|كمأ", "disc", "#443", "#322", "#765"],
  ["mushroom|fungh|champign|pilz|فطر", "mushroom", "#edc", "#b86", "#974"],
  ["pepperoni|salam|chorizo|spianat|سلامي|بيبروني", "salami", "#b32", "#e98", "#821"],
  ["chil|peperonc|piment|guindill|jalap|حار", "strip", "none", "#e98", "#c22"],
  ["pepper|peperon|paprika|poivron|pimient|فلفل", "strip", "none", "#ad8", "#593"],
  ["aubergin|eggplant|melanzan|berenjen|باذنجان", "disc", "#dca", "#986", "#425"],
  ["courgett|zucchin|calabac|cucumber|cetriol|gurke|كوسا|خيار", "disc", "#deb", "#ab7", "#473"],
  ["potato|patat|kartoff|pommes? de|بطاط", "disc", "#ed9", "#db6", "#ca5"],
  ["egg|uovo|uova|spiegelei|oeuf|œuf|huevo|بيض", "melt", "#fff", "#eb3", "#ddc"],
  ["red onion|cipolla ross|tropea|rote zwieb|oignon rouge|cebolla roja|cebolla morada|بصل أحمر",
    "onion", "none", "#dbd", "#847"],
  ["onion|cipoll|zwieb|oignon|ceboll|بصل", "onion", "none", "#eec", "#ca7"],
  ["green olive|olive verd|grune oliv|olives vert|aceitunas verd|زيتون أخضر",
    "ring", "#794", "#bc8"],
  ["oliv|aceitun|زيتون", "ring", "#322", "#555", "#776"],
  ["artichok|carciof|artischock|artichaut|alcachof|خرشوف|أرضي",
    "artichoke", "#ab6", "none", "#673"],
  ["rocket|arugul|rucol|rucul|roquett|friariell|broccol|brokkol|brocol|kale|جرجير",
    "lobed", "#472", "#bd9"],
  ["radicchi|trevis|achicor|راديكيو", "lobed", "#725", "#ebc"],
  ["spinac|spinat|epinard|espinac|سبانخ", "leaf", "#363", "#9c9"],
  ["basil|albahac|salbei|sauge|salvi|mint|menta|minze|ريحان|حبق", "leaf", "#483", "#ad9"],
  ["rosemar|rosmarin|romarin|romero|thym|timo|origan|oregan|إكليل|زعتر",
    "sprig", "none", "none", "#574"],
  ["mortadel|مرتديلا", "fold", "#eba", "#d88"],
  ["speck|سبيك", "strip", "none", "#da9", "#a44"],
  ["bacon|pancett|guancial|lard|tocino|لحم مقدد", "strip", "none", "#fdc", "#d76"],
  ["nduja", "bits", "#c42", "#931"],
  ["sausag|salsicc|wurst|saucis|salchich|beef|manzo|hackfl|boeuf|bœuf|ternera|سجق|نقانق",
    "bits", "#953", "#742"],
  ["chicken|pollo|huhn|hahnch|poulet|دجاج", "bits", "#ec9", "#ca6"],
  ["ham|prosciut|schink|jambon|jamon|لحم", "fold", "#eaa", "#d87"],
  ["tuna|tonno|thunf|thon|atun|تونة", "bits", "#da9", "#c97"],
  ["anchov|acciug|alici|sardell|anchois|anchoa|أنشوفة|أنشوجة", "fillet", "#986", "#dcc", "#543"],
  ["salmon|lachs|saumon|سلمون", "fold", "#e97", "#fca"],
  ["prawn|shrimp|gamber|garnel|crevett|gamba|روبيان|جمبري", "prawn", "#ea8", "#d64"],
  ["squid|calamar|seppi|tintenf|حبار", "ring", "#edc", "#dba"],
  ["caper|cappe|kaper|capre|alcapar|قبار|كبر", "dots", "#673", "#ab8"],
  ["pistac|pistaz|فستق", "bits", "#9a5", "#bc8"],
  ["walnut|noci|walnus|noix|nuez|nueces|جوز", "bits", "#b85", "#863"],
  ["pine nut|pinol|pinien|pignon|pinon|صنوبر|garlic|aglio|knobl|ail|ajo|ثوم",
    "bits", "#fec", "#eda"],
  ["sweetcorn|mais|maiz|ذرة", "dots", "#ec3", "#fea"],
  ["asparag|spargel|asperg|esparrag|هليون", "stick", "none", "#bd9", "#694"],
  ["pumpkin|zucca|kurbis|courge|calabaz|قرع|يقطين", "cube", "#e93", "#c72"],
  ["pineappl|ananas|pina|أناناس", "wedge", "#fc3", "#da2"],
];

const paints = rows.map(([stems, shape, first, second, third = "none"]) => {
  const paint: Paint = { shape, colors: [first, second, third] };
  return { pattern: new RegExp(normalize(stems)), paint };
});

/** Unknown toppings get an ochre cube. */
const unknown: Paint = { shape: "cube", colors: ["#da4", "#b83", "none"] };

export function paintOf(name: string): Paint {
  const text = normalize(name);
  return paints.find(({ pattern }) => pattern.test(text))?.paint ?? unknown;
}
