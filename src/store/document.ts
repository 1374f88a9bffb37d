/**
 * Writes the document: the whole store at one moment, one resource a line. It is the content of
 * store.json and of GET /api/backup. data/README.md describes the format for other programs.
 *
 *     {
 *     "forno":1,
 *     "seq":481516,
 *     "lastChange":481515,
 *     "takenAt":"2026-01-31T18:00:00.000Z",
 *     "shop":{"name":"Forno",…,"seq":0,"crc":"e5a2c11b"},
 *     "toppings":[
 *     {"id":"funghi",…as the API answers it…,"seq":6,"crc":"5b0e7a31"},
 *     {"id":"basilico",…,"seq":13,"crc":"8d1f09c4"}
 *     ],
 *     …a list for each kind…
 *     "crc":"1c291ca3"
 *     }
 *
 * forno       the version of the format, raised when an older Forno could not read it.
 * seq         the document includes every record up to this one; a replay skips them.
 * lastChange  the last record that changed a resource; marks (journal-file.ts) may follow it.
 * takenAt     RFC 3339, UTC, milliseconds.
 * crc         checksum.ts. The last checksum proves the whole; a line's checksum locates damage.
 *
 * Within a list, seq rises from line to line. A singleton is a member itself, without its id.
 * document-lines.ts reads the document back.
 */

import { Buffer } from "node:buffer";
import { crc32 } from "node:zlib";
import { checksumText } from "./checksum.ts";
import { type Row, rowText } from "./rows.ts";
import type { Moment } from "./tables.ts";

export const documentName = "store.json";

/** The value of `forno`. */
export const documentFormat = 1;

/** Characters in a piece: about half a millisecond of work between two requests. */
const pieceLength = 65_536;

/** The document's bytes, piece by piece. */
export function* documentPieces(moment: Moment): Generator<Buffer> {
  let text = "";
  let crc = 0;
  const write = (part: string): void => {
    text += part;
    crc = crc32(part, crc);
  };
  write(headText(moment));
  for (const { kind, rows } of moment.lists) {
    const isList = kind.singleton === undefined;
    write(`"${kind.name}":${isList ? "[" : ""}`);
    let lineEnd = isList ? "\n" : "";
    for (const row of rows) {
      const object = isList ? rowText(row) : singletonText(row);
      // The checksum takes the place of the closing brace.
      write(`${lineEnd}${object.slice(0, -1)},`);
      write(`${checksumText(crc)}}`);
      lineEnd = ",\n";
      if (text.length < pieceLength) continue;
      const piece = Buffer.from(text);
      // Cleared before the pause, so that a client that does not read holds the piece only once.
      text = "";
      yield piece;
    }
    write(isList ? "\n],\n" : ",\n");
  }
  yield Buffer.from(`${text}${checksumText(crc)}\n}\n`);
}

function singletonText({ value: { id: _, ...value }, ...row }: Row): string {
  return rowText({ ...row, value });
}

function headText({ seq, lastChange, takenAt }: Moment): string {
  return (
    `{\n"forno":${documentFormat},\n"seq":${seq},\n"lastChange":${lastChange},\n` +
    `"takenAt":"${takenAt}",\n`
  );
}
