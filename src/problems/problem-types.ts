/** The table of problem types (RFC 9457). Problem pages and description are made from it. */

/** The last part of a problem's `type`: "/problems/not-found". */
export type ProblemType =
  | "invalid-body"
  | "invalid-json"
  | "invalid-query"
  | "not-authenticated"
  | "forbidden"
  | "not-exposed"
  | "not-found"
  | "method-not-allowed"
  | "id-taken"
  | "status-not-allowed"
  | "order-closed"
  | "shop-closed"
  | "sold-out"
  | "precondition-failed"
  | "range-not-satisfiable"
  | "body-too-large"
  | "unsupported-media-type"
  | "rate-limited"
  | "headers-too-large"
  | "internal"
  | "storage-unavailable";

/** Text between backticks is code. */
interface ProblemRow {
  readonly status: number;
  readonly title: string;
  readonly meaning: string;
  readonly remedy: string;
}

export const problemTypes: Readonly<Record<ProblemType, ProblemRow>> = {
  "invalid-body": {
    status: 400,
    title: "The body does not fit the resource",
    meaning:
      "The body is JSON, but a field is missing, misspelled, of the wrong type or out of bounds, " +
      "or it refers to an item that is not on the menu. Nothing was stored.",
    remedy:
      "`errors` lists every fault: a JSON pointer to the place, and what was expected there. " +
      "Correct them and send the body again. `/openapi.json` has every field with its bounds.",
  },
  "invalid-json": {
    status: 400,
    title: "The body is not JSON",
    meaning:
      "The body is not JSON in UTF-8: it is empty, cut short or nested too deeply, or it has a " +
      "syntax error. Nothing was stored.",
    remedy:
      "Look at the bytes that were sent. In a shell, put single quotes around the JSON to keep " +
      "the double quotes in it.",
  },
  "invalid-query": {
    status: 400,
    title: "The query was not understood",
    meaning:
      "The query has a parameter that is unknown at this path, a value of the wrong type, or the " +
      "same parameter twice. Nothing was done.",
    remedy:
      "`errors` names each parameter and says what it takes. Parameters whose names start with " +
      "`_` are ignored.",
  },
  "not-authenticated": {
    status: 401,
    title: "A valid token is required",
    meaning:
      "The request has no token, or one that is expired, damaged, locked out or signed with " +
      "another key; or the code of an invite is used, too old or unknown. `detail` says which.",
    remedy:
      "On the board, add the device under Devices. On the server, `node dist/token.js staff` (or " +
      "`customer`, or `reader`) prints a token. If `GUEST_ORDERS` is on, `POST /api/tokens` " +
      "gives a customer token to anyone. Send it as `Authorization: Bearer TOKEN`.",
  },
  forbidden: {
    status: 403,
    title: "Your role may not do this",
    meaning:
      "The token is valid, but its role may not do this. Staff may do everything, customers " +
      "place orders, and readers only read. To invite, a token also needs a name (`sub`), and at " +
      "most seven inviters before it.",
    remedy: "Use a token as `detail` describes it.",
  },
  "not-exposed": {
    status: 403,
    title: "This server is for its own machine",
    meaning:
      "The request came through a proxy that the server does not know of, or from a page of " +
      "another site. Nothing was done.",
    remedy:
      "On the server, set `TRUST_PROXY=on` if only your own proxy can reach its port, or set " +
      "`HOST` to serve other machines directly.",
  },
  "not-found": {
    status: 404,
    title: "Not found",
    meaning:
      "The server has nothing at this path, no resource has this id, or it is an order that you " +
      "may not read.",
    remedy:
      "Compare the id with the list; upper and lower case matter. `/api` links every list. A " +
      "deleted resource is not found either.",
  },
  "method-not-allowed": {
    status: 405,
    title: "Method not allowed here",
    meaning:
      "The path exists, but not with this method. A list takes GET and POST, an item takes GET, " +
      "PUT, PATCH and DELETE.",
    remedy:
      "Use a method from the response's header field `Allow`. To change an item, add its id " +
      "to the path of the list.",
  },
  "id-taken": {
    status: 409,
    title: "The id is taken",
    meaning:
      "A resource with this id exists. `identical` says whether it is exactly what was sent, as " +
      "it is when a create is repeated because its response was lost.",
    remedy:
      "If `identical` is true, nothing is left to do. Otherwise choose another id, leave it out " +
      "to get one, or update the existing resource.",
  },
  "status-not-allowed": {
    status: 409,
    title: "The order cannot go to that status",
    meaning: "A delivered order cannot become cancelled directly, nor a cancelled one delivered.",
    remedy: "Set one of the statuses in `allowed` first, then the one that you want.",
  },
  "order-closed": {
    status: 409,
    title: "The order is closed",
    meaning:
      "The order is delivered or cancelled. Its size, toppings and beverages can no longer change.",
    remedy:
      "To change it anyway, first send an update that only sets another status. Then change the " +
      "rest.",
  },
  "shop-closed": {
    status: 409,
    title: "The shop is closed",
    meaning: "The shop takes no orders from customers now. `detail` has its notice.",
    remedy:
      "Order again when `isOpen` is true in `/api/shop`. Staff can open the shop there, and can " +
      "place orders while it is closed.",
  },
  "sold-out": {
    status: 409,
    title: "Something in the order is sold out",
    meaning: "The order has items that are sold out. `errors` points at each of them.",
    remedy:
      "Order without them: `soldOut` in `/api/shop` lists everything that is sold out. Staff can " +
      "change that list, and can order such items.",
  },
  "precondition-failed": {
    status: 412,
    title: "The resource has changed",
    meaning:
      "`If-Match` or `If-None-Match` named a version of the resource that is not the stored one: " +
      "somebody else was faster. Nothing was changed.",
    remedy:
      "Read the resource again. If your change is still right, send it with the new `ETag`.",
  },
  "range-not-satisfiable": {
    status: 416,
    title: "The range begins at or behind the end",
    meaning: "The copy has everything that the store has.",
    remedy: "Nothing is left to do. Ask again later.",
  },
  "body-too-large": {
    status: 413,
    title: "The body is too large",
    meaning: "The body has more bytes than the server accepts: 64 KiB.",
    remedy: "Look at what was sent: no order or menu item needs that much.",
  },
  "unsupported-media-type": {
    status: 415,
    title: "The body's media type or encoding is not supported",
    meaning:
      "The request's header says that the body is not JSON in UTF-8, or that it is compressed.",
    remedy:
      "Send uncompressed JSON with `Content-Type: application/json`, or without that field. A " +
      "PATCH may be `application/merge-patch+json`.",
  },
  "rate-limited": {
    status: 429,
    title: "Too many requests",
    meaning:
      "Your address has sent more requests than the server allows, or has too many streams open; " +
      "or too many codes of invites are open.",
    remedy:
      "Wait for the number of seconds in `Retry-After`, then continue more slowly. Behind a " +
      "proxy all clients share an address, unless the server has `TRUST_PROXY=on`.",
  },
  "headers-too-large": {
    status: 431,
    title: "The request has too many header fields",
    meaning: "The request has more than a hundred header fields.",
    remedy: "Leave out cookies and other header fields that are not needed.",
  },
  internal: {
    status: 500,
    title: "Something went wrong in the server",
    meaning:
      "The server has a fault. If the request was a write, read the resource to see whether it " +
      "was stored.",
    remedy:
      "Give the response's `X-Request-Id` to the operator of the server: the log has the details " +
      "under it.",
  },
  "storage-unavailable": {
    status: 503,
    title: "Writes cannot be stored right now",
    meaning:
      "The disk is full, slow or failing, or the server is stopping. Nothing was stored, unless " +
      "`detail` says that the write is not confirmed: then only a restart can tell. Reads work.",
    remedy:
      "Try again later. A create with an id of your own can be repeated safely. If `/readyz` " +
      "stays 503 although the disk has room, restart the server, and read what you wrote.",
  },
};

/** Narrows text from a path. */
export function isProblemType(text: string): text is ProblemType {
  return Object.hasOwn(problemTypes, text);
}
