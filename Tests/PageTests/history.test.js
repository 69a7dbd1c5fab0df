import assert from "node:assert/strict";
import { suite, test } from "node:test";

import { choiceOf, write } from "/history-choice.js";
import { within } from "/history-photos.js";
import { daysOf, momentsOf } from "/history-range.js";
import { layersOf, legendOf } from "/history-style.js";

const DAY = 86400000;

suite("the range of the history", () => {
  const cases = [
    ["a day", { range: "day" }, ["2026-11-25", "2026-11-25"]],
    ["the week of a Wednesday", { range: "week" }, ["2026-11-23", "2026-11-29"]],
    ["a month", { range: "month" }, ["2026-11-01", "2026-11-30"]],
    ["February of a leap year", { range: "month", day: "2028-02-10" }, ["2028-02-01", "2028-02-29"]],
    ["a year", { range: "year" }, ["2026-01-01", "2026-12-31"]],
    ["all time", { range: "all" }, [null, null]],
    ["two days", { range: "custom", from: "2026-01-05", to: "2026-02-06" }, ["2026-01-05", "2026-02-06"]],
    ["two days in the wrong order", { range: "custom", from: "2026-02-06", to: "2026-01-05" }, ["2026-01-05", "2026-02-06"]],
    ["a custom range without an end", { range: "custom", from: "2026-01-05", to: "" }, ["2026-01-05", null]],
  ];
  for (const [name, choice, days] of cases) {
    test(name, () => assert.deepEqual(daysOf({ day: "2026-11-25", from: "", to: "", ...choice }, 1), days));
  }
  test("a week begins with the user's first day of the week", () => {
    assert.deepEqual(daysOf({ range: "week", day: "2026-11-25" }, 7), ["2026-11-22", "2026-11-28"]);
    assert.deepEqual(daysOf({ range: "week", day: "2026-11-22" }, 7), ["2026-11-22", "2026-11-28"]);
    assert.deepEqual(daysOf({ range: "week", day: "2026-11-21" }, 6), ["2026-11-21", "2026-11-27"]);
  });
  test("the end is the midnight after the last day in the device's time zone", () => {
    assert.deepEqual(momentsOf({ range: "day", day: "2026-10-25" }, "Europe/Ljubljana"), { from: "2026-10-24T22:00:00.000Z", to: "2026-10-25T23:00:00.000Z" });
    assert.deepEqual(momentsOf({ range: "all", day: "2026-10-25" }, "Europe/Ljubljana"), { from: null, to: null });
  });
});

suite("the history in the address", () => {
  const copied = (search) => {
    const query = new URLSearchParams(search);
    write(choiceOf(search), query);
    return String(query);
  };
  const addresses = [
    "", "history=on", "device=phone&history=on&range=week", "history=on&range=custom&from=2026-01-05&to=2026-02-06",
    "history=on&with=phone&with=Ann%27s+car&color=speed&layers=lines%2Cstays", "history=on&with=", "history=on&layers=",
  ];
  for (const address of addresses) test(`"${address}" stays as it is`, () => assert.equal(copied(address), address));

  test("unknown values of an address are replaced by the defaults", () => {
    const { range, coloring, from, layers } = choiceOf("history=on&range=toString&color=pink&from=2026-13-45&layers=lines,constructor");
    assert.deepEqual([range, coloring, from, [...layers]], ["all", "device", "", ["lines"]]);
  });
  test("a history that is not shown is removed from the address", () => assert.equal(copied("live=off&range=week&with=phone"), "live=off"));
});

suite("the colours of the history", () => {
  const color = (name) => `value of ${name}`;
  const known = [{ name: "phone", color: null }, { name: "car", color: "#d1495b" }];
  const choice = { known, coloring: "device", days: [20000, 20030], layers: new Set(["lines"]) };
  const lineColor = (more) => layersOf({ ...choice, ...more }, color).find(({ id }) => id === "lines").paint["line-color"];

  test("a device has its own colour, or one of the page", () => {
    assert.deepEqual(lineColor({}), ["match", ["get", "device"], "phone", "value of --device-0", "car", "#d1495b", "value of --unknown"]);
  });
  test("without devices there is one colour", () => assert.equal(lineColor({ known: [] }), "value of --unknown"));
  test("a range of one day has ascending stops", () => {
    const stops = lineColor({ coloring: "time", days: [20000, 20000] }).slice(3).filter((_, index) => index % 2 === 0);
    assert.ok(stops.every((stop, index) => index === 0 || stop > stops[index - 1]), `${stops}`);
  });
  test("each class of speeds is in the legend, the last one without an end", () => {
    const texts = legendOf({ ...choice, coloring: "speed" }).entries.map(({ text }) => text);
    assert.deepEqual([texts.length, texts[0], texts[1], texts[6]], [7, "under 7 km/h", "7–25 km/h", "over 250 km/h"]);
  });
  test("layers without these colours have no legend", () => {
    assert.deepEqual(legendOf({ ...choice, coloring: "speed", layers: new Set(["heat"]) }).entries, []);
  });
});

suite("the photos of the history", () => {
  const now = Date.parse("2026-11-25T12:00:00Z");
  test("a period of more than 400 days is its last 400 days", () => {
    const { from, to, isShort } = within({ from: null, to: null }, now);
    assert.deepEqual([to - from, to, isShort], [400 * DAY, now + DAY, true]);
  });
  test("a shorter period stays as it is", () => {
    const { from, to, isShort } = within({ from: "2026-05-01T00:00:00Z", to: "2026-06-01T00:00:00Z" }, now);
    assert.deepEqual([from, to, isShort], [Date.parse("2026-05-01T00:00:00Z"), Date.parse("2026-06-01T00:00:00Z"), false]);
  });
  test("a period in the future keeps its order", () => {
    const { from, to } = within({ from: "2030-01-01T00:00:00Z", to: "2030-02-01T00:00:00Z" }, now);
    assert.ok(from < to);
  });
});
