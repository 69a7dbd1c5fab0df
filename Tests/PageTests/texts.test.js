import assert from "node:assert/strict";
import { test } from "node:test";

import { pieces, plural, t } from "/texts.js";

test("A text has its values in the places of their names", () => {
  assert.equal(t("Delete {name}?", { name: "Pixel" }), "Delete Pixel?");
  assert.equal(t("{a} and {b}", { a: 0 }), "0 and {b}");
});

test("The context of a text is not shown", () => assert.equal(t("Open|verb"), "Open"));

test("The singular has a separate text", () => {
  const points = (n) => plural(n, "{n} point", "{n} points");
  assert.deepEqual([0, 1, 2].map(points), ["0\u00a0points", "1\u00a0point", "2\u00a0points"]);
  assert.equal(plural(7319, "{n} point", "{n} points", { n: "7,319" }), "7,319\u00a0points");
});

test("The values of pieces can be elements", () => {
  const link = /** @type {any} */ ({ href: "/welcome" });
  assert.deepEqual(pieces("Open {page} first.", { page: link }), ["Open ", link, " first."]);
  assert.deepEqual(pieces("{n} of {all}", { n: 1, all: 2 }), ["1", " of ", "2"]);
});
