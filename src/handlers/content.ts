/**
 * A document with everything in it: a backup, or a menu. One JSON object with an array a kind,
 * each resource under the guard of its kind.
 */

import { readFileSync } from "node:fs";
import type { NewResource } from "../store/opening.ts";
import type { Kind } from "./kind.ts";

/** Throws ContentError. */
export function readContent(file: string, kinds: readonly Kind[]): NewResource[] {
  const document = JSON.parse(readFileSync(file, "utf8")) as Record<string, { id: string }[]>;
  return kinds.flatMap((kind) =>
    (document[kind.name] ?? []).map((item) => {
      const candidate = kind.parse(item, { caller: undefined, pathId: undefined });
      const decision = candidate.decide(item.id, undefined, {
        caller: undefined,
        accepted: () => undefined,
        now: new Date().toISOString(),
      });
      if (typeof decision === "string") throw new Error("a new resource is stored");
      return { kind: kind.name, id: item.id, ...decision };
    }),
  );
}
