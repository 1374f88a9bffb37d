/**
 * data/deploy: systemd accepts its units, and the steps of its README do what they say. They run as
 * they are, with stand-ins for the commands of root. deploy-events.test.ts tests the clients.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import {
  mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { promisify } from "node:util";
import { type Forno, spawnForno, startForno, temporaryFolder } from "../helpers/forno.ts";
import { createMachine, deploy, hasTools, type Machine, pack, steps } from "../helpers/machine.ts";
import { needsBuild } from "../helpers/node.ts";
import { blocksOf, root } from "../helpers/readme.ts";

const run = promisify(execFile);
const units = readdirSync(join(deploy, "systemd"));
const skip =
  needsBuild || (hasTools("bash", "curl", "tar", "npm") ? false : "needs bash, curl, tar and npm");
const order = { pizzaSize: { id: "grande" }, toppings: [], beverages: [] };

/** A path as a unit writes it. */
function inUnit(path: string): string {
  return path.replaceAll(" ", "\\x20").replaceAll("%", "%%");
}

test("systemd understands the units", async (t) => {
  if (!hasTools("systemd-analyze")) return t.skip("needs systemd-analyze");
  const folder = temporaryFolder(t);
  for (const name of units) {
    const text = readFileSync(join(deploy, "systemd", name), "utf8");
    const here = text.replaceAll("/opt/forno/", inUnit(root))
      .replace("/usr/bin/node", process.execPath);
    writeFileSync(join(folder, name), here);
  }
  const files = units.map((name) => join(folder, name));
  const { stderr } = await run("systemd-analyze", ["verify", ...files]);
  assert.equal(stderr, "");
});

/** A server on the folder of the machine's unit, from the sources. */
function serve(t: TestContext, { dataDir }: Machine): Promise<Forno> {
  return startForno(t, { dataDir, env: { TOKEN_SECRET: "" } });
}

test("the same steps install and upgrade, and it goes back", { skip }, async (t) => {
  const machine = createMachine(t);
  const { folder } = machine;
  await pack(machine, ["1.0.0", "1.0.1"]);
  const [install = "", startShop = "", check = ""] = steps("Install, upgrade, go back");
  await machine.run(install);
  await machine.run(startShop);
  assert.deepEqual(readdirSync(join(folder, "etc/systemd/system")), units);
  const settings = join(folder, "etc/forno/rome.env");
  assert.equal(statSync(settings).mode & 0o777, 0o600);

  const versions = ["1.0.0", "1.0.1", "1.0.0"];
  let token = "";
  for (const [round, version] of versions.entries()) {
    if (round > 0) await machine.run(install, { "V=1.0.0": `V=${version}` });
    const file = join(folder, "opt/forno/dist/server.js");
    const { dataDir } = machine;
    const forno = await spawnForno(t, { file, dataDir, cwd: folder, env: { TOKEN_SECRET: "" } });
    assert.equal((await forno.call("GET", "/api")).json.version, version);
    if (round === 0) {
      const [link = ""] = (await machine.run(steps("Put HTTPS in front")[1] ?? "")).split("\n");
      const [base, ofLink = ""] = link.split("#token=");
      assert.equal(base, "https://orders.pizza.example/board");
      token = ofLink;
      await forno.call("POST", "/api/orders", { token, body: { id: "kept", ...order } });
    }
    assert.equal((await forno.call("GET", "/api/orders/kept", { token })).status, 200);
    const said = await machine.run(check, { "http://127.0.0.1:3000": forno.origin });
    assert.match(said, /^\{"status":"ready"\}\n.* holds .*, 1 order, last changed at /);
    await forno.end();
  }
  assert.equal(readFileSync(settings, "utf8"), "PORT=3000\nTRUST_PROXY=on\n");
});

test("nginx takes the files of two shops, each with its name and port", async (t) => {
  if (!hasTools("nginx")) return t.skip("needs nginx");
  const machine = installed(t);
  const sites = join(machine.folder, "etc/nginx/sites-enabled");
  mkdirSync(sites, { recursive: true });
  const [step = ""] = steps("Put HTTPS in front");
  const write = (step.match(/^(?:NAME|cd|sed).*$/gm) ?? []).join("\n");
  for (const [shop, PORT] of [["rome", "3000"], ["milan", "3001"]] as const) {
    const name = `NAME=${shop} PORT=${PORT}`;
    const own = { "NAME=orders.pizza.example PORT=3000": name, "rome.conf": `${shop}.conf` };
    await machine.run(write, own);
    const file = join(sites, `${shop}.conf`);
    const text = readFileSync(file, "utf8");
    assert.match(text, new RegExp(`server_name ${shop};[^]*proxy_pass http://127.0.0.1:${PORT};`));
    // Without the certificate, which only the machine with that name gets, and the ports, which
    // only root may use.
    const here = text.replaceAll(/^ *(?:ssl_|listen \[).*$| ssl http2/gm, "")
      .replaceAll(/listen (\d+)/g, `listen unix:${machine.folder}/$1.sock`);
    writeFileSync(file, here);
  }
  const main = join(machine.folder, "nginx.conf");
  writeFileSync(main, `pid ${main}.pid; events {} http { access_log off; include ${sites}/*; }`);
  await run("nginx", ["-t", "-e", "stderr", "-c", main]);
});

/** A machine on which the project's folder is installed. */
function installed(t: TestContext): Machine {
  const machine = createMachine(t);
  symlinkSync(root, join(machine.folder, "opt/forno"));
  return machine;
}

test("a stolen key opens nothing once it was deleted", { skip }, async (t) => {
  const machine = installed(t);
  const tokens: string[] = [];
  /** The answers to the tokens of this start and of those before. */
  const restart = async (): Promise<number[]> => {
    const forno = await serve(t, machine);
    const command = `DATA_DIR=${machine.dataDir} node /opt/forno/dist/token.js staff`;
    tokens.push((await machine.run(command)).trim());
    const calls = tokens.map((token) => forno.call("GET", "/metrics", { token }));
    const answers = await Promise.all(calls);
    await forno.close();
    return answers.map(({ status }) => status);
  };
  assert.deepEqual(await restart(), [200]);
  await machine.run(steps("Remove a lost tablet, change the key")[0] ?? "");
  assert.deepEqual(await restart(), [401, 200]);
});

/** A run of forno-backup@rome. */
function backUp(machine: Machine): Promise<string> {
  const unit = readFileSync(join(deploy, "systemd/forno-backup@.service"), "utf8");
  const commands = [...unit.replaceAll("\\\n", "").matchAll(/^ExecStart=(.*)$/gm)]
    .map(([, command]) => command).join("\n");
  const text = commands.replaceAll("%i", "rome").replaceAll("%%", "%").replaceAll("$$", "$");
  return machine.run(`cd /var/lib/forno-backup/rome\n${text}`);
}

test("the nightly backup restores, and a failed one changes nothing", { skip }, async (t) => {
  const machine = installed(t);
  const { folder } = machine;
  const forno = await serve(t, machine);
  await forno.write("POST", "/api/orders", { id: "kept", ...order });
  const backups = join(folder, "var/lib/forno-backup/rome");
  mkdirSync(backups, { recursive: true });
  // With today's copy, that of 2001-01-02 is the thirtieth; 2001-01-01 is one too many.
  for (let day = 1; day <= 30; day += 1) {
    writeFileSync(join(backups, `2001-01-${String(day).padStart(2, "0")}.ndjson.gz`), "");
  }
  await backUp(machine);
  const copies = readdirSync(backups).sort();
  const name = copies.at(-1) ?? "";
  assert.match(name, /^20[2-9]\d-\d\d-\d\d\.ndjson\.gz$/);
  assert.deepEqual([copies.length, copies[0]], [30, "2001-01-02.ndjson.gz"]);

  const before = readFileSync(join(backups, name));
  for (const [command, script] of [
    // The disk fails when all has been copied.
    ["sync", "exit 1"],
    ["df", "printf 'Avail\\n1000\\n'"],
  ] as const) {
    const path = join(folder, "bin", command);
    writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    await assert.rejects(backUp(machine));
    assert.deepEqual(readdirSync(backups).filter((file) => file >= "2002"), [name]);
    assert.deepEqual(readFileSync(join(backups, name)), before);
    rmSync(path);
  }

  await forno.write("DELETE", "/api/orders/kept");
  await forno.close();
  const [, look = "", restore = ""] = steps("Back up and restore");
  const said = await machine.run(look, { "2026-01-31.ndjson.gz": name });
  assert.match(said, /^copy\.ndjson holds .*, 1 order, last changed at /);
  await machine.run(restore);
  const again = await serve(t, machine);
  assert.equal((await again.asStaff("GET", "/api/orders/kept")).status, 200);
});

test("the lines for cron open the shop and close it", { skip }, async (t) => {
  const machine = installed(t);
  const forno = await serve(t, machine);
  const table = blocksOf("data/recipes.md").find(({ text }) => text.includes("forno-api"))?.text;
  const [path = "", dataDir = "", , open = "", close = ""] = table?.split("\n") ?? [];
  const settings = `${path}:$PATH\n${dataDir}\nPORT=${forno.port}`;
  for (const [line, isOpen] of [[close, false], [open, true]] as const) {
    const [, command] = /^0 \d+ \* \* 2-7 forno (.*)$/.exec(line) ?? [];
    const said = await machine.run(`set -a\n${settings}\n${command}`);
    assert.equal(said, "", "cron would send a mail");
    assert.equal((await forno.call("GET", "/api/shop")).json.isOpen, isOpen);
  }
});
