/** Wet fingers tap twice, and by the second tap another button may have come under them. */

const secondTapMs = 400;
const sameSpotPx = 40;

let last = { at: -Infinity, x: 0, y: 0 };

/** Drops the second of two taps on one spot, whichever buttons they hit, in whichever `element`. */
export function dropSecondTaps(element: Element): void {
  element.addEventListener("click", (event) => {
    // Keys go where the focus is, and have no place.
    if (!(event instanceof MouseEvent) || event.detail === 0) return;
    if (!(event.target instanceof Element) || event.target.closest("button") === null) return;
    const { timeStamp: at, clientX: x, clientY: y } = event;
    const isSecond = at - last.at < secondTapMs && Math.hypot(x - last.x, y - last.y) < sameSpotPx;
    if (isSecond) event.stopPropagation();
    else last = { at, x, y };
  }, { capture: true });
}
