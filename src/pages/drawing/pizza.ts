/**
 * Draws toppings and pizzas. A drawing depends on the names alone, so it is the same on
 * every device. Screen readers skip it: the words beside it say the same.
 */

import { filesPath, h, type View } from "../shared/dom.ts";
import { type Paint, paintOf, shapes } from "./toppings.ts";

/** A topping, as on its tile. */
export function toppingPicture(name: string): View {
  return h("svg", { class: "picture", viewBox: "-16 -16 32 32", "aria-hidden": "true" },
    use(paintOf(name), { x: -16, y: -16, width: 32, height: 32 }));
}

function use({ shape, colors: [fill, color, stroke] }: Paint, box: object): View {
  return h("use", { href: `${filesPath}shapes.svg#${shape}`, fill, color, stroke, ...box });
}

/** Radius of the part with toppings on it; the whole pizza's is 100. */
const reach = 66;

const drawings = new Map<string, View>();

interface Topped {
  /** The name under which it is ordered: a calzone is folded. */
  readonly pizza?: string | undefined;
  readonly toppings: readonly { readonly name: string }[];
}

/**
 * A small picture has fewer pieces, each larger: it is as clear, and a phone that shows many of
 * them is not held up.
 */
export function pictureOf({ pizza = "", toppings }: Topped, isSmall = true): View {
  if (/calzone/i.test(pizza)) return folded;
  const names = toppings.map(({ name }) => name);
  const key = `${isSmall} ${names.join("\n")}`;
  const picture = drawings.get(key) ?? drawPizza(names, isSmall);
  // A day at the counter draws many pizzas.
  if (drawings.size > 200) drawings.clear();
  drawings.set(key, picture);
  return picture;
}

/** A calzone: nobody sees what is in it. */
const folded = h("svg", { class: "pizza", viewBox: "-100 -100 200 200", "aria-hidden": "true" },
  ...([
    ["M-96 44a96 96 0 0 1 192 0q0 12-12 12H-84q-12 0-12-12z", "#e3a54d", "#c98732"],
    ["M-78 40a78 78 0 0 1 156 0z", "#f3d391", "none"],
    ["M-46 22a50 50 0 0 1 24-34M-8 8a40 40 0 0 1 20-26M32 22a40 40 0 0 0-8-20", "none", "#c98732"],
  ] as const).map(([d, fill, stroke]) => h("path", { d, fill, stroke, "stroke-width": 4 })));

function drawPizza(names: readonly string[], isSmall: boolean): View {
  const random = randomFrom(names.join("\n"));
  const layer = ({ paint }: { readonly paint: Paint }): number =>
    Object.keys(shapes).indexOf(paint.shape);
  const kinds = [...new Set(names)].map((name) => ({ name, paint: paintOf(name) }))
    .sort((first, second) => layer(first) - layer(second));
  const hasSauce = kinds.some(({ paint }) => paint.shape === "sauce");
  const onTop = kinds.filter(({ paint }) => paint.shape !== "sauce");
  const fewer = Math.min(1, Math.sqrt(4 / Math.max(onTop.length, 1))) * (isSmall ? 0.5 : 1);
  return h("svg", { class: "pizza", viewBox: "-100 -100 200 200", "aria-hidden": "true" },
    disc(98, "#e3a54d", { stroke: "#c98732", "stroke-width": 3 }),
    ...Array.from({ length: 9 }, () => bubble(random)),
    disc(86, "#f3d391"),
    disc(82, "#f6dda4"),
    ...(hasSauce ? [disc(78, "#c0371d"), disc(68, "#ce4a28")] : []),
    ...onTop.flatMap(({ name, paint }) => {
      const isDouble = names.indexOf(name) !== names.lastIndexOf(name);
      const count = Math.round(shapes[paint.shape][1] * fewer * (isDouble ? 1.5 : 1));
      // As far apart as the seeds of a sunflower, turned anew for each topping.
      const [turn, shift] = [random(), random()];
      return Array.from({ length: count }, (_, index) => {
        const angle = 2 * Math.PI * (turn + index * 0.381966);
        const distance = reach * Math.sqrt((index + shift) / count);
        const [x, y] = [Math.cos(angle) * distance, Math.sin(angle) * distance];
        return piece(paint, shapes[paint.shape][0] * (isSmall ? 1.3 : 1), x, y, random);
      });
    }));
}

function piece(paint: Paint, meanSize: number, x: number, y: number, random: () => number): View {
  const size = Math.round(meanSize * (0.9 + random() * 0.2));
  const turn = Math.round(random() * 360);
  const [first, second, third] = paint.colors;
  // Melted cheese has an edge on its tile, and none on a pizza.
  const colors = [first, second, paint.shape === "melt" ? "none" : third] as const;
  return use({ ...paint, colors }, {
    transform: `translate(${x.toFixed(1)} ${y.toFixed(1)}) rotate(${turn})`,
    x: -size / 2, y: -size / 2, width: size, height: size,
  });
}

function disc(r: number, fill: string, more: object = {}): View {
  return h("circle", { r, fill, ...more });
}

/** A dark blister on the crust. */
function bubble(random: () => number): View {
  const angle = random() * 2 * Math.PI;
  const [cx, cy] = [Math.cos(angle) * 92, Math.sin(angle) * 92].map((value) => value.toFixed(1));
  return h("circle", { cx, cy, r: (1.5 + random() * 3).toFixed(1), fill: "#c98732" });
}

/** Numbers from 0 up to 1, the same for the same text (FNV-1a, then mulberry32). */
function randomFrom(text: string): () => number {
  const hash = [...text].reduce((sum, letter) =>
    Math.imul(sum ^ (letter.codePointAt(0) ?? 0), 16_777_619), 0x811c9dc5);
  const state = { at: hash };
  return () => {
    state.at = (state.at + 0x6d2b79f5) | 0;
    const first = Math.imul(state.at ^ (state.at >>> 15), 1 | state.at);
    const second = (first + Math.imul(first ^ (first >>> 7), 61 | first)) ^ first;
    return ((second ^ (second >>> 14)) >>> 0) / 4_294_967_296;
  };
}
