/** What is wrong with a backup or a menu, for the operator: its file, the line, the reason. */
export class DocumentError extends Error {
  override readonly name = "DocumentError";
  readonly line: number | undefined;
  readonly detail: string;

  constructor(file: string, line: number | undefined, detail: string) {
    const place = line === undefined ? file : `${file}, line ${line}`;
    super(`${place}: ${detail}`);
    this.line = line;
    this.detail = detail;
  }
}
