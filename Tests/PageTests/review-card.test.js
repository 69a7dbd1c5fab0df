import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { MODE_COLORS } from "/review-card.js";

// The hue of a colour in degrees.
function hue(color) {
  const [red, green, blue] = [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16));
  return (Math.atan2(Math.sqrt(3) * (green - blue), 2 * red - green - blue) * 180) / Math.PI;
}
const difference = (one, other) => Math.abs(((hue(one) - hue(other) + 540) % 360) - 180);

test("each mode of the review has a tone of its colour on the other pages", () => {
  const styles = readFileSync(new URL("../../Sources/GodwitServer/Web/Pages/base.css", import.meta.url), "utf8");
  // Grey has no hue.
  const modes = Object.entries(MODE_COLORS).filter(([mode]) => mode !== "unknown");
  const dark = modes.map(([mode]) => [mode, styles.match(new RegExp(`--${mode}: light-dark\\(#\\w+, (#\\w+)\\)`))?.[1] ?? ""]);
  for (const [mode, color] of modes) {
    const nearest = dark.reduce((best, one) => (difference(one[1], color) < difference(best[1], color) ? one : best));
    assert.equal(nearest[0], mode);
  }
});
