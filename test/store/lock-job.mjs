/**
 * A process of lock.test.ts, in JavaScript because it starts sooner. With "hold" it takes the
 * folder and keeps it; with "storm" it takes it and gives it back many times, and dies with it in
 * the end.
 */

import fs from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [folder = "", what, module = ""] = process.argv.slice(2);
// A bare node --test runs this file, too.
if (what === undefined) process.exit();
const { lockFolder } = await import(String(pathToFileURL(module)));
const owner = join(folder, "owner");

async function storm() {
  let taken = 0;
  for (let tries = 0; tries < 80; tries++) {
    const lock = await lockFolder(folder).catch((error) => {
      if (error.code !== "locked") throw error;
    });
    if (lock === undefined) continue;
    taken += 1;
    // Fails when another owner is there.
    fs.writeFileSync(owner, "", { flag: "wx" });
    await new Promise((resolve) => void setImmediate(resolve));
    fs.unlinkSync(owner);
    await lock.release();
  }
  return taken;
}

process.on("message", () => {
  // Busy for a moment: an owner that does not answer is an owner.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
});

if (what === "storm") process.send(await storm());
const lock = await lockFolder(folder).catch((error) => error.code);
if (what === "storm") process.kill(process.pid, "SIGKILL");
process.send(typeof lock === "object" ? "taken" : lock);
