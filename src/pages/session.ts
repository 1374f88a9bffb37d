/**
 * The sign-in of this tab. A token arrives in the link's fragment (`#token=…`), which no server
 * and no referrer sees; it leaves the address bar at once and is kept in sessionStorage, so it
 * ends with the tab. Dispatches "change" when a token comes or goes.
 */

export const session = new EventTarget();

// Two shops may live under one origin, each on its own path.
const base = new URL(".", location.href).pathname;
let current = takeFromAddress() ?? kept("token");

// A sign-in link opened in a tab that is already here changes the fragment and loads nothing.
addEventListener("hashchange", () => {
  if (tokenIn(location.hash) !== null) location.reload();
});

export function token(): string | null {
  return current;
}

export function signIn(value: string): void {
  current = value;
  keep("token", value);
  session.dispatchEvent(new Event("change"));
}

/** Whether there was one to drop. */
export function dropToken(): boolean {
  if (current === null) return false;
  current = null;
  keep("token", null);
  session.dispatchEvent(new Event("change"));
  return true;
}

/** What the token says of itself; only the server judges whether it is true. */
export function isStaff(): boolean {
  try {
    const payload = (current ?? "").split(".")[1] ?? "";
    return JSON.parse(atob(payload.replaceAll("-", "+").replaceAll("_", "/"))).role === "staff";
  } catch {
    return false; // No token, or none that the server will take.
  }
}

type Shelf = "sessionStorage" | "localStorage";

/**
 * For this tab, or for this device. A browser that blocks storage keeps nothing; the page works
 * on.
 */
export function keep(name: string, value: string | null, shelf: Shelf = "sessionStorage"): void {
  try {
    if (value === null) window[shelf].removeItem(base + name);
    else window[shelf].setItem(base + name, value);
  } catch { /* see above */ }
}

export function kept(name: string, shelf: Shelf = "sessionStorage"): string | null {
  try {
    return window[shelf].getItem(base + name);
  } catch {
    return null;
  }
}

function takeFromAddress(): string | null {
  const value = tokenIn(location.hash.slice(1));
  if (value === null) return null;
  history.replaceState(history.state, "", location.pathname + location.search);
  keep("token", value);
  return value;
}

/** What follows `token=` in a link or its fragment. */
export function tokenIn(text: string): string | null {
  return /(?:^|[#&])token=([^&]+)/.exec(text)?.[1] ?? null;
}
