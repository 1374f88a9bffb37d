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

export type Shape = keyof typeof shapes;

/** `colors`: see shapes.svg. */
export interface Look {
  readonly shape: Shape;
  readonly colors: readonly [first: string, second: string, third: string];
}

type Row = readonly [
  stems: string, shape: Shape, first: string, second: string, third?: string,
];

const rows: readonly Row[] = [
  ["cherry tom|pomodorin|kirschtom|tomates? ceris|كرزية",
    "tomato", "#cf2f1c", "#ef6a4a", "#f9d894"],
  ["tomato sauce|tomatenso|sauce tom|salsa de tom|salsa di pom|passata|sugo|pomodoro|صلصة",
    "sauce", "#c0371d", "#d0502d"],
  ["tomat|طماطم|بندورة", "tomato", "#cf2f1c", "#ef6a4a", "#f9d894"],
  ["bufal|buffal|buffel|bufflon|burrat|stracciatel|جاموس",
    "melt", "#fffaf0", "#f9e6c4", "#dfb27a"],
  ["provol|scamorz|smoked cheese|raucherkase|fume|ahumad",
    "melt", "#f7dfa8", "#e2b55c", "#cf9c48"],
  ["gorgonzol|blue|blauschimm|roquefort|bleu|azul|زرقاء", "crumble", "#f1ecdf", "#6b8ba0"],
  ["goat|capra|caprin|ziegen|chevre|cabra|feta|ricott|ماعز|فيتا",
    "crumble", "#fbf6ea", "#e3d6bb"],
  ["crudo|parma|serrano|bresaol|rohschinken", "fold", "#cf6a62", "#a8423c"],
  ["grana|parm|pecorin|reggian|cheddar|hartkase|بارم|بيكورينو",
    "shred", "#fbe19a", "none", "#d5a343"],
  ["mozzarel|fior di|cheese|formagg|kase|fromag|queso|موتزار|موزار|جبن",
    "melt", "#fdf0d2", "#f2d08a", "#d8a65c"],
  ["porcin|steinpilz|cepe|boletus|seta", "mushroom", "#dcbd92", "#8a5f38", "#74492a"],
  ["truff|tartuf|truf|كمأ", "disc", "#4a3c34", "#2b211c", "#756154"],
  ["mushroom|fungh|champign|pilz|فطر", "mushroom", "#f4e3cd", "#b58a60", "#a1724a"],
  ["pepperoni|salam|chorizo|spianat|سلامي|بيبروني", "salami", "#b62f1f", "#ec9c8b", "#8c1e13"],
  ["chil|peperonc|piment|guindill|jalap|حار", "strip", "none", "#f29a8a", "#cc2a1b"],
  ["pepper|peperon|paprika|poivron|pimient|فلفل", "strip", "none", "#b2d78e", "#5a9a33"],
  ["aubergin|eggplant|melanzan|berenjen|باذنجان", "disc", "#dccfa6", "#9c8f69", "#4a2951"],
  ["courgett|zucchin|calabac|cucumber|cetriol|gurke|كوسا|خيار",
    "disc", "#deedb6", "#a6c178", "#3d7d39"],
  ["potato|patat|kartoff|pommes? de|بطاط", "disc", "#f6df9b", "#e2c069", "#d3aa50"],
  ["egg|uovo|uova|spiegelei|oeuf|œuf|huevo|بيض", "melt", "#ffffff", "#f5b42f", "#e2d6c4"],
  ["red onion|cipolla ross|tropea|rote zwieb|oignon rouge|cebolla roja|cebolla morada|بصل أحمر",
    "onion", "none", "#dbbfd6", "#873c76"],
  ["onion|cipoll|zwieb|oignon|ceboll|بصل", "onion", "none", "#f4e8d2", "#d3ae79"],
  ["green olive|olive verd|grune oliv|olives vert|aceitunas verd|زيتون أخضر",
    "ring", "#7f9440", "#b9c982"],
  ["oliv|aceitun|زيتون", "ring", "#2b2527", "#5c5453", "#7d716b"],
  ["artichok|carciof|artischock|artichaut|alcachof|خرشوف|أرضي",
    "artichoke", "#a8b36c", "none", "#6b773b"],
  ["rocket|arugul|rucol|rucul|roquett|friariell|broccol|brokkol|brocol|kale|جرجير",
    "lobed", "#477d2a", "#b5d69a"],
  ["radicchi|trevis|achicor|راديكيو", "lobed", "#7c234e", "#e6bccd"],
  ["spinac|spinat|epinard|espinac|سبانخ", "leaf", "#2d683b", "#93c69d"],
  ["basil|albahac|salbei|sauge|salvi|mint|menta|minze|ريحان|حبق", "leaf", "#3d8838", "#b0dba1"],
  ["rosemar|rosmarin|romarin|romero|thym|timo|origan|oregan|إكليل|زعتر",
    "sprig", "none", "none", "#587d42"],
  ["mortadel|مرتديلا", "fold", "#f4b6ac", "#e48f87"],
  ["speck|سبيك", "strip", "none", "#e3a7a1", "#a8423c"],
  ["bacon|pancett|guancial|lard|tocino|لحم مقدد", "strip", "none", "#f8d5ce", "#d9766a"],
  ["nduja", "bits", "#c44124", "#9c2d17"],
  ["sausag|salsicc|wurst|saucis|salchich|beef|manzo|hackfl|boeuf|bœuf|ternera|سجق|نقانق",
    "bits", "#985c35", "#784325"],
  ["chicken|pollo|huhn|hahnch|poulet|دجاج", "bits", "#e9c692", "#d0a46a"],
  ["ham|prosciut|schink|jambon|jamon|لحم", "fold", "#f2aca2", "#df8177"],
  ["tuna|tonno|thunf|thon|atun|تونة", "bits", "#dab29c", "#c4977b"],
  ["anchov|acciug|alici|sardell|anchois|anchoa|أنشوفة|أنشوجة",
    "fillet", "#94806e", "#d9d0c6", "#54463b"],
  ["salmon|lachs|saumon|سلمون", "fold", "#f5926f", "#fcc7af"],
  ["prawn|shrimp|gamber|garnel|crevett|gamba|روبيان|جمبري", "prawn", "#f3a282", "#d76d47"],
  ["squid|calamar|seppi|tintenf|حبار", "ring", "#f5e0d4", "#dfbca8"],
  ["caper|cappe|kaper|capre|alcapar|قبار|كبر", "dots", "#647d37", "#b0c384"],
  ["pistac|pistaz|فستق", "bits", "#93ab4d", "#bac985"],
  ["walnut|noci|walnus|noix|nuez|nueces|جوز", "bits", "#b7814f", "#8e5e35"],
  ["pine nut|pinol|pinien|pignon|pinon|صنوبر|garlic|aglio|knobl|ail|ajo|ثوم",
    "bits", "#f8ecd2", "#ead6ae"],
  ["sweetcorn|mais|maiz|ذرة", "dots", "#f3c537", "#fff0ac"],
  ["asparag|spargel|asperg|esparrag|هليون", "stick", "none", "#bdd79b", "#6d9d48"],
  ["pumpkin|zucca|kurbis|courge|calabaz|قرع|يقطين", "cube", "#ef943a", "#d2741e"],
  ["pineappl|ananas|pina|أناناس", "wedge", "#f7d03b", "#d8a71e"],
];

const looks = rows.map(([stems, shape, first, second, third = "none"]) => {
  const look: Look = { shape, colors: [first, second, third] };
  return { pattern: new RegExp(normalize(stems)), look };
});

/** Unknown toppings get an ochre cube. */
const unknown: Look = { shape: "cube", colors: ["#d8a443", "#b78431", "none"] };

export function lookOf(name: string): Look {
  const text = normalize(name);
  return looks.find(({ pattern }) => pattern.test(text))?.look ?? unknown;
}
