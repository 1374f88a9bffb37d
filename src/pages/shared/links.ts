/**
 * Sign-in links. A link has its token in the fragment (`#token=…`), which no server and no referrer
 * sees, and which leaves the address bar at once.
 */

import { ask } from "./dialogs.ts";
import { askAbout, type Claims, claimsOf, refusedSignIn, signIn, token } from "./session.ts";
import { onlineOrAfter } from "./stream.ts";
import { t } from "./words.ts";

const askAgainMs = 2000;

/** Signs in with the link in the address, now and whenever one is opened in this tab. */
export function listenForLinks(signInByLink: (text: string) => Promise<boolean>): void {
  const take = (): void => {
    const { hash } = location;
    if (!/[#&](?:token|code)=/.test(hash)) return;
    history.replaceState(history.state, "", location.pathname + location.search);
    void signInByLink(hash);
  };
  // In a tab that shows this page already only the fragment changes.
  addEventListener("hashchange", take);
  take();
}

/** The token of a link, or of what was copied of it: quotes and blanks are easily copied too. */
export function tokenIn(text: string): string {
  const [, value = text.replaceAll(/[^\w.-]/g, "")] = /(?:^|[#&])token=([\w.-]+)/.exec(text) ?? [];
  return value;
}

/**
 * A token is stored once the shop has accepted it. It replaces another person's only after a
 * question, unless the shop refuses that person. A guest's is not for others: whoever has it reads
 * that guest's orders. Resolves to whether that worked.
 */
export async function signInByToken(value: string): Promise<boolean> {
  const current = token() ?? "";
  const other = claimsOf(value);
  if (value === current) return true;
  if (other === undefined || other.sub.startsWith("guest-")) return false;
  if (!(await isAccepted(value))) {
    void ask(t("The shop doesn’t accept this sign-in now."), undefined, t("Close"));
    return false;
  }
  const own = refusedSignIn() === undefined ? claimsOf(token() ?? "") : undefined;
  // The same person's, which lasts longer.
  const isSame = own?.sub === other.sub && own.role === other.role && own.device === other.device;
  if (own !== undefined && !isSame && !(await askToReplace(own, other.sub))) return false;
  signIn(value);
  return true;
}

/** Asks until the shop has answered. */
async function isAccepted(value: string): Promise<boolean> {
  for (;;) {
    const answer = await askAbout(value).catch(() => undefined);
    if (answer !== undefined && answer.status !== 429 && answer.status < 500) return answer.ok;
    await onlineOrAfter(askAgainMs);
  }
}

/** Asks whether another person is to replace the one who is signed in. */
export async function askToReplace({ sub }: Claims, other: string): Promise<boolean> {
  const name = sub.startsWith("guest-") ? t("a guest") : sub;
  return ask(
    t("You are signed in as {name}. Sign in as {other} instead?", { name, other }),
    t("Sign in as {name}", { name: other }), t("Stay {name}", { name }),
  );
}
