// The points of one device and one day. They are sorted by time, and may be added in any order.

import { distance } from "/map-shapes.js";

export class Track {
  static GAP = 900000; // milliseconds without a point that break the line

  constructor() {
    this.points = [];
    this.along = null;
    this.known = new Map(); // the points of each time
  }

  get last() {
    return this.points[this.points.length - 1];
  }

  // Adds points. Returns whether all of them are later than the existing points.
  add(points) {
    let inOrder = true;
    const before = this.last ? this.last.time : -Infinity;
    for (const point of points) {
      const same = this.known.get(point.time);
      if (same?.some(({ lat, lon }) => lat === point.lat && lon === point.lon)) continue;
      if (same) same.push(point);
      else this.known.set(point.time, [point]);
      if (point.time < before || (this.last && point.time < this.last.time)) inOrder = false;
      this.points.push(point);
    }
    if (!inOrder) this.points.sort((a, b) => a.time - b.time);
    return inOrder;
  }

  // The lines without gaps, and the gaps between them.
  pieces() {
    const pieces = [];
    const gaps = [];
    let piece = [];
    for (const point of this.points) {
      const last = piece[piece.length - 1];
      if (last && point.time - last.time > Track.GAP) {
        pieces.push(piece);
        gaps.push([last, point]);
        piece = [];
      }
      piece.push(point);
    }
    if (piece.length) pieces.push(piece);
    return { pieces, gaps };
  }

  // Metres along the track to each point; gaps are not counted. The sums are cached, because points are never removed.
  distances() {
    if (this.along?.length !== this.points.length) this.along = this.#sums(() => true);
    return this.along;
  }

  // Metres along the track during movements only. `movements` have `start` and `end` in milliseconds and are sorted by time. Positions
  // during a stay vary without movement, so they are not counted.
  distancesOf(movements) {
    let next = 0;
    return this.#sums((last, point) => {
      while (next < movements.length && movements[next].end <= last.time) next++;
      return next < movements.length && movements[next].start < point.time;
    });
  }

  #sums(counts) {
    let sum = 0;
    return this.points.map((point, index) => {
      const last = this.points[index - 1];
      if (last && point.time - last.time <= Track.GAP && counts(last, point)) sum += distance(last, point);
      return sum;
    });
  }

  // The speed of the receiver; if it reported none, the speed computed from the previous point.
  speedAt(index) {
    const point = this.points[index];
    if (!point || point.speed != null) return point ? point.speed : null;
    const last = this.points[index - 1];
    if (!last || point.time === last.time || point.time - last.time > Track.GAP) return null;
    return distance(last, point) / ((point.time - last.time) / 1000);
  }
}

export function fromFeature(feature) {
  const [lon, lat] = feature.geometry.coordinates;
  const p = feature.properties;
  return {
    time: Date.parse(p.timestamp), lat, lon, altitude: p.altitude, speed: p.speed, course: p.course,
    accuracy: p.horizontal_accuracy, battery: p.battery_level, batteryState: p.battery_state,
  };
}

export function fromLine(feature) {
  const { times, speeds } = feature.properties;
  return feature.geometry.coordinates.map(([lon, lat, altitude], index) => ({
    time: times[index], lat, lon, altitude, speed: speeds[index],
  }));
}
