/** The settings (contract part 1): their defaults, and the refusal of a bad value. */

import assert from "node:assert/strict";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { misspelledSettings, readSettings, SettingsError } from "../src/settings.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const secret = "0123456789abcdef0123456789abcdef";

const defaults = {
  port: 3000,
  host: "127.0.0.1",
  dataDir: join(root, "data", "store"),
  tokenSecret: null,
  menuFile: join(root, "data", "starter-menu", "en.json"),
  orderReads: "public",
  corsOrigins: null,
  logLevel: "info",
  rateLimit: null,
  isExposed: false,
  trustProxy: false,
  guestOrders: 10,
};

test("without any variable the defaults hold, and their paths are beside the program", () => {
  assert.deepEqual(readSettings({}), defaults);
});

for (const [env, language] of [
  [{ LANG: "de_DE.UTF-8" }, "de"], [{ LANG: "de_DE.UTF-8", LC_ALL: "fr_CA" }, "fr"],
  [{ LANG: "it", LC_ALL: "" }, "it"], [{ LANG: "ar_EG@latin" }, "ar"], [{ LANG: "es.UTF-8" }, "es"],
  [{ LANG: "C.UTF-8" }, "en"], [{ LANG: "den_XX" }, "en"], [{ LANG: "../de" }, "en"],
] as const) {
  test(`a machine with ${JSON.stringify(env)} gets the starter menu "${language}"`, () => {
    const file = join(root, "data", "starter-menu", `${language}.json`);
    assert.equal(readSettings(env).menuFile, file);
  });
}

test("where npm would delete the store at an upgrade, it is in the current folder", () => {
  const installed = join("/usr", "lib", "node_modules", "forno");
  assert.equal(readSettings({}, installed).dataDir, resolve("forno-data"));
  assert.equal(readSettings({ DATA_DIR: "/srv/forno" }, installed).dataDir, "/srv/forno");
});

test("an empty value counts as unset, but an empty MENU_FILE means no menu", () => {
  const names = ["PORT", "HOST", "DATA_DIR", "TOKEN_SECRET", "CORS_ORIGIN", "RATE_LIMIT"];
  for (const name of names) assert.deepEqual(readSettings({ [name]: "" }), defaults);
  assert.deepEqual(readSettings({ MENU_FILE: "" }), { ...defaults, menuFile: null });
});

test("every variable sets what the contract says", () => {
  const origins = ["https://pizza.example", "http://localhost:5173", "capacitor://localhost"];
  const rows: (readonly [name: string, value: string, expected: object])[] = [
    ["PORT", "0", { port: 0 }],
    ["PORT", "65535", { port: 65_535 }],
    ["HOST", "localhost", { host: "localhost" }],
    ["DATA_DIR", "some/where", { dataDir: resolve("some/where") }],
    ["DATA_DIR", "/var/lib/forno/", { dataDir: "/var/lib/forno" }],
    ["TOKEN_SECRET", secret, { tokenSecret: Buffer.from(secret) }],
    ["TOKEN_SECRET", "äëïöüÄËÏÖÜ àèìòùé", { tokenSecret: Buffer.from("äëïöüÄËÏÖÜ àèìòùé") }],
    ["MENU_FILE", "menu.json", { menuFile: resolve("menu.json") }],
    ["ORDER_READS", "authenticated", { orderReads: "authenticated" }],
    ["ORDER_READS", "own", { orderReads: "own" }],
    ["CORS_ORIGIN", "*", { corsOrigins: "*" }],
    ["CORS_ORIGIN", origins.join(" , "), { corsOrigins: origins }],
    ["LOG_LEVEL", "silent", { logLevel: "silent" }],
    ["RATE_LIMIT", "off", { rateLimit: null }],
    ["RATE_LIMIT", "0.5", { rateLimit: 0.5 }],
    ["RATE_LIMIT", "200", { rateLimit: 200 }],
    ["GUEST_ORDERS", "on", { guestOrders: 10 }],
    ["GUEST_ORDERS", "off", { guestOrders: null }],
    ["GUEST_ORDERS", "1", { guestOrders: 1 }],
    ["GUEST_ORDERS", "1000", { guestOrders: 1_000 }],
  ];
  for (const [name, value, expected] of rows) {
    assert.deepEqual(readSettings({ [name]: value }), { ...defaults, ...expected }, name);
  }
});

test("a bad value is refused in one line with its variable, itself and what is allowed", () => {
  const rows: [name: string, allowed: string, ...values: string[]][] = [
    ["PORT", "a whole number from 0 to 65535", "65536", "-1", "80.5", "http", "0x50", " 80", "1e3"],
    ["HOST", "an IP address without brackets, or a host name", "[::1]", "a b", "http://x", "-x"],
    ["ORDER_READS", "one of public, authenticated, own", "Public", "none", "own "],
    ["LOG_LEVEL", "one of debug, info, error, silent", "warn", "INFO", "two\nlines"],
    ["RATE_LIMIT", "off, or a number above 0 and below 1000000", "0", "-1", "on", "1e3", "1000000"],
    ["TRUST_PROXY", "on, or not set", "off", "yes", "ON", "1"],
    ["GUEST_ORDERS", "on, off, or a whole number from 1 to 1000",
      "no", "true", "0", "1001", "2.5", "-1", "1e3", "007", " 5"],
  ];
  for (const [name, allowed, ...values] of rows) {
    for (const value of values) {
      const line = `${name} is ${JSON.stringify(value)}, but must be ${allowed}`;
      assert.throws(() => readSettings({ [name]: value }), new SettingsError(line));
    }
  }
});

test("a name that is nearly a setting's is told, and no other", () => {
  const near = {
    RATELIMIT: "RATE_LIMIT", Port: "PORT", host: "HOST", "rate-limit": "RATE_LIMIT",
    GUEST_ORDER: "GUEST_ORDERS", TRUSTPROXY: "TRUST_PROXY", LOG_LEVLE: "LOG_LEVEL",
    CORS_ORIGINS: "CORS_ORIGIN", MENUFILE: "MENU_FILE", TOKEN_SECRETS: "TOKEN_SECRET",
    DATADIR: "DATA_DIR", ORDER_READ: "ORDER_READS",
  };
  const others = [
    "PATH", "HOME", "HOSTNAME", "LOGNAME", "SORT", "PGPORT", "PGHOST", "FORNO_TOKEN", "WATCH_DIR",
    "XDG_DATA_DIRS", "npm_config_port", "", "__proto__", ...Object.values(near),
  ];
  const env = Object.fromEntries([...Object.keys(near), ...others].map((name) => [name, "3"]));
  assert.deepEqual(misspelledSettings(env), Object.entries(near).map(([name, setting]) =>
    `${name} is no setting and does nothing; did you mean ${setting}?`));
});

test("an origin that no browser spells so is refused, alone and in a list", () => {
  const odds = [
    "pizza.example", "null", "https://pizza.example/", "https://PIZZA.example", "https://",
    "https://pizza.example:443", "https://a@pizza.example", "https://*.example", "mailto:a@b",
  ];
  const rows = [
    ...odds.flatMap((odd) => [[odd, odd], [`https://a.example, ${odd},https://b.example`, odd]]),
    ["https://a.example,", ""],
    ["https://a.example,*", "*"],
  ];
  for (const [value, odd] of rows) {
    const line = `CORS_ORIGIN is ${JSON.stringify(value)}, but must be * or a list of origins ` +
      `such as https://pizza.example; ${JSON.stringify(odd)} is not an origin`;
    assert.throws(() => readSettings({ CORS_ORIGIN: value }), new SettingsError(line));
  }
});

test("where others can come in, the defaults are the careful ones", () => {
  const careful = { isExposed: true, orderReads: "own", rateLimit: 100, guestOrders: null };
  for (const [env, isExposed] of [
    ...["127.0.0.1", "127.8.8.8", "::1", "LOCALHOST"].map((HOST) => [{ HOST }, false] as const),
    ...["0.0.0.0", "::", "192.168.7.7", "fe80::1", "1.27.0.0", "pizza.example"].map((HOST) =>
      [{ HOST }, true] as const),
    [{ TRUST_PROXY: "on" }, true],
    [{ TRUST_PROXY: "" }, false],
  ] as const) {
    const { host, trustProxy, ...found } = readSettings(env);
    const { host: _, trustProxy: __, ...expected } = { ...defaults, ...(isExposed && careful) };
    assert.deepEqual(found, expected, JSON.stringify(env));
    const chosen = { ORDER_READS: "public", RATE_LIMIT: "off", GUEST_ORDERS: "on" };
    const { orderReads, rateLimit, guestOrders } = readSettings({ ...env, ...chosen });
    assert.deepEqual([orderReads, rateLimit, guestOrders], ["public", null, 10]);
  }
});
