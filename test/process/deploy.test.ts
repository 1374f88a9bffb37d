/**
 * data/deploy: systemd accepts its units, and the steps of its README do what they say. They run as
 * they are, with stand-ins for the commands of root. deploy-streams.test.ts tests the scripts that
 * follow a shop.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { test, type TestContext } from "node:test";
import { promisify } from "node:util";
import {
  type Forno, type FornoProcess, spawnForno, startForno, temporaryFolder,
} from "../helpers/forno.ts";
import {
  commandsOf, createMachine, deploy, hasTools, type Machine, pack, steps,
} from "../helpers/machine.ts";
import { needsBuild } from "../helpers/node.ts";
import { blocksOf, root } from "../helpers/readme.ts";
import { orderLine, storeFile } from "../helpers/store-file.ts";

const run = promisify(execFile);
const units = readdirSync(join(deploy, "systemd")).filter((name) => !name.endsWith(".d"));
const scripts = readdirSync(join(deploy, "bin"));
const skip =
  needsBuild || (hasTools("bash", "curl", "tar", "npm") ? false : "needs bash, curl, tar and npm");

test("systemd understands the units, and rates each 2.0 or better", async (t) => {
  if (!hasTools("systemd-analyze")) return t.skip("needs systemd-analyze");
  const folder = temporaryFolder(t);
  cpSync(join(deploy, "systemd"), folder, { recursive: true });
  const files = units.map((name) => join(folder, name));
  for (const file of files) {
    const text = readFileSync(file, "utf8");
    const here = text.replaceAll("/opt/forno/", root).replace("/usr/bin/node", process.execPath);
    writeFileSync(file, here);
  }
  const { stderr } = await run("systemd-analyze", ["verify", ...files]);
  assert.equal(stderr.replaceAll(/^.*Unknown (?:key|lvalue).*\n/gm, ""), "");
  for (const file of files.filter((name) => name.endsWith(".service"))) {
    // In tenths of the rating.
    await run("systemd-analyze", ["security", "--offline=true", "--threshold=20", file]);
  }
});

test("the scripts are executable, and all that is started is there", () => {
  for (const name of scripts) {
    assert.equal(statSync(join(deploy, "bin", name)).mode & 0o111, 0o111, name);
  }
  const text = ["README.md", "client.env", ...units.map((name) => join("systemd", name))]
    .map((name) => readFileSync(join(deploy, name), "utf8")).join("");
  const started = text.matchAll(/(?:RUN="|\/opt\/forno\/data\/deploy\/bin\/)([\w-]+)/g);
  const names = new Set(Array.from(started, ([, name = ""]) => name));
  assert.deepEqual([...names].sort(), scripts.sort());
});

test("the files in the container are enough to serve", { skip: needsBuild }, async (t) => {
  const text = readFileSync(join(deploy, "Dockerfile"), "utf8");
  const folder = join(temporaryFolder(t), "opt/forno");
  for (const [, names = ""] of text.matchAll(/^COPY (.*)$/gm)) {
    const paths = names.split(" ");
    const target = paths.pop() ?? "";
    for (const path of paths) {
      const to = join(folder, target, target.endsWith("/") ? basename(path) : "");
      cpSync(join(root, path), to, { recursive: true });
    }
  }
  const forno = await spawnForno(t, { file: join(folder, "dist/server.js") });
  for (const path of ["/readyz", "/api/toppings/funghi", "/", "/board", "/openapi.json"]) {
    assert.equal((await forno.call("GET", path)).status, 200, path);
  }
  const [, check = ""] = /^HEALTHCHECK CMD (\[.*\])$/m.exec(text) ?? [];
  const [, ...args]: string[] = JSON.parse(check);
  const healthy = args.map((arg) => arg.replace("http://127.0.0.1:3000", forno.origin));
  await run(process.execPath, healthy);
  await forno.end();
  await assert.rejects(run(process.execPath, healthy), { code: 1 });
});

/** The server that is installed on the machine, with the folder of its unit. */
async function serveInstalled(t: TestContext, { folder, dataDir }: Machine): Promise<FornoProcess> {
  const file = join(folder, "opt/forno/dist/server.js");
  return spawnForno(t, { file, dataDir, cwd: folder, env: { TOKEN_SECRET: "" } });
}

/** A server on the folder of the machine's unit, where it matters not which files it runs from. */
function serve(
  t: TestContext, { dataDir }: Machine, env: Record<string, string> = {},
): Promise<Forno> {
  return startForno(t, { dataDir, env: { TOKEN_SECRET: "", ...env } });
}

async function versionOf(forno: FornoProcess): Promise<string> {
  return (await forno.call("GET", "/api")).json.version;
}

const order = { pizzaSize: { id: "grande" }, toppings: [], beverages: [] };

test("the same steps install and upgrade, and it goes back", { skip }, async (t) => {
  const machine = createMachine(t);
  const { folder } = machine;
  await pack(machine, ["1.0.0", "1.0.1"]);
  const [install = "", startShop = ""] = steps("Install");
  await machine.run(install);
  await machine.run(startShop.replace(/^.*curl .*$/m, ""));
  const installedUnits = readdirSync(join(folder, "etc/systemd/system"));
  assert.deepEqual(installedUnits.sort(), readdirSync(join(deploy, "systemd")).sort());
  const drop = "etc/systemd/system/forno-.service.d/common.conf";
  assert.match(readFileSync(join(folder, drop), "utf8"), /^NoNewPrivileges=yes$/m);
  assert.equal(statSync(join(folder, "etc/forno/rome.env")).mode & 0o777, 0o600);
  const first = await serveInstalled(t, machine);
  assert.equal(await versionOf(first), "1.0.0");
  const [, tokenStep = ""] = steps("Put HTTPS in front");
  const link = await machine.run(tokenStep);
  const [base, token = ""] = link.trim().split("#token=");
  assert.equal(base, "https://orders.pizza.example/board");
  await first.call("POST", "/api/orders", { token, body: { id: "kept", ...order } });
  await first.end();

  writeFileSync(join(folder, "etc/forno/rome.env"), "RATE_LIMIT=50\n");
  await machine.run(install, { "V=1.0.0": "V=1.0.1" });
  assert.equal(readFileSync(join(folder, "etc/forno/rome.env"), "utf8"), "RATE_LIMIT=50\n");
  const second = await serveInstalled(t, machine);
  assert.equal(await versionOf(second), "1.0.1");
  assert.equal((await second.call("GET", "/api/orders/kept", { token })).status, 200);
  await second.end();

  await machine.run(install);
  const third = await serveInstalled(t, machine);
  assert.equal(await versionOf(third), "1.0.0");
  assert.equal((await third.call("GET", "/api/orders/kept", { token })).status, 200);
  assert.deepEqual(machine.calls().filter((call) => call.startsWith("systemctl ")), [
    "systemctl daemon-reload", "systemctl restart forno-shop@* forno-client@*",
    "systemctl enable --now forno-shop@rome forno-backup@rome.timer",
    "systemctl daemon-reload", "systemctl restart forno-shop@* forno-client@*",
    "systemctl daemon-reload", "systemctl restart forno-shop@* forno-client@*",
  ]);
});

test("nginx serves two shops", async (t) => {
  if (!hasTools("nginx", "openssl")) return t.skip("needs nginx and openssl");
  const machine = await installed(t);
  const { folder } = machine;
  const sites = join(folder, "etc/nginx/sites-enabled");
  mkdirSync(sites, { recursive: true });
  const [write = ""] = steps("Put HTTPS in front")[0]?.match(/^sed .*$/m) ?? [];
  for (const [shop, port] of [["rome", "3000"], ["milan", "3001"]] as const) {
    const name = `${shop}.example`;
    await machine.run(write, { "YOUR-NAME": name, PORT: port, "rome.conf": `${shop}.conf` });
    const keys = join(folder, "etc/letsencrypt/live", name);
    mkdirSync(keys, { recursive: true });
    await run("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", `/CN=${name}`,
      "-keyout", join(keys, "privkey.pem"), "-out", join(keys, "fullchain.pem")]);
    const file = join(sites, `${shop}.conf`);
    const text = readFileSync(file, "utf8");
    assert.match(text, new RegExp(`proxy_pass http://127.0.0.1:${port};`));
    writeFileSync(file, text.replaceAll("/etc/letsencrypt", join(folder, "etc/letsencrypt")));
  }
  const main = join(folder, "nginx.conf");
  const pid = `pid ${join(folder, "pid")}; error_log stderr;`;
  writeFileSync(main, `${pid} events {} http { access_log off; include ${sites}/*; }`);
  await run("nginx", ["-t", "-p", folder, "-c", main]);
});

/** A machine on which the project's folder is installed. */
function installed(t: TestContext): Promise<Machine> {
  const machine = createMachine(t);
  return machine.run(`ln -s ${root} /opt/forno`).then(() => machine);
}

test("a key is changed over restarts, and a shell always has a token", { skip }, async (t) => {
  const machine = await installed(t);
  const [addKey = "", dropOldKey = ""] = steps("Change the key");
  const shellToken = async (): Promise<string> => (await machine.run(
    `DATA_DIR=${machine.dataDir} node /opt/forno/dist/token.js staff --expires 1m`,
  )).trim();
  const status = async (forno: Forno, token: string): Promise<number> =>
    (await forno.call("PATCH", "/api/shop", { token, body: { notice: "" } })).status;

  const first = await serve(t, machine);
  const old = await shellToken();
  assert.equal(await status(first, old), 200);
  await machine.run(addKey);
  await first.close();

  const second = await serve(t, machine);
  const next = await shellToken();
  assert.deepEqual([await status(second, old), await status(second, next)], [200, 200]);
  await machine.run(dropOldKey);
  await second.close();

  const third = await serve(t, machine);
  assert.deepEqual([await status(third, old), await status(third, next)], [401, 200]);
  assert.equal(await status(third, await shellToken()), 200);
  assert.equal(statSync(join(machine.dataDir, "token-secret")).mode & 0o777, 0o600);
  await third.close();

  const fourth = await serve(t, machine);
  assert.deepEqual([await status(fourth, old), await status(fourth, next)], [401, 200]);
});

test("a lost tablet is found in the list and removed, from a shell", { skip }, async (t) => {
  const machine = await installed(t);
  const forno = await serve(t, machine);
  const add = async (name: string): Promise<{ id: string, token: string }> => {
    const body = { name, role: "staff", expires: "30d" };
    const { json } = await forno.call("POST", "/api/devices", { token: forno.owner, body });
    const redeemed = await forno.call("POST", "/api/tokens", { body: { code: json.code } });
    return { id: json.id, token: redeemed.json.token };
  };
  const [lost, kept] = [await add("kitchen"), await add("kitchen")];
  const [removal = ""] = steps("A lost tablet");
  const listed = await machine.run(removal, { LOST: lost.id, "PORT=3000": `PORT=${forno.port}` });
  assert.match(listed, new RegExp(`"id":"${lost.id}","name":"kitchen"`));
  for (const [{ token }, status] of [[lost, 401], [kept, 200]] as const) {
    assert.equal((await forno.call("GET", "/api/backup", { token })).status, status);
  }
});

test("a client has settings of its own, and only root can read its token", {
  skip,
}, async (t) => {
  const machine = await installed(t);
  const [startClient = ""] = steps("Follow a shop");
  await machine.run(startClient);
  const unit = readFileSync(join(deploy, "systemd/forno-client@.service"), "utf8");
  const [, file = ""] = /^EnvironmentFile=(.*)$/m.exec(unit) ?? [];
  assert.equal(file, "/etc/forno/%i.client.env", "the server of the shop %i reads %i.env");
  const installedFile = join(machine.folder, file.replace("%i", "rome-hook"));
  assert.equal(statSync(installedFile).mode & 0o777, 0o600);
  assert.equal(machine.calls().at(-1), "systemctl enable --now forno-client@rome-hook");
});

/** A run of forno-backup@rome. */
function backUp(machine: Machine): Promise<string> {
  const commands = commandsOf("forno-backup@.service").join("\n");
  return machine.run(`cd /var/lib/forno-backup/rome\n${commands}`);
}

test("the nightly backup restores, and a failed one changes nothing", { skip }, async (t) => {
  const machine = await installed(t);
  const { dataDir, folder } = machine;
  const forno = await serve(t, machine);
  const token = forno.staff;
  await forno.call("POST", "/api/orders", { token, body: { id: "kept", ...order } });
  const backups = join(folder, "var/lib/forno-backup/rome");
  mkdirSync(backups, { recursive: true });
  await backUp(machine);
  const [name = ""] = readdirSync(backups);
  assert.match(name, /^\d{4}-\d\d-\d\d\.ndjson$/);
  const [block = ""] = steps("Back up every night");
  const [, proof = ""] = block.split("systemctl start forno-backup@rome\n");
  const changes = { "sleep 1;": "sleep 0.05;" };
  const said = await machine.run(proof, changes);
  assert.match(said, /"msg":"listening".*"new":false/, "the proof starts on it elsewhere");
  writeFileSync(join(backups, "9999-01-01.ndjson"), "no backup\n");
  await assert.rejects(machine.run(proof, changes), /the header of a Forno store/);
  rmSync(join(backups, "9999-01-01.ndjson"));

  for (const [old, days] of [["2001-01-01.ndjson", 31], ["2001-02-01.ndjson", 29]] as const) {
    writeFileSync(join(backups, old), "{}");
    const then = Date.now() / 1_000 - days * 86_400;
    utimesSync(join(backups, old), then, then);
  }
  const before = readFileSync(join(backups, name));
  const file = join(dataDir, "store.ndjson");
  renameSync(file, `${file}.away`);
  await assert.rejects(backUp(machine));
  assert.deepEqual(readdirSync(backups).sort(), ["2001-01-01.ndjson", "2001-02-01.ndjson", name]);
  assert.deepEqual(readFileSync(join(backups, name)), before);
  renameSync(`${file}.away`, file);
  await backUp(machine);
  assert.deepEqual(readdirSync(backups).sort(), ["2001-02-01.ndjson", name]);

  await forno.asStaff("DELETE", "/api/orders/kept");
  await forno.close();
  const [restore = ""] = steps("Restore a backup");
  await machine.run(restore, { "2026-01-31.ndjson": name });
  const again = await serve(t, machine);
  assert.equal((await again.call("GET", "/api/orders/kept", { token })).status, 200);
  assert.equal((await again.call("DELETE", "/api/orders/kept", { token })).status, 204);
});

test("the lines for cron open the shop and close it", { skip }, async (t) => {
  const machine = await installed(t);
  const forno = await serve(t, machine);
  const guide = readFileSync(join(deploy, "README.md"), "utf8");
  const found = guide.matchAll(/^0 \d+ \* \* 2-7 forno (.*)$/gm);
  const lines = Array.from(found, ([, line = ""]) => line);
  const settings = `export DATA_DIR=${machine.dataDir} PORT=${forno.port}`;
  assert.equal(lines.length, 2);
  for (const [index, isOpen] of [[1, false], [0, true]] as const) {
    assert.equal(await machine.run(`${settings}\n${lines[index]}`), "", "cron would send a mail");
    assert.equal((await forno.call("GET", "/api/shop")).json.isOpen, isOpen);
  }
});

test("old orders are removed, and younger ones stay", { skip }, async (t) => {
  if (!hasTools("jq")) return t.skip("needs jq");
  const machine = await installed(t);
  // More than the burst of the rate limit.
  const old = Array.from({ length: 12 }, (_, index) => `20${10 + index}-01-01`);
  const days = [...old, "2100-01-01"];
  const lines = days.map((day) =>
    orderLine(day, `${day}T00:00:00.000Z`, { status: "Delivered" }));
  mkdirSync(machine.dataDir, { recursive: true });
  writeFileSync(join(machine.dataDir, "store.ndjson"), storeFile(lines));
  const forno = await serve(t, machine, { RATE_LIMIT: "1" });
  const removal = blocksOf("data/recipes.md").find(({ text }) => text.includes("1 year ago"))?.text;
  const changes = { "localhost:3000": `127.0.0.1:${forno.port}` };
  await machine.run(`TOKEN=${forno.staff}\n${removal}`, changes);
  await forno.close();
  const again = await serve(t, machine);
  const { json } = await again.call("GET", "/api/orders");
  assert.deepEqual(json.map(({ id }: { id: string }) => id), ["2100-01-01"]);
});
