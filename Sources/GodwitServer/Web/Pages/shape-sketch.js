// Draws a shape with clicks, or with keys at the centre of the map.

import { make } from "/elements.js";
import { stored } from "/map-marker.js";
import { distance, lineFeature, pointFeature } from "/map-shapes.js";

const NEAR = 9; // pixels between two clicks on the same corner

// A round number of metres: 1, 2 or 5 times a power of ten.
const nice = (meters) => {
  const power = 10 ** Math.floor(Math.log10(meters));
  return [5, 2, 1].map((digit) => digit * power).find((value) => value <= meters) ?? power;
};

export class Sketch {
  #view;
  #kind;
  #finished;
  #show;
  #corners = [];
  #cross;

  // `kind`: circle, area or beacon. `finished(parts)` is called with the shape; `show(features)` draws the unfinished shape.
  constructor(view, kind, { finished, show }) {
    this.#view = view;
    this.#kind = kind;
    this.#finished = finished;
    this.#show = show;
    // The place of corners added by keys. Style sheets show it while the map has the focus.
    this.#cross = view.marker(make("i", { className: "crosshair" }), view.center);
  }

  // Called when the map has moved.
  moved() { this.#cross.place = this.#view.center; }

  // Called after a click at a place.
  click(at) {
    if (this.#kind !== "area") return this.#end(at);
    const corners = this.#corners;
    if (corners.length >= 3 && this.#isNear(at, corners[0])) return this.finish();
    if (corners.length && this.#isNear(at, corners.at(-1))) return;
    corners.push(at);
    this.move(at);
  }

  // Called when the pointer moves to a place.
  move(at) {
    if (this.#kind !== "area" || !this.#cross) return;
    const corners = this.#corners;
    const line = [...corners, at];
    this.#show([...(line.length > 1 ? [lineFeature(line)] : []), ...corners.map((corner) => pointFeature(corner))]);
  }

  // Adds a corner, or the whole shape, at the centre of the map.
  add() { this.click(this.#view.center); }

  // Finishes the shape: an area with its corners, another shape at the centre of the map.
  enter() {
    if (this.#kind !== "area") return this.#end(this.#view.center);
    if (this.#view.map) this.finish();
    else this.#endArea(this.#square());
  }

  finish() {
    // A double click adds its corner twice.
    const ring = this.#corners.filter((corner, index) => !index || !this.#isNear(corner, this.#corners[index - 1]));
    if (ring.length >= 3) this.#endArea(ring);
  }

  undo() {
    this.#corners.pop();
    this.move(this.#corners.at(-1) ?? this.#view.center);
  }

  close() {
    this.#cross?.remove();
    this.#cross = null;
  }

  #end(at) {
    if (this.#kind === "beacon") return this.#finished({ center: stored(at) });
    const { bounds } = this.#view;
    const height = bounds ? distance({ lat: bounds.south, lon: bounds.west }, { lat: bounds.north, lon: bounds.west }) : 1000;
    this.#finished({ center: stored(at), radius: Math.min(20000, Math.max(50, nice(height / 8))) });
  }

  #endArea(ring) {
    this.#finished({ polygons: [[ring.map((corner) => [stored(corner).longitude, stored(corner).latitude])]] });
  }

  // The initial area if there is no map to click on.
  #square() {
    const { lat, lon } = this.#view.center;
    const half = 0.005;
    return [[-1, -1], [-1, 1], [1, 1], [1, -1]].map(([dy, dx]) => ({ lat: lat + dy * half, lon: lon + dx * half }));
  }

  #isNear(a, b) {
    const [one, other] = [this.#view.project(a), this.#view.project(b)];
    return Math.hypot(one.x - other.x, one.y - other.y) < NEAR;
  }
}
