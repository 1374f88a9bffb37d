/** The page's address: what it asks for, and links to it. */

import { visibleOrEmpty, wholeOrEmpty } from "./typed-text.ts";

/** The name in `?for=Table 7`, as it was written. "": at no table. */
export const addressTable: string = visibleOrEmpty(wholeOrEmpty(asked("for")));

/** The number whose orders the address asks for. "": the menu. */
export function readAddressNumber(): string {
  // A number can have a plus, which a form writes as a space, and never a space.
  return asked("group").trim().replaceAll(" ", "+");
}

function asked(name: string): string {
  return new URLSearchParams(location.search).get(name) ?? "";
}

/** The address of a number's orders, or of the menu. */
export function addressOf(number = ""): string {
  const query = new URLSearchParams({
    ...number === "" ? {} : { group: number },
    ...addressTable === "" ? {} : { for: addressTable },
  }).toString();
  return query === "" ? "./" : `./?${query}`;
}

/** The phone's Back closes the order: it has an entry of its own. */
export function isBasketOpenInHistory(): boolean {
  return (history.state as { readonly isBasketOpen?: boolean } | null)?.isBasketOpen === true;
}
