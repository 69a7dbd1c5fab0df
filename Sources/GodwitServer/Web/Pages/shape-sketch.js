// A shape that is being drawn: by clicks, or by keyboard at the middle of the map.

import { make } from "/elements.js";
import { stored } from "/map-marker.js";
import { distance, lineFeature, pointFeature } from "/map-shapes.js";

const NEAR = 9; // pixels between two clicks on the same corner

// A nice number of metres: 1, 2 or 5 times a power of ten.
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

  // `kind`: circle, area or beacon. `finished(parts)` gets the shape; `show(features)` draws what there is of it.
  constructor(view, kind, { finished, show }) {
    this.#view = view;
    this.#kind = kind;
    this.#finished = finished;
    this.#show = show;
    // Where keys put a corner; style sheets show it while the map has the focus.
    this.#cross = view.marker(make("i", { className: "crosshair" }), view.center);
  }

  // The map has moved.
  moved() { this.#cross.place = this.#view.center; }

  // A click at a place.
  click(at) {
    if (this.#kind !== "area") return this.#end(at);
    const corners = this.#corners;
    if (corners.length >= 3 && this.#isNear(at, corners[0])) return this.finish();
    if (corners.length && this.#isNear(at, corners.at(-1))) return;
    corners.push(at);
    this.move(at);
  }

  // The pointer is at a place.
  move(at) {
    if (this.#kind !== "area" || !this.#cross) return;
    const corners = this.#corners;
    const line = [...corners, at];
    this.#show([...(line.length > 1 ? [lineFeature(line)] : []), ...corners.map((corner) => pointFeature(corner))]);
  }

  // A key puts a corner, or the whole shape, at the middle of the map.
  add() { this.click(this.#view.center); }

  // A key ends the shape: an area with the corners that it has, another shape at the middle of the map.
  enter() {
    if (this.#kind !== "area") return this.#end(this.#view.center);
    if (this.#view.map) this.finish();
    else this.#endArea(this.#square());
  }

  finish() {
    // A double click has put its corner down twice.
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

  // Where nothing can be clicked, an area to begin with.
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
