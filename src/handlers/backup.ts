/**
 * GET /api/backup (contract part 3): everything, of one moment, as one JSON document.
 *
 *     {
 *     "forno":1,
 *     "takenAt":"2026-01-31T18:00:00.000Z",
 *     "shop":{"name":"Forno","isOpen":true,…},
 *     "toppings":[
 *     {"id":"funghi","name":"Mushrooms","isVegetarian":true,"isVegan":true}
 *     ],
 *     …
 *     "orders":[
 *     {"id":"K7QX3M",…,"updatedAt":"…","placedBy":"anna","names":{"pizzaSize":"Large",…}}
 *     ]
 *     }
 *
 * A resource stands as the store keeps it, but without its seq, which is of that store alone.
 * `documents/document.ts` reads the document back.
 */

import { headLine } from "../http/head.ts";
import { jsonType, noStore, type Reply } from "../http/reply.ts";
import type { Store } from "../store/store.ts";
import type { Entry } from "../store/table.ts";
import type { Kind } from "../pizzeria/kind.ts";
import { shopName, shopText } from "../pizzeria/shop.ts";
import type { Operation } from "../http/operation.ts";
import type { Route } from "../http/route.ts";
import { closedObject, storedSchema, timeSchema } from "../pizzeria/schemas.ts";
import { shopSchema } from "./shop.ts";
import { serviceTag } from "./operations.ts";

/** The value of `forno` in a backup: raised when older readers could not read it. */
export const backupFormat = 1;

export interface BackupOptions {
  readonly store: Store;
  readonly kinds: readonly Kind[];
  readonly now: () => Date;
}

/** GET /api/backup. */
export function backupRoutes(options: BackupOptions): readonly Route[] {
  const handle = (): Reply => backupReply(options);
  const operation = backupOperation(options.kinds);
  return [{ method: "GET", path: "/api/backup", rule: "staff", handle, operation }];
}

function backupReply({ store, kinds, now }: BackupOptions): Reply {
  const takenAt = now().toISOString();
  // A colon is no character for a file's name everywhere.
  const name = `forno-backup-${takenAt.slice(0, 19).replaceAll(":", "-")}Z.json`;
  return {
    status: 200,
    type: jsonType,
    head: headLine("Content-Disposition", `attachment; filename="${name}"`) + noStore,
    body: backupPieces(store, kinds, takenAt),
  };
}

/** Characters in one piece: below a millisecond of work between two requests. */
const pieceLength = 131_072;

/** The moment is that of the first piece. */
function* backupPieces(store: Store, kinds: readonly Kind[], takenAt: string): Generator<string> {
  const rows = store.freeze();
  let piece = `{\n"forno":${backupFormat},\n"takenAt":"${takenAt}"`;
  for (const entry of rows.get(shopName) ?? []) piece += `,\n"shop":${shopText(entry)}`;
  for (const { name } of kinds) {
    piece += `,\n"${name}":[`;
    let separator = "\n";
    for (const entry of rows.get(name) ?? []) {
      piece += separator + backupLine(entry);
      separator = ",\n";
      if (piece.length < pieceLength) continue;
      yield piece;
      piece = "";
    }
    piece += "\n]";
  }
  yield `${piece}\n}\n`;
}

/** Body and kept members in one object. */
function backupLine({ body, kept }: Entry): string {
  return kept === "" ? body : `${body.slice(0, -1)},${kept}}`;
}

function backupOperation(kinds: readonly Kind[]): Operation {
  const lists = kinds.map((kind) => [kind.name, { type: "array", items: storedSchema(kind) }]);
  const schema = closedObject({
    forno: { type: "integer", const: backupFormat, description: "The version of the format." },
    takenAt: timeSchema,
    shop: shopSchema,
    ...Object.fromEntries(lists),
  });
  return {
    id: "getBackup",
    tag: serviceTag,
    summary: "The whole store",
    description: "One JSON document, of one moment, that `restore.js` and `MENU_FILE` read back.",
    answers: {
      200: {
        description: "Everything that is stored.",
        headers: ["Content-Disposition"],
        content: { "application/json": { $component: "schemas/Backup", ...schema } },
      },
    },
  };
}
