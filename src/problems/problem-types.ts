/**
 * The types of RFC 9457 problems that there are, a row each: a new one is one more row.
 * The pages behind them, and the description, are made of these.
 */

/** A sort of problem. What it means and what to do stand on the page that `type` leads to. */
export interface ProblemRow {
  /** Of HTTP. */
  readonly status: number;
  readonly title: string;
  /** Words between backticks are code. */
  readonly meaning: string;
  readonly remedy: string;
}

/** Every problem type: its row. A class, for a type can be made of the names of its members. */
class ProblemTypes {
  readonly "invalid-body": ProblemRow = {
    status: 400,
    title: "The body does not fit the resource",
    meaning:
      "The body is JSON, but a field of it is missing, misspelt, of the wrong type or out of its " +
      "bounds, or it refers to something that is not on the menu. Nothing was stored.",
    remedy:
      "`errors` points at each place (a JSON pointer) and says what was expected there: mend " +
      "those, and send it again. `/openapi.json` has every field with its bounds.",
  };
  readonly "invalid-json": ProblemRow = {
    status: 400,
    title: "The body is not JSON",
    meaning:
      "The body could not be read as JSON in UTF-8: it is empty, cut short, nested too deep, or " +
      "has a syntax error. Nothing was stored.",
    remedy:
      "Look at the bytes that were really sent. In a shell, single quotes around the JSON keep " +
      "the double quotes in it.",
  };
  readonly "invalid-query": ProblemRow = {
    status: 400,
    title: "The query is not understood",
    meaning:
      "The path is right, but behind the question mark stands a name that is not known there, a " +
      "value of the wrong type, or something twice that may stand once.",
    remedy:
      "`errors` names each parameter, and says what it takes. Names that begin with `_` are " +
      "ignored, and so are free to use.",
  };
  readonly "malformed-request": ProblemRow = {
    status: 400,
    title: "The HTTP request is malformed",
    meaning:
      "The request breaks the rules of HTTP itself, such as by two `Host` lines or a length that " +
      "is no number, so that it is not certain what was asked. Nothing was done.",
    remedy:
      "An ordinary HTTP client does not send such requests. Look at header fields that you set " +
      "by hand, and at what stands between the client and the server.",
  };
  readonly "not-authenticated": ProblemRow = {
    status: 401,
    title: "A valid token is needed",
    meaning:
      "No token came with the request, or one that cannot be accepted: expired, damaged, or " +
      "signed with another key. `detail` says which.",
    remedy:
      "Where the server runs, with its `DATA_DIR` or `TOKEN_SECRET`, " +
      "`node dist/token.js staff` (or `customer`) prints one; where `GUEST_ORDERS` is on, " +
      "`POST /api/tokens` gives anyone a customer's. Send it as `Authorization: Bearer TOKEN`.",
  };
  readonly forbidden: ProblemRow = {
    status: 403,
    title: "Your role may not do this",
    meaning:
      "The token is good, but its role is not enough: staff change the menu, the shop and the " +
      "orders, and customers place orders.",
    remedy:
      "Use a token of the role that `detail` names. Asking again with this one does not help.",
  };
  readonly "not-found": ProblemRow = {
    status: 404,
    title: "Not found",
    meaning:
      "There is nothing at this path, no resource has this id, or it is an order that this " +
      "caller may not read.",
    remedy:
      "Compare the id, in which case counts, with the list it should be in; `/api` has the paths " +
      "of all lists. What was there before has been deleted.",
  };
  readonly "method-not-allowed": ProblemRow = {
    status: 405,
    title: "Method not allowed here",
    meaning:
      "The path is right, but it does not have this method: a list takes GET and POST, and each " +
      "of its items GET, PUT, PATCH and DELETE.",
    remedy:
      "The header field `Allow` of the answer lists the methods that there are. To change one " +
      "item, put its id behind the path of the list.",
  };
  readonly "request-timeout": ProblemRow = {
    status: 408,
    title: "The request took too long to arrive",
    meaning:
      "The request did not arrive whole in time: its header may take ten seconds, its body " +
      "thirty. Nothing was done.",
    remedy:
      "Send it again on a new connection. Where that happens often, the network or a proxy holds " +
      "requests up.",
  };
  readonly "id-taken": ProblemRow = {
    status: 409,
    title: "The id is taken",
    meaning:
      "A resource with this id is there already. `identical` says whether it is just what was " +
      "sent, as after the retry of a create whose answer was lost.",
    remedy:
      "Where `identical` is true, all is well and nothing is left to do. Else choose another id, " +
      "leave it out to be given one, or update the resource that is there.",
  };
  readonly "status-not-allowed": ProblemRow = {
    status: 409,
    title: "The order cannot go to that status",
    meaning:
      "An order does not go straight from the status it has to the one that was sent: what was " +
      "delivered was not cancelled, nor the other way round.",
    remedy:
      "`allowed` lists the statuses that may follow. Set one of those first, then the one that " +
      "it should have.",
  };
  readonly "order-closed": ProblemRow = {
    status: 409,
    title: "The order is closed",
    meaning:
      "The order is delivered or cancelled: its size, toppings and beverages can no longer be " +
      "changed.",
    remedy:
      "If it is not over after all, open it again first, by an update that changes only its " +
      "status. Then change what it holds.",
  };
  readonly "shop-closed": ProblemRow = {
    status: 409,
    title: "The shop is closed",
    meaning:
      "The shop takes no orders from customers now. `detail` has its notice, which may say when " +
      "it opens.",
    remedy:
      "Order again once `isOpen` is true in `/api/shop`. Staff set it there, and may place " +
      "orders meanwhile.",
  };
  readonly "sold-out": ProblemRow = {
    status: 409,
    title: "Something in the order is sold out",
    meaning:
      "The order holds something that is on the menu and cannot be had now. `errors` points at " +
      "each place where it does.",
    remedy:
      "Order without it: `soldOut` in `/api/shop` lists all that cannot be had. Staff change it " +
      "there, and may place such an order.",
  };
  readonly "precondition-failed": ProblemRow = {
    status: 412,
    title: "The resource is not in the state you named",
    meaning:
      "By `If-Match` or `If-None-Match` the request said which version of the resource it is " +
      "about, and another is stored: somebody else was faster. Nothing was changed.",
    remedy:
      "Read the resource again, and decide whether the change is still right. Then send it with " +
      "the new `ETag`.",
  };
  readonly "body-too-large": ProblemRow = {
    status: 413,
    title: "The body is too large",
    meaning:
      "The body has more bytes than this server takes: 64 KiB, unless its setting `BODY_LIMIT` " +
      "says otherwise.",
    remedy:
      "No order or menu item needs as much, so look at what was sent. Who runs the server can " +
      "raise `BODY_LIMIT`.",
  };
  readonly "unsupported-media-type": ProblemRow = {
    status: 415,
    title: "The body's media type or encoding is not supported",
    meaning:
      "The header of the request says that its body is something other than JSON in UTF-8, or " +
      "that it is compressed.",
    remedy:
      "Send JSON, uncompressed, with `Content-Type: application/json` or without that field. A " +
      "PATCH may be `application/merge-patch+json`.",
  };
  readonly "rate-limited": ProblemRow = {
    status: 429,
    title: "Too many requests",
    meaning:
      "This client, or behind a proxy all that look like it, has sent more requests than it may " +
      "in this time.",
    remedy:
      "Wait the seconds in `Retry-After`, and go on more slowly. Who runs the server behind a " +
      "proxy tells clients apart with `TRUST_PROXY=on`.",
  };
  readonly "headers-too-large": ProblemRow = {
    status: 431,
    title: "The request line and headers are too large",
    meaning: "The request line and the header fields together are longer than 16 KiB.",
    remedy:
      "Shorten the address, or leave out cookies and other fields: the server needs few of them.",
  };
  readonly internal: ProblemRow = {
    status: 500,
    title: "Something went wrong inside the server",
    meaning:
      "Something happened inside the server that should not have. Whether a write was stored, a " +
      "read tells.",
    remedy:
      "Give the `X-Request-Id` of the answer to those who run the server: under it, its log has " +
      "the details.",
  };
  readonly "storage-unavailable": ProblemRow = {
    status: 503,
    title: "Writes cannot be stored right now",
    meaning:
      "The write could not be stored: the disk is full, failing or too slow, or the server is " +
      "about to stop. Reads go on.",
    remedy:
      "Try again after a while; a create with an id of your own can be repeated safely. If " +
      "`/readyz` stays 503 although there is room, the server needs a restart.",
  };
}

/** The last part of a problem's type: "/problems/not-found". */
export type ProblemType = keyof ProblemTypes;

/** By type. */
export const problemTypes: ProblemTypes = new ProblemTypes();

/** Whether there is a row of this key. */
export function isProblemType(text: string): text is ProblemType {
  return Object.hasOwn(problemTypes, text);
}
