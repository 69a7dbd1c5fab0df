import assert from "node:assert/strict";
import { suite, test } from "node:test";

import {
  addDays, boundsOf, clock, dayOf, daysBetween, fromField, hoursOf, isDay, isSameZone, momentOf, newestYear, startOf, toField, weekOf, zoneNames,
} from "/days.js";

const HOUR = 3600000;
const at = (text) => Date.parse(text);

suite("days of a time zone", () => {
  for (const [zone, day, hours] of [
    ["Europe/Ljubljana", "2026-03-29", 23], ["Europe/Ljubljana", "2026-10-25", 25], ["Europe/Ljubljana", "2026-05-04", 24],
    // The clocks change by half an hour.
    ["Australia/Lord_Howe", "2026-04-05", 24.5],
    // The clocks skip midnight.
    ["America/Sao_Paulo", "2018-11-04", 23],
    ["UTC", "2026-10-25", 24],
  ]) {
    test(`${day} in ${zone} has ${hours} hours`, () => {
      const { start, end } = boundsOf(day, zone);
      assert.equal((end - start) / HOUR, hours);
      assert.equal(dayOf(start, zone), day);
      assert.equal(dayOf(start - 1, zone), addDays(day, -1));
      assert.equal(dayOf(end, zone), addDays(day, 1));
    });
  }
  test("a day that a zone skips begins with the next day", () => {
    // Samoa skipped 30 December 2011.
    assert.equal(startOf("2011-12-30", "Pacific/Apia"), startOf("2011-12-31", "Pacific/Apia"));
  });
  test("days of the calendar have no zone", () => {
    assert.equal(addDays("2026-02-28", 1), "2026-03-01");
    assert.equal(addDays("2026-01-01", -1), "2025-12-31");
    assert.equal(daysBetween("2026-03-28", "2026-03-30"), 2);
  });
  test("the hours of a day begin with whole hours of UTC, also in a zone with a half-hour offset", () => {
    assert.deepEqual(hoursOf("2026-05-04", "Europe/Ljubljana").slice(0, 2), [at("2026-05-03T22:00:00Z"), at("2026-05-03T23:00:00Z")]);
    const india = hoursOf("2026-05-04", "Asia/Kolkata");
    // 00:30 and 23:30.
    assert.deepEqual([india[0], india[23]], [at("2026-05-03T19:00:00Z"), at("2026-05-04T18:00:00Z")]);
    assert.equal(new Set(india).size, 24);
    assert.equal(toField(hoursOf("2026-05-04", "Asia/Kathmandu")[9], "Asia/Kathmandu"), "2026-05-04T09:45");
  });
  test("an hour that the clocks skip is missing, and one that occurs twice is the first one", () => {
    const [spring, autumn] = ["2026-03-29", "2026-10-25"].map((day) => hoursOf(day, "Europe/Ljubljana"));
    assert.deepEqual(spring.slice(1, 4), [at("2026-03-29T00:00:00Z"), null, at("2026-03-29T01:00:00Z")]);
    assert.deepEqual(autumn.slice(2, 4), [at("2026-10-25T00:00:00Z"), at("2026-10-25T02:00:00Z")]);
  });
  for (const [text, expected] of [["2026-02-28", true], ["2026-02-30", false], ["2026-2-3", false], ["", false], [null, false]]) {
    test(`${text} is ${expected ? "a" : "no"} day`, () => assert.equal(isDay(text), expected));
  }
  for (const [first, begin] of [[1, "2026-05-04"], [7, "2026-05-03"], [6, "2026-05-09"]]) {
    test(`weeks that begin with day ${first}`, () => assert.equal(weekOf("2026-05-09", first), begin));
  }
});

suite("names of time zones", () => {
  test("a chosen zone is listed once, also under a name that the browser does not list", () => {
    for (const name of ["UTC", "Europe/Ljubljana", "Asia/Kolkata", "Asia/Calcutta", "Europe/Kyiv", "Europe/Kiev"]) {
      assert.equal(zoneNames(name).filter((zone) => zone === name).length, 1, name);
    }
    assert.equal(zoneNames()[0], "UTC");
    assert.equal(new Set(zoneNames()).size, zoneNames().length);
  });
  test("an older name is the same time zone", () => {
    assert(isSameZone("Asia/Kolkata", "Asia/Calcutta"));
    assert(isSameZone("Nowhere/Known", "Nowhere/Known"));
    assert(!isSameZone("Nowhere/Known", "UTC"));
    assert(!isSameZone("Europe/Kyiv", "Europe/Ljubljana"));
  });
  test("a zone that the browser does not know is replaced by its own", () => {
    assert.equal(dayOf(at("2026-05-04T12:00:00Z"), "Nowhere/Known"), dayOf(at("2026-05-04T12:00:00Z"), undefined));
  });
});

suite("times of a zone", () => {
  const zone = "Europe/Ljubljana";
  const twice = at("2026-10-25T00:30:00Z");
  test("a local time that occurs twice is shown with its offset from UTC", () => {
    assert.equal(clock(twice, zone), "02:30 (UTC+2)");
    assert.equal(clock(twice + HOUR, zone), "02:30 (UTC+1)");
    assert.equal(clock(twice - HOUR, zone), "01:30");
  });
  test("a time survives the conversion to a field and back", () => {
    for (const time of [twice, twice + HOUR, at("2026-05-04T12:34:00Z")]) assert.equal(fromField(toField(time, zone), zone, time), time);
    assert.equal(fromField("2026-10-25T02:30", zone), twice);
  });
  test("a time that the clocks skip is invalid", () => assert.equal(fromField("2026-03-29T02:30", zone), null));
  test("the start of a day as a text for the API is that of the zone", () => {
    assert.equal(momentOf("2026-11-20", "America/Los_Angeles"), "2026-11-20T08:00:00.000Z");
    assert.equal(momentOf("2025-09-07", "America/Santiago"), "2025-09-07T04:00:00.000Z");
  });
  for (const [time, expected] of [["2025-12-31T12:00:00Z", 2026], ["2025-12-31T10:30:00Z", 2025]]) {
    test(`the year of a point at ${time} in Auckland is ${expected}`, () => {
      assert.equal(newestYear({ last: { properties: { timestamp: time } } }, "Pacific/Auckland"), expected);
    });
  }
  test("a text that is not a time is invalid", () => assert.equal(fromField("soon", zone), null));
});
