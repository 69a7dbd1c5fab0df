import assert from "node:assert/strict";
import { suite, test } from "node:test";

import { distance } from "/map-shapes.js";
import { Track, fromLine } from "/track.js";

const point = (seconds, lat = 46, lon = 14, more = {}) => ({ time: seconds * 1000, lat, lon, speed: null, ...more });

suite("distance", () => {
  test("a degree of a meridian has 111.2 km on the mean sphere", () => {
    assert.ok(Math.abs(distance({ lat: 45, lon: 14 }, { lat: 46, lon: 14 }) - 111195) < 1);
  });
  test("opposite points of the earth have half its circumference between them", () => {
    const half = Math.PI * 6371008.8;
    assert.ok(Math.abs(distance({ lat: 10, lon: 20 }, { lat: -10, lon: -160 }) - half) < 1);
  });
});

suite("Track", () => {
  test("points that arrive in any order are in order of time", () => {
    const track = new Track();
    assert.equal(track.add([point(10), point(20)]), true);
    assert.equal(track.add([point(15, 46.1)]), false);
    assert.deepEqual(track.points.map(({ time }) => time), [10000, 15000, 20000]);
    assert.equal(track.last.time, 20000);
  });
  test("a duplicate point is not added", () => {
    const track = new Track();
    track.add([point(10), point(10), point(20)]);
    track.add([point(10)]);
    assert.equal(track.points.length, 2);
  });
  test("two places at the same time are two points", () => {
    const track = new Track();
    track.add([point(10, 46), point(10, 47)]);
    assert.equal(track.points.length, 2);
  });
  test("fifteen minutes without a point break the line, and the gap has no length", () => {
    const track = new Track();
    track.add([point(0, 46), point(900, 46.001), point(1801, 46.5), point(1802, 46.5001)]);
    const { pieces, gaps } = track.pieces();
    assert.deepEqual(pieces.map((piece) => piece.length), [2, 2]);
    assert.deepEqual(gaps.map(([a, b]) => [a.time, b.time]), [[900000, 1801000]]);
    const [, first, second, third] = track.distances();
    assert.ok(Math.abs(first - 111.2) < 0.1);
    assert.equal(second, first);
    assert.ok(Math.abs(third - first - 11.12) < 0.1);
  });
  test("a track without points has no pieces and no last point", () => {
    const track = new Track();
    assert.deepEqual(track.pieces(), { pieces: [], gaps: [] });
    assert.equal(track.last, undefined);
    assert.deepEqual(track.distances(), []);
  });
  test("a receiver's speed is shown; without one it is computed from the point before", () => {
    const track = new Track();
    track.add([point(0, 46, 14, { speed: 3 }), point(10, 46.001), point(10, 46.002), point(2000, 46.003)]);
    assert.equal(track.speedAt(0), 3);
    assert.ok(Math.abs(track.speedAt(1) - 11.12) < 0.01);
    assert.equal(track.speedAt(2), null, "two points of one time have no speed");
    assert.equal(track.speedAt(3), null, "a gap has no speed");
    assert.equal(track.speedAt(99), null);
  });
});

test("a line of the API becomes points with their times and speeds", () => {
  const line = { geometry: { coordinates: [[14, 46, 300], [14.1, 46.1]] }, properties: { times: [1, 2], speeds: [null, 5] } };
  assert.deepEqual(fromLine(line), [
    { time: 1, lat: 46, lon: 14, altitude: 300, speed: null },
    { time: 2, lat: 46.1, lon: 14.1, altitude: undefined, speed: 5 },
  ]);
});

suite("the distance of movements", () => {
  // A step of about 111 m to the north or back every minute.
  const track = new Track();
  track.add([0, 1, 2, 3, 4, 5].map((minute) => point(minute * 60, 46 + (minute % 2) * 0.001)));
  const between = (from, to) => ({ start: from * 60000, end: to * 60000 });
  const metres = (movements) => track.distancesOf(movements).map((sum) => Math.round(sum / 111.195));

  test("is that of all points during a movement", () => assert.deepEqual(metres([between(0, 5)]), [0, 1, 2, 3, 4, 5]));
  test("does not include the noise of positions during a stay", () => assert.deepEqual(metres([between(1, 2), between(4, 5)]), [0, 0, 1, 1, 1, 2]));
  test("is zero without movements", () => assert.deepEqual(metres([]), [0, 0, 0, 0, 0, 0]));
});
