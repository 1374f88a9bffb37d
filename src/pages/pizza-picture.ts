/**
 * A drawing of the pizza as it stands: the size's width, and each topping in a colour of its
 * own.
 */

const colours = [
  "#b8321f", "#3f7a45", "#f7eedb", "#7a4a2a", "#8d3a5e", "#e2a63b", "#2b2320", "#6f8f3a", "#c9683f",
];
/** The golden angle spreads any number of pieces evenly, and each new one beside the last. */
const goldenAngle = Math.PI * (3 - Math.sqrt(5));

/** Purely an ornament: the summary beside it says the same. `width` is from 0 to 1. */
export function drawPizza(picture: Element, width: number, toppings: readonly string[]): void {
  const radius = 30 + 18 * width;
  const total = toppings.length * 9;
  const pieceRadius = Math.max(1.2, 3.4 - total / 60);
  const pieces = Array.from({ length: total }, (_, index) => {
    const distance = radius * 0.78 * Math.sqrt((index + 0.5) / total);
    const angle = index * goldenAngle;
    return circle(50 + distance * Math.cos(angle), 50 + distance * Math.sin(angle), pieceRadius,
      colourOf(toppings[index % toppings.length] ?? ""));
  });
  picture.replaceChildren(
    circle(50, 50, radius, "#d98a2b"), circle(50, 50, radius * 0.92, "#f3d18a"), ...pieces);
}

function circle(x: number, y: number, radius: number, fill: string): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", "circle");
  element.setAttribute("cx", x.toFixed(1));
  element.setAttribute("cy", y.toFixed(1));
  element.setAttribute("r", radius.toFixed(1));
  element.setAttribute("fill", fill);
  return element;
}

function colourOf(id: string): string {
  const hash = [...id].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, 7);
  return colours[hash % colours.length] ?? "";
}
