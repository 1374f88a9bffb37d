/** Whether there is room for a panel; else the order is a bar that unfolds. See order.css. */

export const wide: MediaQueryList = matchMedia("(min-width: 56.25em) and (min-height: 30em)");

export function isPanel(): boolean {
  return wide.matches;
}
