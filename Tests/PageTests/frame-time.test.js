import assert from "node:assert/strict";
import { afterEach, suite, test } from "node:test";

import { frameTime, isSlow } from "/frame-time.js";

// Replaces the browser's frames with frames after these numbers of milliseconds, in turn.
function framesAfter(...milliseconds) {
  let [now, index] = [0, 0];
  globalThis.requestAnimationFrame = (frame) => {
    now += milliseconds[index++ % milliseconds.length];
    setImmediate(frame, now);
    return index;
  };
}

suite("the time of a frame", () => {
  const map = { triggerRepaint: () => {} };
  afterEach(() => {
    delete globalThis.requestAnimationFrame;
    delete document.hidden;
  });

  test("one slow frame does not change the median", async () => {
    framesAfter(16, 16, 400, 16, 16, 16);
    assert.equal(await frameTime(map), 16);
  });
  test("the map draws itself again for each frame", async () => {
    let repaints = 0;
    framesAfter(16);
    await frameTime({ triggerRepaint: () => (repaints += 1) }, 12);
    assert.equal(repaints, 12);
  });
  test("a map of ten frames a second is slow, one of twenty is not", async () => {
    framesAfter(100);
    assert.equal(await isSlow(map), true);
    framesAfter(50);
    assert.equal(await isSlow(map), false);
  });
  test("a hidden page has no frames, and is not slow", async () => {
    Object.defineProperty(document, "hidden", { value: true, configurable: true });
    assert.equal(await isSlow(map), false);
  });
});
