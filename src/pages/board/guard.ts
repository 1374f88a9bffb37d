/**
 * The one guard for everything that moves by itself: what came to lie under a finger, or under a
 * number key, less than 400 ms ago takes no press. Whatever a draw has moved is found by where it
 * is before and after: what the person scrolls is not guarded.
 *
 * `data-guard` marks what is guarded; another value says that a press there means something else.
 */

const guardMs = 400;

/** When an element came to lie where it is. */
const movedAt = new WeakMap<Element, number>();

type Spots = ReadonlyMap<Element, string>;

export function guardWhile(draw: () => void): void {
  const before = spots();
  draw();
  const after = spots();
  const now = Date.now();
  for (const [element, spot] of after) {
    if (before.get(element) !== spot) movedAt.set(element, now);
  }
}

export function isGuarded(element: Element): boolean {
  const unit = element.closest("[data-guard]");
  const at = unit === null ? undefined : movedAt.get(unit);
  return at !== undefined && Date.now() - at < guardMs;
}

/** Cards for their number keys, by place in the column; the rest as far as it is in sight. */
function spots(): Spots {
  const found = new Map<Element, string>();
  for (const element of document.querySelectorAll("[data-guard]")) {
    if (element.closest(".cards") === null) found.set(element, spotOf(element, page));
  }
  for (const list of document.querySelectorAll(".cards")) {
    const sight = list.getBoundingClientRect();
    [...list.children].forEach((card, index) => {
      found.set(card, `${index} ${guardOf(card)}`);
      // To measure a part of what is out of sight would lay it out.
      const { top, bottom } = card.getBoundingClientRect();
      if (bottom <= sight.top || top >= sight.bottom) return;
      for (const part of card.querySelectorAll("[data-guard]")) {
        found.set(part, spotOf(part, sight));
      }
    });
  }
  return found;
}

interface Sight {
  readonly top: number;
  readonly bottom: number;
}

const page: Sight = { top: -Infinity, bottom: Infinity };

function spotOf(element: Element, sight: Sight): string {
  const { left, top, width, bottom } = element.getBoundingClientRect();
  const seen = [left, Math.max(top, sight.top), width, Math.min(bottom, sight.bottom)];
  return `${seen.map(Math.round).join(" ")} ${guardOf(element)}`;
}

function guardOf(element: Element): string {
  return element.getAttribute("data-guard") ?? "";
}
