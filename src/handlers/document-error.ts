/** What is wrong with a backup or a menu, for the operator: the file, the line in it, the reason. */
export class DocumentError extends Error {
  override readonly name = "DocumentError";

  constructor(file: string, line: number | undefined, detail: string) {
    const place = line === undefined ? file : `${file}, line ${line}`;
    super(oneLine(`${place}: ${detail}`));
  }
}

/** Whatever a document holds, it breaks no line and commands no terminal. */
function oneLine(text: string): string {
  return text.replaceAll(
    /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
