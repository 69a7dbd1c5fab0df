import assert from "node:assert/strict";
import { suite, test } from "node:test";

import { confirmed, settingsOfLines } from "/device-settings.js";
import { fieldsByName, settingText, valueText } from "/setting-fields.js";

suite("a value of a setting", () => {
  for (const [name, value, expected] of [
    ["main.min_distance", "10m", "10 m"], ["main.min_time", "2m", "2 min"], ["send_interval", "10s", "10 s"], ["send_interval", "3h", "3 h"],
    ["main.desired_accuracy", "3km", "3 km"], ["send_interval", "off", "Off"], ["main.visit_tracking", true, "On"], ["main.batch_size", 1000, "1,000 records"],
  ]) {
    test(`${name} ${value} is shown as ${expected}`, () => {
      assert.equal(valueText(value, fieldsByName.get(name)).replaceAll("\u00a0", " "), expected);
    });
  }
  test("of a trip has a title that names the trip", () => assert.equal(settingText("trip.min_distance", "off"), "Min distance (on a trip): Off"));
  test("that is not in the table is shown unchanged", () => assert.equal(settingText("locations_per_batch", 50), "locations_per_batch: 50"));
});

suite("the settings of a device", () => {
  test("are the newest values that it confirmed", () => {
    const history = [
      { state: "pending", settings: { a: 4, b: 4 } }, { state: "applied", settings: { a: 3 } }, { state: "replaced", settings: { a: 2 } },
      { state: "applied", settings: { a: 1, b: 1 } },
    ];
    assert.deepEqual(confirmed(history), { a: 3, b: 1 });
  });
  test("are read from lines", () => {
    assert.deepEqual(settingsOfLines(" a = 1\n\nb=true\nc=x=y\nd="), { a: 1, b: true, c: "x=y", d: "" });
    assert.throws(() => settingsOfLines("a"), /"a" is not a setting/);
  });
});
