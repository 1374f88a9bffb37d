/** Where the bench has got to, on stderr, so that stdout holds nothing but the tables. */

export function progress(line: string): void {
  const seconds = Math.round(performance.now() / 1000);
  process.stderr.write(`${String(seconds).padStart(4)} s  ${line}\n`);
}
