/** Loads modules of the pages without a browser: what they read of one is here. */

const stored = new Map<string, string>();
const storage = {
  isFull: false,
  getItem: (name: string) => stored.get(name) ?? null,
  removeItem: (name: string) => stored.delete(name),
  setItem(name: string, text: string) {
    if (storage.isFull) throw new Error("QuotaExceededError");
    stored.set(name, text);
  },
};
Object.defineProperty(globalThis, "navigator", { value: { languages: [] } });
Object.assign(globalThis, {
  window: { name: "" },
  document: {
    baseURI: "http://forno.test/", documentElement: { lang: "en", dir: "ltr", dataset: {} },
    querySelector: () => null,
  },
  location: { href: "http://forno.test/", pathname: "/", search: "", hash: "" },
  addEventListener: () => {},
  matchMedia: () => ({ matches: false }),
  localStorage: storage,
});

export { storage };

/** By a computed address: the compiler checks the pages with the types of a browser, apart. */
export const load = (name: string): Promise<any> =>
  import(new URL(`../../src/pages/${name}.ts`, import.meta.url).href);
