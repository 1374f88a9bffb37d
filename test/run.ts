/**
 * Runs the tests, each file in a process of its own, and prints a line for each file: `npm test`,
 * or `npm test -- api/lists board` for the files with one of these words in their path. A failure
 * is printed whole, with what its file wrote; what a passing file writes is not shown. README.md
 * beside this file explains the options.
 */

import { readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { run } from "node:test";
import { fileURLToPath } from "node:url";
import { inspect, parseArgs, styleText } from "node:util";

const folder = fileURLToPath(new URL(".", import.meta.url));
const fileLimitMs = 300_000;

/** The folders whose files take longest. They start first, so that none is waited for alone. */
const slowFolders = ["durability/", "pages/", "process/"];

interface Failure {
  /** The names of the test and of those it is in. */
  readonly name: string;
  readonly error: unknown;
}

interface FileResult {
  readonly file: string;
  readonly seconds: number;
  readonly passed: number;
  readonly failures: readonly Failure[];
  /** The reason of each skipped test. */
  readonly skipped: readonly string[];
  readonly output: string;
}

async function runFile(file: string): Promise<FileResult> {
  const start = performance.now();
  const path = join(folder, file);
  const failures: Failure[] = [];
  const skipped: string[] = [];
  const names: string[] = [];
  const begun = new Set<string>();
  let passed = 0;
  let output = "";
  for await (const { type, data } of run({ files: [path], timeout: fileLimitMs })) {
    if (type === "test:stdout" || type === "test:stderr") output += data.message;
    if (type === "test:dequeue" && data.name !== path) begun.add(data.name);
    if (type === "test:start") names.splice(data.nesting, Infinity, data.name);
    if (type !== "test:pass" && type !== "test:fail") continue;
    names.splice(data.nesting, Infinity, data.name);
    begun.delete(data.name);
    const { error } = data.details as { readonly error?: Error & { failureType?: string } };
    if (data.skip !== undefined) skipped.push(data.skip === true ? "no reason" : data.skip);
    else if (type === "test:pass") passed += 1;
    // A test with failing tests in it fails too: those are enough.
    else if (error?.failureType !== "subtestsFailed") {
      const during = [...begun].map((name) => `"${name}"`).join(", ") || "no test";
      const name = data.name === path ? `the file, during ${during}` : names.join(" > ");
      failures.push({ name, error: error?.cause ?? error });
    }
  }
  const seconds = (performance.now() - start) / 1_000;
  return { file, seconds, passed, failures, skipped, output };
}

const isTerminal = process.stdout.isTTY;
const isColored = isTerminal && process.env["NO_COLOR"] === undefined;

function colored(color: "green" | "red" | "dim", text: string): string {
  return isColored ? styleText(color, text) : text;
}

function indented(text: string): string {
  return text.trimEnd().replaceAll(/^(?=.)/gm, "    ");
}

const sourceOf = (file: string): string => `test/${file.replace(/js$/, "ts")}`;

function describe({ file, seconds, passed, failures, skipped, output }: FileResult): string {
  const isFine = failures.length === 0;
  const mark = isFine ? colored("green", "ok  ") : colored("red", "FAIL");
  const counts = [
    ...(isFine ? [] : [`${failures.length} failed`]),
    `${passed} passed`,
    ...(skipped.length === 0 ? [] : [`${skipped.length} skipped`]),
  ];
  const numbers = colored("dim", `${counts.join(", ")}, ${seconds.toFixed(1)} s`);
  const lines = [`${mark} ${sourceOf(file).padEnd(45)} ${numbers}`];
  for (const { name, error } of failures) {
    lines.push("", `  ${colored("red", name)}`, indented(textOf(error)), "");
  }
  if (!isFine && output !== "") lines.push("  The file wrote:", indented(output), "");
  return lines.join("\n");
}

function textOf(error: unknown): string {
  return typeof error === "string" ? error : inspect(error, { colors: isColored });
}

/** The line at the bottom of a terminal that says how far it is. */
class Progress {
  readonly #total: number;
  readonly #running = new Set<string>();
  #done = 0;

  constructor(total: number) {
    this.#total = total;
  }

  begin(file: string): void {
    this.#running.add(file);
    this.#show();
  }

  /** Prints the result above the line. */
  end(file: string, result: string): void {
    this.#running.delete(file);
    this.#done += 1;
    if (isTerminal) process.stdout.write("\r\x1b[K");
    process.stdout.write(`${result}\n`);
    this.#show();
  }

  #show(): void {
    if (!isTerminal || this.#running.size === 0) return;
    const names = [...this.#running].map((file) => file.replace(".test.js", ""));
    const text = `${this.#done} of ${this.#total} files, now ${names.join(", ")}`;
    process.stdout.write(`\r\x1b[K${text.slice(0, (process.stdout.columns || 80) - 1)}`);
  }
}

/** The files with one of the words in their path, or all where there are no words. */
function filesWith(words: readonly string[], without: readonly string[]): string[] {
  const has = (file: string, some: readonly string[]): boolean =>
    some.some((word) => sourceOf(file).includes(word));
  const files = readdirSync(folder, { recursive: true }).map(String).sort()
    .filter((file) => file.endsWith(".test.js") && !has(file, without))
    .filter((file) => words.length === 0 || has(file, words));
  const isSlow = (file: string): boolean => slowFolders.some((slow) => file.startsWith(slow));
  return [...files.filter(isSlow), ...files.filter((file) => !isSlow(file))];
}

async function runAll(files: readonly string[], workers: number): Promise<FileResult[]> {
  const progress = new Progress(files.length);
  const results: FileResult[] = [];
  const waiting = [...files];
  const worker = async (): Promise<void> => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      progress.begin(file);
      const result = await runFile(file);
      results.push(result);
      progress.end(file, describe(result));
    }
  };
  await Promise.all(Array.from({ length: workers }, worker));
  return results;
}

/** Runs the files that failed once more, one at a time. The second result of a file counts. */
async function runFailedAgain(results: readonly FileResult[]): Promise<FileResult[]> {
  const failed = results.filter(({ failures }) => failures.length > 0).map(({ file }) => file);
  if (failed.length === 0) return [...results];
  console.log(`\nOnce more, one at a time: ${failed.map(sourceOf).join(", ")}`);
  const second = await runAll(failed, 1);
  return results.map((first) => second.find(({ file }) => file === first.file) ?? first);
}

function summary(results: readonly FileResult[], seconds: number): string {
  const lines = ["", `Files: ${results.length}, seconds: ${Math.round(seconds)}`];
  const reasons = results.flatMap(({ skipped }) => skipped);
  for (const reason of new Set(reasons)) {
    const { length } = reasons.filter((other) => other === reason);
    lines.push(`${length} skipped: ${reason}`);
  }
  const failed = results.flatMap(({ file, failures }) =>
    failures.map(({ name }) => `failed: ${sourceOf(file)}: ${name}`));
  const passed = results.reduce((sum, result) => sum + result.passed, 0);
  return [...lines, ...failed, `${passed} passed, ${failed.length} failed`].join("\n");
}

const { values, positionals } = parseArgs({
  options: {
    again: { type: "boolean", default: false },
    long: { type: "boolean", default: false },
    without: { type: "string", multiple: true, default: [] },
  },
  allowPositionals: true,
});
if (values.long) process.env["FORNO_TESTS"] = "long";
// Tests also wait for timers, disks and other processes: two more than there are cores.
const first = await runAll(filesWith(positionals, values.without), availableParallelism() + 2);
const results = values.again ? await runFailedAgain(first) : first;
console.log(summary(results, performance.now() / 1_000));
const isGood = results.length > 0 && results.every(({ failures }) => failures.length === 0);
process.exitCode = isGood ? 0 : 1;
