/**
 * Which presses count. Cards come, go and change by themselves while a finger is on its way, so a
 * press must never act on something else than the person saw. What counts is when the finger was
 * put down, not when its handler runs: a busy page runs it much later.
 */

/** A person has seen a change, and stopped the finger, within this time. */
const guardMs = 400;
/** A slow second press may still be meant for what a dialog has come to lie over. */
const dialogGuardMs = 900;
/** Two presses so close to each other are one double tap. */
const sameSpotPx = 40;

/** When a change of what a press there means was painted. Infinity: not yet. */
const changedAt = new WeakMap<Element, number>();
const unpainted = new Set<Element>();

/** Called when an element's `pressKey` has changed. No press counts there until that was seen. */
export function noteChange(element: Element): void {
  if (unpainted.size === 0) requestAnimationFrame(notePaint);
  unpainted.add(element);
  changedAt.set(element, Infinity);
}

function notePaint(): void {
  for (const element of unpainted) changedAt.set(element, performance.now());
  unpainted.clear();
}

function isGuarded(target: Element, at: number): boolean {
  for (let element: Element | null = target; element !== null; element = element.parentElement) {
    if (at < (changedAt.get(element) ?? -Infinity) + guardMs) return true;
  }
  return false;
}

/**
 * The items of a list, each with its press key, which changes once it or an item above it has
 * changed or gone: then something else lies under the finger. The key is a hash (FNV-1a) of all
 * their texts, because the texts themselves would grow with the square of the list.
 */
export function withPressKeys<Item>(
  items: readonly Item[], textOf: (item: Item) => string,
): readonly (readonly [Item, string])[] {
  let hash = 2_166_136_261;
  return items.map((item) => {
    const text = `${textOf(item)}\n`;
    for (let at = 0; at < text.length; at += 1) {
      hash = Math.imul(hash ^ text.charCodeAt(at), 16_777_619);
    }
    return [item, String(hash)];
  });
}

/** A label counts as its field: the browser presses both. */
function controlOf(target: Element): Element {
  const control = target.closest("button, a, input, textarea, summary, label") ?? target;
  return control instanceof HTMLLabelElement ? control.control ?? control : control;
}

/**
 * Drops presses that came too soon after a change, the second half of a double tap where another
 * control has come to lie under it, and presses on what does nothing. What has opened under the
 * finger takes no slow second press, either. Called once by each page.
 */
export function guardPresses(): void {
  const down: { at: number | undefined } = { at: undefined };
  const last = { at: -Infinity, x: 0, y: 0, control: undefined as Element | undefined };
  const isMeant = (target: Element, at: number, { detail, clientX: x, clientY: y }: MouseEvent) => {
    if (target.closest("[aria-disabled=true]") || isGuarded(target, at)) return false;
    // Keys and screen readers press a control, not a place.
    if (detail === 0) return true;
    const control = controlOf(target);
    const dialog = target.closest("dialog");
    const hasOpened = dialog !== null && dialog !== last.control?.closest("dialog");
    const isSecond = at - last.at < (hasOpened ? dialogGuardMs : guardMs)
      && Math.hypot(x - last.x, y - last.y) < sameSpotPx;
    if (isSecond && control !== last.control) return false;
    Object.assign(last, { at, x, y, control });
    return true;
  };
  const capture = { capture: true };
  addEventListener("pointerdown", ({ timeStamp }) => { down.at = timeStamp; }, capture);
  addEventListener("pointercancel", () => { down.at = undefined; }, capture);
  addEventListener("keydown", (event) => {
    down.at = event.timeStamp;
    // A key that is held would press whatever takes the focus, one after the other.
    if (event.repeat && event.key === "Enter") event.preventDefault();
  }, capture);
  addEventListener("click", (event) => {
    const { target } = event;
    // A script's click has no finger, and a label's click is followed by one on its field.
    const at = down.at ?? event.timeStamp;
    down.at = undefined;
    if (!(target instanceof Element) || isMeant(target, at, event)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, capture);
}
