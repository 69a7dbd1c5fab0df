import assert from "node:assert/strict";
import { suite, test } from "node:test";

import { Bounds } from "/map-shapes.js";
import { boxOf } from "/overview-lines.js";

suite("the box of a map's view", () => {
  for (const [name, view, expected] of [
    ["a plain view", [14, 45, 15, 46], [14, 45, 15, 46]],
    ["a view across the antimeridian", [178, -20, 186, -15], [178, -20, -174, -15]],
    ["a map that was panned around the world", [374, 45, 375, 46], [14, 45, 15, 46]],
    ["more than the world", [-300, -80, 200, 80], [-180, -80, 180, 80]],
  ]) {
    test(`${name}, without padding`, () => assert.deepEqual(boxOf(new Bounds(...view), 0), expected));
  }
  for (const [name, view, expected] of [
    ["a plain view", [10, 40, 20, 50], [9, 39, 21, 51]],
    ["a view across the antimeridian", [170, -10, 190, 10], [168, -12, -168, 12]],
    ["more than the world", [-300, -80, 300, 80], [-180, -90, 180, 90]],
  ]) {
    test(`${name}, with the default padding of a tenth`, () => assert.deepEqual(boxOf(new Bounds(...view)), expected));
  }
});
