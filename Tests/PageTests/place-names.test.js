import assert from "node:assert/strict";
import { test } from "node:test";

import { placeNames } from "/statistics-records.js";

test("places with the same name have their coordinates, and others do not", () => {
  const beijing = { town: "Beijing", country: "China", country_code: "CN" };
  assert.deepEqual(
    placeNames([
      { ...beijing, latitude: 39.98412, longitude: 116.3181 }, { name: "Home", latitude: 40, longitude: 116 },
      { ...beijing, latitude: 39.9, longitude: 116.4 }, { latitude: 1, longitude: 2 }, { latitude: 1.0001, longitude: 2 },
    ]),
    ["Beijing, China (39.984, 116.318)", "Home", "Beijing, China (39.900, 116.400)", "1.000, 2.000", "1.000, 2.000"]);
});
