import assert from "node:assert/strict";
import { test } from "node:test";

// The modules read the languages of the browser when they are loaded.
/** @type {any} */ (navigator).languages = ["en-US"];
const { clock } = await import("/days.js");
const format = await import("/format.js");

const plain = (text) => text.replace(/\s/g, " ");

test("times on a clock of 12 hours have no leading zero", () => {
  const time = Date.parse("2026-05-04T13:05:09Z");
  assert.equal(plain(clock(time, "UTC")), "1:05 PM");
  assert.match(format.clock(time), /^[1-9]/);
  assert.match(format.time(time), /^[1-9]/);
});
