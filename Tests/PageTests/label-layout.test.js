import assert from "node:assert/strict";
import { suite, test } from "node:test";

import { arranged } from "/label-layout.js";

const size = { width: 800, height: 600 };
const name = (x, y, width = 60, height = 24) => ({ x, y, width, height });
const box = ({ x, y, width, height }, [dx, dy]) => ({ left: x + dx, right: x + dx + width, top: y + dy - height / 2, bottom: y + dy + height / 2 });
const overlaps = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

suite("names beside places of a map", () => {
  test("a name alone is right of its dot", () => assert.deepEqual(arranged([name(400, 300)], { size }), [[12, 0]]));

  test("a name at the right edge is left of its dot", () => assert.deepEqual(arranged([name(780, 300)], { size }), [[-72, 0]]));

  test("names of one place lie beside each other", () => {
    const names = Array.from({ length: 9 }, () => name(400, 300));
    const boxes = arranged(names, { size }).map((offset, index) => box(names[index], offset));
    boxes.forEach((one, index) => assert.ok(boxes.every((other, place) => place === index || !overlaps(one, other)), JSON.stringify(boxes)));
  });

  test("a name covers no dot, with or without a name", () => {
    const names = [name(400, 300), name(430, 300)];
    const places = [{ x: 480, y: 300 }];
    const boxes = arranged(names, { places, size }).map((offset, index) => box(names[index], offset));
    for (const { x, y } of [...names, ...places]) {
      for (const one of boxes) assert.ok(!overlaps(one, { left: x - 8, right: x + 8, top: y - 8, bottom: y + 8 }), JSON.stringify(boxes));
    }
  });

  test("a name avoids the controls that cover the map", () => {
    const controls = { left: 740, top: 400, right: 800, bottom: 600 };
    assert.deepEqual(arranged([name(700, 500)], { covers: [controls], size }), [[-72, 0]]);
  });

  test("names of one place that have no free place near it are hidden, and no other name covers another one", () => {
    const names = Array.from({ length: 60 }, () => name(400, 300));
    const found = arranged(names, { size });
    const boxes = found.flatMap((offset, index) => (offset ? [box(names[index], offset)] : []));
    assert.ok(boxes.length >= 9 && boxes.length < 60, `${boxes.length}`);
    boxes.forEach((one, index) => assert.ok(boxes.every((other, place) => place === index || !overlaps(one, other)), JSON.stringify(boxes)));
    assert.ok(found.every((offset) => !offset || Math.abs(offset[1]) <= 90), JSON.stringify(found));
  });

  test("a name whose dot is outside the map is hidden", () => {
    assert.deepEqual(arranged([name(-20, 300), name(400, 700), name(400, 300)], { size }), [null, null, [12, 0]]);
  });

  test("a name that is too wide for the map is right of its dot", () => {
    assert.deepEqual(arranged([name(30, 30)], { size: { width: 60, height: 60 } }), [[12, 0]]);
  });
});
