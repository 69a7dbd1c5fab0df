// The track of a day on the map: lines, gaps, the start, and the newest position with its accuracy.

import { make } from "/elements.js";
import { circleFeature, lineFeature, pointFeature } from "/map-shapes.js";

const ID = "track";

// Layers of lines with a casing; `color` returns the colour of a name. Features have `part`: line, dot or gap.
const layers = (color) => {
  const part = (name) => ["==", ["get", "part"], name];
  const round = { "line-cap": "round", "line-join": "round" };
  return [
    { id: "accuracy", type: "fill", filter: part("accuracy"), paint: { "fill-color": color("--track"), "fill-opacity": 0.1 } },
    { id: "accuracy-edge", type: "line", filter: part("accuracy"), paint: { "line-color": color("--track"), "line-width": 1 } },
    { id: "gap", type: "line", filter: part("gap"), paint: { "line-color": color("--quiet"), "line-width": 1.5, "line-dasharray": [1.5, 4] } },
    { id: "casing", type: "line", filter: part("line"), layout: round, paint: { "line-color": color("--casing"), "line-width": 8, "line-opacity": 0.9 } },
    { id: "line", type: "line", filter: part("line"), layout: round, paint: { "line-color": color("--track"), "line-width": 4 } },
    { id: "dot", type: "circle", filter: part("dot"), paint: {
      "circle-radius": 3.5, "circle-color": color("--track"), "circle-stroke-width": 2, "circle-stroke-color": color("--casing"),
    } },
    { id: "start", type: "circle", filter: part("start"), paint: {
      "circle-radius": 5, "circle-color": color("--casing"), "circle-stroke-width": 2, "circle-stroke-color": color("--track"),
    } },
  ];
};

export class TrackLayer {
  #view;
  #arrow = make("b", { hidden: true });
  #here;

  constructor(view) {
    this.#view = view;
    view.overlay(ID, layers);
    this.#here = view.marker(make("div", { className: "here" }, this.#arrow, make("i")), { lat: 0, lon: 0 }).show(false);
  }

  show(track) {
    const { pieces, gaps } = track.pieces();
    const features = [
      ...gaps.map((gap) => lineFeature(gap, { part: "gap" })),
      // A piece of a single point is drawn as a dot.
      ...pieces.map((piece) => (piece.length > 1 ? lineFeature(piece, { part: "line" }) : pointFeature(piece[0], { part: "dot" }))),
    ];
    const { last } = track;
    if (last) {
      if (last.accuracy > 0) features.unshift(circleFeature(last, last.accuracy, { part: "accuracy" }));
      features.push(pointFeature(track.points[0], { part: "start" }));
      this.#arrow.hidden = last.course == null;
      if (last.course != null) this.#arrow.style.transform = `rotate(${Number(last.course)}deg)`;
      this.#here.report(last);
    }
    this.#here.show(Boolean(last));
    this.#view.show(ID, features);
  }
}
