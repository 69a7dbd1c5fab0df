// The map of a day: its track by modes, its visits, and the points that are hidden.

import { make } from "/elements.js";
import { Bounds, lineFeature, pointFeature } from "/map-shapes.js";

const ID = "day";
const MODES = ["walk", "run", "cycle", "car", "train", "plane", "boat", "unknown"];

const layers = (color) => {
  const round = { "line-cap": "round", "line-join": "round" };
  const mode = ["match", ["get", "mode"], ...MODES.flatMap((name) => [name, color(`--${name}`)]), color("--quiet")];
  const line = ["==", ["get", "part"], "line"];
  return [
    { id: "rest", type: "line", layout: round, filter: ["all", line, ["!", ["has", "mode"]]],
      paint: { "line-color": color("--quiet"), "line-width": 2, "line-opacity": 0.6 } },
    { id: "casing", type: "line", layout: round, filter: ["all", line, ["has", "mode"]],
      paint: { "line-color": color("--casing"), "line-width": 7, "line-opacity": 0.8 } },
    { id: "line", type: "line", layout: round, filter: ["all", line, ["has", "mode"]], paint: { "line-color": mode, "line-width": 4 } },
    { id: "mark", type: "circle", filter: ["==", ["get", "part"], "mark"], paint: {
      "circle-radius": 4, "circle-opacity": 0, "circle-stroke-width": 2, "circle-stroke-color": color("--accent"),
    } },
    { id: "visit", type: "circle", filter: ["==", ["get", "part"], "visit"], paint: {
      "circle-radius": 8, "circle-color": color("--paper"), "circle-stroke-width": 4, "circle-stroke-color": color("--track"),
    } },
  ];
};

export class TimelineMap {
  #view;
  #day = { points: [], visits: [], trips: [], marks: [] };
  #tip = null;

  // `title(part, index)`: the text of a visit or a mark (part "visit" or "mark") under the pointer. `opened(index)`: a visit was clicked.
  constructor(view, { title, opened }) {
    this.#view = view;
    view.overlay(ID, layers);
    view.on("mousemove", ({ point }) => {
      const found = this.under(point);
      view.cursor = found?.part === "visit" ? "pointer" : "";
      this.#point(found, found && title(found.part, found.index));
    });
    view.on("click", ({ point }) => {
      const found = this.under(point);
      if (found?.part === "visit") opened(found.index);
    });
  }

  // The visit or mark under a pixel: { part, index }.
  under(point) { return this.#view.under(point, ID, ["visit", "mark"], 2)[0] ?? null; }

  // Shows a day: `points` are lists of the track's points, the others are as the API has them.
  show(day) {
    this.#day = day;
    this.#point(null);
    const place = ({ latitude, longitude }) => ({ lat: latitude, lon: longitude });
    this.#view.show(ID, [
      ...day.points.flatMap((line) => this.#stretches(line)),
      ...day.visits.map((visit, index) => pointFeature(place(visit), { part: "visit", index })),
      ...day.marks.flatMap((mark, index) => (mark.marked ? [pointFeature(place(mark), { part: "mark", index })] : [])),
    ]);
  }

  // Shows where a visit or a trip lies; null: the day.
  fit(entry = null) { this.#view.fit(this.#bounds(entry)); }

  #bounds(entry) {
    if (entry?.arrival) return Bounds.around({ lat: entry.latitude, lon: entry.longitude }, 400);
    const { points, visits } = this.#day;
    const isInside = (point) => !entry || (point.time >= Date.parse(entry.start) && point.time <= Date.parse(entry.end));
    const ends = (entry ? [entry.from, entry.to] : visits).map(({ latitude, longitude }) => ({ lat: latitude, lon: longitude }));
    return Bounds.of([...points.flat().filter(isInside), ...ends]);
  }

  #modeAt(time) {
    for (const trip of this.#day.trips) {
      for (const { start, end, mode } of trip.segments) if (time >= Date.parse(start) && time < Date.parse(end)) return mode;
    }
    return null;
  }

  // A line for each part of the track with one mode of transport.
  #stretches(line) {
    const features = [];
    let stretch = [];
    let mode = null;
    const finish = () => {
      if (stretch.length > 1) features.push(lineFeature(stretch, { part: "line", ...(mode ? { mode } : {}) }));
    };
    for (const point of line) {
      const now = this.#modeAt(point.time);
      if (stretch.length && now !== mode) {
        stretch.push(point);
        finish();
        stretch = [];
      }
      mode = now;
      stretch.push(point);
    }
    finish();
    return features;
  }

  #point(found, text) {
    if (this.#tip?.found.part === found?.part && this.#tip?.found.index === found?.index) return;
    this.#tip?.marker.remove();
    this.#tip = null;
    if (!found) return;
    const { latitude, longitude } = found.part === "visit" ? this.#day.visits[found.index] : this.#day.marks[found.index];
    const tip = make("div", { className: "map-tip" }, make("bdi", { textContent: text }));
    this.#tip = { found, marker: this.#view.marker(tip, { lat: latitude, lon: longitude }, { anchor: "bottom", offset: [0, -14] }) };
  }
}
