import assert from "node:assert/strict";
import { suite, test } from "node:test";

import * as format from "/format.js";

// Numbers and their units are joined by a space that does not break.
const plain = (text) => text.replaceAll("\u00a0", " ");

suite("format", () => {
  for (const [metres, text] of [[0, "0 m"], [999.4, "999 m"], [1000, "1.0 km"], [42195, "42.2 km"], [1234567, "1,235 km"]]) {
    test(`${metres} metres are ${text}`, () => assert.equal(plain(format.distance(metres)), text));
  }
  for (const [minutes, text] of [[0, "0 min"], [59, "59 min"], [60, "1 h 00 min"], [125, "2 h 05 min"], [48 * 60, "2 days"], [49 * 60, "2 days 1 h"]]) {
    test(`${minutes} minutes are ${text}`, () => assert.equal(plain(format.duration(minutes * 60000)), text));
  }
  test("there is no age for times that are better shown as a date", () => {
    assert.equal(format.age(-5), "0 s ago");
    assert.equal(format.age(59e3), "59 s ago");
    assert.equal(format.age(3600e3), "1 h ago");
    assert.equal(plain(format.age(86400e3)), "1 day ago");
    assert.equal(plain(format.age(59 * 86400e3)), "59 days ago");
    assert.equal(format.age(61 * 86400e3), null);
  });
  test("names are in the order of the numbers in them, without regard to case", () => {
    assert.deepEqual(["van 10", "Zebra", "van 9", "apple", "Ätna"].sort(format.byName), ["apple", "Ätna", "van 9", "van 10", "Zebra"]);
  });
  test("a search ignores case, accents and the form in which accents are encoded", () => {
    assert.ok(format.folded("E\u0301cole").includes(format.folded("\u00e9C")));
    assert.ok(format.folded("\u0160ola").includes(format.folded("sola")));
    assert.ok(format.folded("بيت").includes(format.folded("بيت")));
  });
  test("a long name is cut between characters", () => {
    assert.equal(format.shortened("home", 4), "home");
    assert.equal(format.shortened("my home", 4), "my…");
    assert.equal(format.shortened("🏠🏠🏠", 2), "🏠…");
  });
  test("the charge of a battery does not break", () => assert.equal(format.battery(0.5, "charging"), "50\u00a0%\u00a0⚡"));
  test("the name of a country is that of the browser for its code, or that of the server if the browser has none", () => {
    assert.equal(format.countryName("DE", "x"), "Germany");
    assert.deepEqual([null, "", "?", "QQ"].map((code) => format.countryName(code, "Server")), ["Server", "Server", "Server", "Server"]);
  });
  test("a browser is shown with its program and its system", () => {
    const agent = "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36";
    assert.equal(format.program(agent), "Chrome 140 on Android");
    assert.equal(format.program("curl/8.5.0"), "curl 8.5");
    assert.equal(format.program(""), "–");
  });
});
