/**
 * Guards everything that moves by itself: an element that came to lie under a finger less than
 * 400 ms ago takes no press. The places of elements are compared before and after each draw, so an
 * element that the person scrolls is not guarded.
 *
 * `data-guard` marks a guarded element. If its value changes, a press there means something else.
 */

const guardMs = 400;

/** When an element came to lie where it is. */
const movedAt = new WeakMap<Element, number>();

type Spots = ReadonlyMap<Element, string>;

export function guardWhile(draw: () => void): void {
  const before = spots();
  draw();
  const now = Date.now();
  for (const [element, spot] of spots()) {
    if (before.get(element) !== spot) movedAt.set(element, now);
  }
}

export function isGuarded(element: Element): boolean {
  const unit = element.closest("[data-guard]");
  const at = unit === null ? undefined : movedAt.get(unit);
  return at !== undefined && Date.now() - at < guardMs;
}

/** The places of the cards in sight. Measuring the others would lay them out. */
function spots(): Spots {
  const found = new Map<Element, string>();
  const add = (all: Iterable<Element>, sight: Sight): void => {
    for (const element of all) found.set(element, spotOf(element, sight));
  };
  for (const list of document.querySelectorAll(".cards")) {
    const sight = list.getBoundingClientRect();
    for (const card of list.children) {
      const { top, bottom } = card.getBoundingClientRect();
      if (bottom > sight.top && top < sight.bottom) {
        add(card.querySelectorAll("[data-guard]"), sight);
      }
    }
  }
  const everywhere = { top: -Infinity, bottom: Infinity };
  add(document.querySelectorAll("[data-guard]:not(.cards *)"), everywhere);
  return found;
}

type Sight = Pick<DOMRect, "top" | "bottom">;

function spotOf(element: Element, sight: Sight): string {
  const { left, top, width, bottom } = element.getBoundingClientRect();
  const seen = [left, Math.max(top, sight.top), width, Math.min(bottom, sight.bottom)];
  return `${seen.map(Math.round).join(" ")} ${element.getAttribute("data-guard")}`;
}
