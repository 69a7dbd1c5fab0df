import assert from "node:assert/strict";
import { test } from "node:test";

import { addressText, subjectText } from "/audit-words.js";
import { contactText } from "/device-contact.js";

test("the log names the ways of a sign-in and the server's own address, and leaves names as they are", () => {
  assert.equal(subjectText({ action: "sign-in", subject: "with OpenID, from a new browser" }), "with OpenID, from a new browser");
  assert.equal(subjectText({ action: "user add", subject: "ben, local" }), "ben, local");
  assert.equal(addressText("local"), "this server");
  assert.equal(addressText("127.0.0.1"), "127.0.0.1");
});

test("a device without a contact may have points, which are imported", () => {
  assert.equal(contactText({ state: "never" }, null), "No data received yet.");
  assert.equal(contactText({ state: "never" }, { type: "Feature" }), "The device itself has not sent data yet.");
});
