import assert from "node:assert/strict";
import { test } from "node:test";

import { actorText, addressText, subjectText } from "/audit-words.js";
import { contactText } from "/device-contact.js";

test("the log names the ways of a sign-in and the server's own address, and leaves names as they are", () => {
  assert.equal(subjectText({ action: "sign-in", subject: "with OpenID, from a new browser" }), "with OpenID, from a new browser");
  assert.equal(subjectText({ action: "user add", subject: "ben, local" }), "ben, local");
  assert.equal(addressText("local"), "this server");
  assert.equal(addressText("127.0.0.1"), "127.0.0.1");
});

test("a request with a token of a program has the user and the name of the token", () => {
  const plain = (text) => text.replace(/[\u2068\u2069]/g, "");
  assert.equal(actorText("the administrator"), "the administrator");
  assert.equal(actorText("anna"), "anna");
  assert.equal(plain(actorText("the administrator by tok_1 (backup (old))")), 'the administrator, with the token "backup (old)"');
});

test("a device without a contact may have points, which are imported", () => {
  assert.equal(contactText({ state: "never" }, null), "No data received yet.");
  assert.equal(contactText({ state: "never" }, { type: "Feature" }), "The device itself has not sent data yet.");
});
