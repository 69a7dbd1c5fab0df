import assert from "node:assert/strict";
import { test } from "node:test";

// Stand-ins for the chosen time zone and for the message of a page, which the modules read when they are loaded.
const message = { textContent: "" };
const box = { firstElementChild: message, hidden: true, querySelector: () => ({ addEventListener() {} }) };
Object.assign(document, { body: { dataset: {} }, getElementById: () => box });
document.documentElement.dataset.timeZone = "Asia/Tokyo";
const { found, lost } = await import("/connection.js");

test("the time of a stored state is in the chosen time zone", () => {
  lost(Date.parse("2026-05-04T18:05:00Z"));
  assert.match(message.textContent, /5 May 2026, 03:05;/);
  found();
  assert.equal(message.textContent, "");
});
