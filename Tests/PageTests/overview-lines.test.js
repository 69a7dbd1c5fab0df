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
  test("padding of a tenth is the default", () => assert.deepEqual(boxOf(new Bounds(10, 40, 20, 50)), [9, 39, 21, 51]));
});
