/**
 * A table's name, as people write it ("Table 7") and as the ids of its orders begin ("table-7").
 */

/** Only what an id may hold (contract part 2). Empty if nothing of the name is left. */
export function tableId(name: string): string {
  return name.toLowerCase().replaceAll("ß", "ss").normalize("NFKD").replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^\s\w.~:@+,-]/g, "").replaceAll(/[\s-]+/g, "-").slice(0, 60)
    .replaceAll(/^\W+|\W+$/g, "");
}

/**
 * An id as the order page makes it: the table, the number, and which of several placed together it
 * is. A number has a letter, unlike "260131" of a till that numbers its orders.
 */
const madeByPage = /^(?:(.+)-)?(?=\d*[A-Z])([0-9A-HJKMNP-TV-Z]{6})(?:-([1-9]\d?))?$/;

/** "Table 7" for "table-7-K7QX3M-2". Empty for an order of no table. */
export function tableOf(orderId: string): string {
  const [, table = ""] = madeByPage.exec(orderId) ?? [];
  return table.charAt(0).toUpperCase() + table.slice(1).replaceAll("-", " ");
}

/** The guest's name for it: ["K7QX3M", 2] for "table-7-K7QX3M-2", and part 0 for one alone. */
export function numberOf(orderId: string): readonly [number: string, part: number] {
  const [, , number = orderId, part = 0] = madeByPage.exec(orderId) ?? [];
  return [number, Number(part)];
}
