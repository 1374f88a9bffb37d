/** Texts that people read. This file also runs in a browser. */

/** C0, C1 and DEL. */
const control = /\p{Cc}/u;
/** U+2800 is a braille pattern without dots, which looks like a space. */
const visible = /[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** True if the text has a character that people can see. */
export function isVisible(text: string): boolean {
  return visible.test(text);
}

/** True for a text that a name can be. `max`: code points. */
export function isReadable(value: unknown, max: number): value is string {
  return (
    typeof value === "string" &&
    // UTF-16 units first, because code points are slow to count and have at most two units.
    value.length <= 2 * max &&
    (value.length <= max || [...value].length <= max) &&
    !control.test(value) &&
    isVisible(value) &&
    value.isWellFormed()
  );
}
