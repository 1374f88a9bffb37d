import assert from "node:assert/strict";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { readSettings, SettingsError } from "../src/settings.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const secret = "0123456789abcdef0123456789abcdef";

function refusal(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    assert.ok(error instanceof SettingsError, String(error));
    assert.doesNotMatch(error.message, /[\r\n]/);
    return error.message;
  }
  return assert.fail("not refused");
}

const defaults = {
  port: 3000,
  host: "127.0.0.1",
  dataDir: join(root, "data", "store"),
  tokenSecret: null,
  menuFile: join(root, "data", "starter-menu.json"),
  orderReads: "public",
  corsOrigins: null,
  logLevel: "info",
  rateLimit: null,
  trustProxy: false,
  guestOrders: false,
  warnings: [],
  notes: [],
};

test("without any variable the defaults hold, and their paths are beside the program", () => {
  assert.deepEqual(readSettings({}), defaults);
  const installed = join("/usr", "lib", "node_modules", "forno");
  assert.equal(
    refusal(() => readSettings({}, installed)),
    "DATA_DIR is not set, but must be a folder outside of node_modules: npm deletes what lies in " +
      "a package when it upgrades it",
  );
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
    ...["on", "true", "1"].map((value) => ["GUEST_ORDERS", value, { guestOrders: true }] as const),
    ...["off", "false", "0"].flatMap((value) => [
      ["TRUST_PROXY", value, {}] as const, ["GUEST_ORDERS", value, {}] as const,
    ]),
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
    ["TRUST_PROXY", "one of on, off, true, false, 1, 0", "yes", "ON", "2"],
    ["GUEST_ORDERS", "one of on, off, true, false, 1, 0", "no"],
  ];
  for (const [name, allowed, ...values] of rows) {
    for (const value of values) {
      const line = `${name} is ${JSON.stringify(value)}, but must be ${allowed}`;
      assert.equal(refusal(() => readSettings({ [name]: value })), line);
    }
  }
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
    assert.equal(
      refusal(() => readSettings({ CORS_ORIGIN: value })),
      `CORS_ORIGIN is ${JSON.stringify(value)}, but must be * or a list of origins ` +
        `such as https://pizza.example, which ${JSON.stringify(odd)} is not`,
    );
  }
});

test("a bad secret is refused by its count of bytes, and never shown", () => {
  for (const [value, fault] of [
    ["hunter2", "has 7 bytes, but a key must have at least 32"],
    ["x".repeat(31), "has 31 bytes, but a key must have at least 32"],
    ["ä".repeat(15), "has 30 bytes, but a key must have at least 32"],
    ["x".repeat(32), "has 1 different bytes, but a key must have at least 8"],
    ["abcdefg".repeat(5), "has 7 different bytes, but a key must have at least 8"],
  ] as const) {
    assert.equal(refusal(() => readSettings({ TOKEN_SECRET: value })), `TOKEN_SECRET ${fault}`);
  }
  assert.ok(readSettings({ TOKEN_SECRET: "abcdefgh".repeat(4) }).tokenSecret);
});

const own = "customers read their own orders only; ORDER_READS=public shows all orders to anyone";
const hundred = "100 requests a second for each client; RATE_LIMIT=off lifts it";

test("where others can come in, the defaults are the careful ones, and are told", () => {
  for (const [env, isExposed] of [
    ...["127.0.0.1", "127.8.8.8", "::1", "LOCALHOST"].map((HOST) => [{ HOST }, false] as const),
    ...["0.0.0.0", "::", "192.168.7.7", "fe80::1", "1.27.0.0", "pizza.example"].map((HOST) =>
      [{ HOST }, true] as const),
    [{ TRUST_PROXY: "off" }, false],
    [{ TRUST_PROXY: "1" }, true],
  ] as const) {
    const careful = readSettings(env);
    const found = [careful.orderReads, careful.rateLimit, careful.notes];
    const expected = isExposed ? ["own", 100, [own, hundred]] : ["public", null, []];
    assert.deepEqual(found, expected, JSON.stringify(env));
    const chosen = readSettings({ ...env, ORDER_READS: "public", RATE_LIMIT: "off" });
    assert.deepEqual([chosen.orderReads, chosen.rateLimit, chosen.notes], ["public", null, []]);
  }
});

test("a misspelled setting is a warning with the name that was meant", () => {
  for (const [meant, ...names] of [
    ["DATA_DIR", "DATADIR", "DATE_DIR"],
    ["TOKEN_SECRET", "TOKEN_SECRETS", "TOKEN_SERCET"],
    ["MENU_FILE", "MENU-FILE"],
    ["ORDER_READS", "ORDER_READERS"],
    ["CORS_ORIGIN", "CORS_ORIGINS"],
    ["LOG_LEVEL", "LOGLEVEL", "log_level"],
    ["RATE_LIMIT", "RATE_LIMT", "RATELIMIT"],
    ["TRUST_PROXY", "TRUSTED_PROXY"],
    ["GUEST_ORDERS", "GUESTS_ORDERS"],
  ] as const) {
    for (const name of names) {
      const warnings = [`"${name}" is not a setting; did you mean ${meant}?`];
      assert.deepEqual(readSettings({ [name]: "1" }), { ...defaults, warnings });
      assert.deepEqual(readSettings({ [name]: "" }), defaults);
    }
  }
  const others = [
    "PATH", "PORTS", "POST", "HOSTNAME", "ENV_FILE", "META_DIR", "LOG_FILE", "NODE_ENV",
    "npm_config_loglevel", "XDG_DATA_DIRS", "RATE", "GH_TOKEN", "HTTP_PROXY", "",
  ];
  assert.deepEqual(readSettings(Object.fromEntries(others.map((name) => [name, "1"]))), defaults);
});

test("a setting of an earlier version is refused with what takes its place", () => {
  assert.equal(
    refusal(() => readSettings({ REVOKED_SUBS: "kitchen" })),
    "REVOKED_SUBS is not a setting any more: unset it, and lock each subject out on the board, " +
      "under Devices, or with PUT /api/devices/{sub}/lock",
  );
  assert.equal(
    refusal(() => readSettings({ TOKEN_SECRET_PREVIOUS: secret })),
    "TOKEN_SECRET_PREVIOUS is not a setting any more: unset TOKEN_SECRET too, and write the " +
      "keys into DATA_DIR/token-secret, the new one first, one per line",
  );
});
