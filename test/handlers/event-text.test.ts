/** The two forms of events, and which one a client's Accept asks for. */

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  changeText,
  type EventFormat,
  formatFor,
  jsonLines,
  serverSentEvents,
} from "../../dist/api/event-text.js";
import { makeEntry } from "../../dist/store/table.js";

const accepts: readonly (readonly [accept: string | undefined, format: EventFormat])[] = [
  ["application/x-ndjson", jsonLines],
  ["APPLICATION/X-NDJSON", jsonLines],
  ["application/x-ndjson; charset=utf-8, */*;q=0.1", jsonLines],
  [undefined, serverSentEvents],
  ["", serverSentEvents],
  ["*/*", serverSentEvents],
  ["text/event-stream", serverSentEvents],
  ["application/x-ndjson;q=0.5, text/event-stream", serverSentEvents],
  ["text/event-stream, application/x-ndjson", serverSentEvents],
  ["application/json", serverSentEvents],
];

for (const [accept, format] of accepts) {
  test(`"Accept: ${accept}" is answered with ${format.contentType}`, () => {
    assert.equal(formatFor(accept), format);
  });
}

const entry = makeEntry("a", 7, '{"id":"a","name":"A"}', '"placedBy":"anna"');
const kept = { kind: "toppings", id: "a", before: entry } as const;
const updated = { ...kept, seq: 12, action: "updated", entry } as const;
const deleted = { ...kept, seq: 13, action: "deleted", entry: undefined } as const;

test("a server-sent event has its id, its name and the resource, nothing of the store's", () => {
  assert.equal(
    changeText(serverSentEvents, updated),
    'id: 12\nevent: toppings.updated\ndata: {"id":"a","name":"A"}\n\n',
  );
  assert.equal(
    changeText(serverSentEvents, deleted),
    'id: 13\nevent: toppings.deleted\ndata: {"id":"a"}\n\n',
  );
});

test("a JSON line has the same in one object", () => {
  const text = changeText(jsonLines, updated);
  assert.equal(text, '{"id":"12","event":"toppings.updated","data":{"id":"a","name":"A"}}\n');
  assert.deepEqual(JSON.parse(changeText(jsonLines, deleted)), {
    id: "13",
    event: "toppings.deleted",
    data: { id: "a" },
  });
});
