// The map of the timeline: tracks by mode, visits, hidden points, the position of a replay, and the handle of a visit that is moved.

import { make, named } from "/elements.js";
import { Bounds, lineFeature, pointFeature } from "/map-shapes.js";

const ID = "day";
const MODES = ["walk", "run", "cycle", "car", "train", "plane", "boat", "unknown"];
const NEAR = 12; // pixels between a click and a point of the track
const NOTHING = { points: [], visits: [], trips: [], marks: [], roads: [] };

const layers = (color) => {
  const round = { "line-cap": "round", "line-join": "round" };
  const mode = ["match", ["get", "mode"], ...MODES.flatMap((name) => [name, color(`--${name}`)]), color("--quiet")];
  const line = ["==", ["get", "part"], "line"];
  return [
    { id: "rest", type: "line", layout: round, filter: ["all", line, ["!", ["has", "mode"]]],
      paint: { "line-color": color("--quiet"), "line-width": 2, "line-opacity": 0.6 } },
    { id: "raw", type: "line", layout: round, filter: ["==", ["get", "part"], "raw"],
      paint: { "line-color": color("--quiet"), "line-width": 1.5, "line-opacity": 0.7 } },
    { id: "casing", type: "line", layout: round, filter: ["all", line, ["has", "mode"]],
      paint: { "line-color": color("--casing"), "line-width": 7, "line-opacity": 0.8 } },
    { id: "line", type: "line", layout: round, filter: ["all", line, ["has", "mode"]], paint: { "line-color": mode, "line-width": 4 } },
    { id: "point", type: "circle", minzoom: 13, filter: ["==", ["get", "part"], "points"],
      paint: { "circle-radius": ["interpolate", ["linear"], ["zoom"], 13, 1.5, 17, 3], "circle-color": color("--quiet"), "circle-opacity": 0.8 } },
    { id: "mark", type: "circle", filter: ["==", ["get", "part"], "mark"], paint: {
      "circle-radius": 4, "circle-opacity": 0, "circle-stroke-width": 2, "circle-stroke-color": color("--accent"),
    } },
    { id: "visit", type: "circle", filter: ["==", ["get", "part"], "visit"], paint: {
      "circle-radius": 8, "circle-color": color("--paper"), "circle-stroke-width": 4, "circle-stroke-color": color("--track"),
    } },
  ];
};

const placeOf = ({ latitude, longitude }) => ({ lat: latitude, lon: longitude });

export class TimelineMap {
  #view;
  #options;
  #shown = NOTHING;
  #tip = null;
  #popup = null;
  #cursor = null;
  #handle = null;
  #isAlongRoads = true;

  // `title(part, index)` returns the text of a visit or an outlier (part "visit" or "mark") under the pointer. `opened(index)` is called
  // when a visit was clicked. `picked(point)` is called when a point of the track was clicked, and returns the content of a popup, or null.
  constructor(view, options) {
    this.#view = view;
    this.#options = options;
    view.overlay(ID, layers);
    view.on("mousemove", ({ point }) => {
      const found = this.#under(point);
      view.cursor = found?.part === "visit" ? "pointer" : "";
      this.#point(found, found && options.title(found.part, found.index));
    });
    view.on("click", (event) => this.#clicked(event));
  }

  // Whether trips are drawn along roads, if the server has roads. The track's points are then drawn as dots.
  get isAlongRoads() { return this.#isAlongRoads; }
  set isAlongRoads(isAlongRoads) {
    this.#isAlongRoads = isAlongRoads;
    this.show(this.#shown);
  }

  // Shows days: `points` are lists of the track's points; the other members are as in the API.
  show(shown) {
    this.#shown = shown;
    this.#point(null);
    this.closePopup();
    this.#view.show(ID, [
      ...shown.points.flatMap((line) => this.#stretches(line)),
      ...(this.#hasRoads ? shown.roads.map(({ geometry, properties: { mode } }) => ({
        type: "Feature", geometry, properties: { part: "line", mode },
      })) : []),
      ...shown.visits.map((visit, index) => pointFeature(placeOf(visit), { part: "visit", index })),
      ...shown.marks.flatMap((mark, index) => (mark.marked ? [pointFeature(placeOf(mark), { part: "mark", index })] : [])),
    ]);
  }

  // Fits the view to a visit or a trip; null: to everything.
  fit(entry = null) {
    // Elements below the map have just been shown or hidden.
    this.#view.map?.resize();
    this.#view.fit(this.#bounds(entry));
  }

  // Shows the position of a replay; null hides it.
  cursor(place) {
    if (!place) {
      this.#cursor?.remove();
      this.#cursor = null;
      return;
    }
    const at = { lat: place.lat, lon: place.lon };
    if (this.#cursor) this.#cursor.place = at;
    else this.#cursor = this.#view.marker(make("div", { className: "replay-cursor" }), at);
    const { bounds, zoom } = this.#view;
    if (bounds && !bounds.has(at)) this.#view.look({ ...at, zoom });
  }

  // Adds a handle that can be dragged, or moved with arrow keys; null removes it. `label`: its name. Returns the marker, whose `place` is
  // the current position.
  handle(place, label = "") {
    this.#handle?.remove();
    this.#handle = null;
    if (!place) return null;
    const button = make("button", { type: "button", className: "handle", title: label, ariaLabel: label });
    this.#handle = this.#view.marker(button, place, { draggable: true });
    return this.#handle;
  }

  closePopup() {
    this.#popup?.remove();
    this.#popup = null;
  }

  // The visit or outlier under a pixel: { part, index }.
  #under(point) { return this.#view.under(point, ID, ["visit", "mark"], 2)[0] ?? null; }

  #clicked({ place, point }) {
    // Ignores the click that ends a drag of the handle.
    if (this.#handle) return;
    const found = this.#under(point);
    if (found?.part === "visit") this.#options.opened(found.index);
    if (found) return;
    const points = this.#shown.points.flat();
    const best = points[this.#view.nearest(points, place, NEAR) ?? -1];
    const content = best && this.#options.picked(best);
    if (content) this.#popup = this.#view.popup(best, make("div", {}, ...content));
  }

  get #hasRoads() { return this.#isAlongRoads && this.#shown.roads.length > 0; }

  #bounds(entry) {
    if (entry?.arrival) return Bounds.around(placeOf(entry), 400);
    const isInside = (point) => !entry || (point.time >= Date.parse(entry.start) && point.time <= Date.parse(entry.end));
    const ends = (entry ? [entry.from, entry.to] : this.#shown.visits).filter(Boolean).map(placeOf);
    return Bounds.of([...this.#shown.points.flat().filter(isInside), ...ends]);
  }

  // A line for each part of the track with the same mode of transport.
  #stretches(line) {
    const features = [];
    const modes = this.#modes();
    let stretch = [];
    let mode = null;
    const finish = () => {
      if (stretch.length < 2) return;
      if (!mode || !this.#hasRoads) return features.push(lineFeature(stretch, { part: "line", ...(mode ? { mode } : {}) }));
      features.push(lineFeature(stretch, { part: "raw" }));
      features.push({ type: "Feature", geometry: { type: "MultiPoint", coordinates: stretch.map(({ lat, lon }) => [lon, lat]) }, properties: { part: "points" } });
    };
    for (const point of line) {
      const now = modes(point.time);
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

  // Returns a function of the mode at a time. It must be called with ascending times.
  #modes() {
    const segments = this.#shown.trips.flatMap(({ segments }) =>
      segments.map(({ start, end, mode }) => ({ start: Date.parse(start), end: Date.parse(end), mode }))).sort((a, b) => a.start - b.start);
    let index = 0;
    return (time) => {
      while (index < segments.length && segments[index].end <= time) index += 1;
      return segments[index] && segments[index].start <= time ? segments[index].mode : null;
    };
  }

  #point(found, text) {
    if (this.#tip?.found.part === found?.part && this.#tip?.found.index === found?.index) return;
    this.#tip?.marker.remove();
    this.#tip = null;
    if (!found) return;
    const place = placeOf(found.part === "visit" ? this.#shown.visits[found.index] : this.#shown.marks[found.index]);
    const tip = make("div", { className: "map-tip" }, named(text));
    this.#tip = { found, marker: this.#view.marker(tip, place, { anchor: "bottom", offset: [0, -14] }) };
  }
}
