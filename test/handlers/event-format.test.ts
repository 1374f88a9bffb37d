/** The two forms of events, and which one a client's Accept asks for. */

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  changeText,
  jsonLines,
  preferredFormat,
  serverSentEvents,
} from "../../dist/handlers/event-format.js";
import { makeEntry } from "../../dist/store/table.js";

const lines: readonly string[] = [
  "application/x-ndjson",
  "APPLICATION/X-NDJSON",
  "application/x-ndjson; charset=utf-8",
  "application/x-ndjson, */*",
  "text/html, application/x-ndjson;q=0.9, */*;q=0.8",
  "application/x-ndjson, text/event-stream;q=0.5",
  "text/event-stream;q=0, application/*",
];

const events: readonly (string | undefined)[] = [
  undefined,
  "",
  "*/*",
  "text/event-stream",
  "text/*",
  "text/event-stream, application/x-ndjson",
  "application/x-ndjson;q=0.5, text/event-stream",
  "application/x-ndjson;q=0, */*",
  "application/x-ndjson;q=0",
  "application/x-ndjson;q=much",
  "application/json",
  "nonsense",
];

for (const accept of lines) {
  test(`"Accept: ${accept}" asks for JSON lines`, () => {
    assert.equal(preferredFormat(accept), jsonLines);
  });
}

for (const accept of events) {
  test(`"Accept: ${accept}" is answered with server-sent events`, () => {
    assert.equal(preferredFormat(accept), serverSentEvents);
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
