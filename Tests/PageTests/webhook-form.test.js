import assert from "node:assert/strict";
import { suite, test } from "node:test";

import { otherTypesOf, typesOf, webhookOf } from "/webhook-form.js";

const values = { url: " https://example.org/hook ", types: typesOf({ types: [] }), devices: "", regions: "", tags: "", format: "godwit", positions: "" };

suite("the form of a webhook", () => {
  test("the default is all events except those of accounts, including future ones", () => {
    assert.deepEqual(webhookOf(values).types, []);
    assert.deepEqual(webhookOf({ ...values, types: ["geofence.entered"] }).types, ["geofence.entered"]);
    const all = [...values.types, "account.signed_in"];
    assert.deepEqual(webhookOf({ ...values, types: all }).types, all);
  });
  test("types that the form does not show are preserved", () => {
    assert.deepEqual(otherTypesOf({ types: ["geofence.entered", "account.passkey_added", "battery.low"] }), ["battery.low"]);
    assert.deepEqual(otherTypesOf({ types: [] }), []);
  });
  test("names are separated by commas", () => {
    const made = webhookOf({ ...values, devices: "phone, , Ana's bike ", tags: "" });
    assert.deepEqual(made.devices, ["phone", "Ana's bike"]);
    assert.deepEqual(made.tags, []);
    assert.equal(made.url, "https://example.org/hook");
  });
  test("positions are sent only in Home Assistant's format", () => {
    assert.equal(webhookOf({ ...values, positions: "60" }).positions, null);
    assert.equal(webhookOf({ ...values, format: "home-assistant", positions: "60" }).positions, 60);
    assert.equal(webhookOf({ ...values, format: "home-assistant" }).positions, null);
  });
});
