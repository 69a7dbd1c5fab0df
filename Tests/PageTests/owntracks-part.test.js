import assert from "node:assert/strict";
import { suite, test } from "node:test";

import { concerns } from "/owntracks-part.js";

const none = { commands: [], reports: { profile: null, status: null, configuration: null } };

suite("the part of OwnTracks' apps is shown", () => {
  test("for a device whose app is OwnTracks", () => assert.ok(concerns({ agent: "OwnTracks-Android/2.5" }, none)));
  test("for a device that has a command", () => assert.ok(concerns({ agent: null }, { ...none, commands: [{ id: 1 }] })));
  test("for a device with a report of its app", () => {
    assert.ok(concerns({ agent: "proxy" }, { ...none, reports: { ...none.reports, status: { received: "", message: {} } } }));
  });
  test("for no other device", () => assert.ok(!concerns({ agent: "Overland/1.3" }, none)));
});
