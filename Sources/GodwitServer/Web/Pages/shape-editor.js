// Editors of shapes: a circle with a handle on its rim, an area with handles on its corners, a beacon with its position.

import { make } from "/elements.js";
import * as format from "/format.js";
import { stored } from "/map-marker.js";
import { Bounds, circleFeature, destination, distance, multiPolygonFeature } from "/map-shapes.js";
import { outlines } from "/region-layers.js";
import { Sketch } from "/shape-sketch.js";
import { t } from "/texts.js";

const ID = "shape";
const MAXIMUM_HANDLES = 400;

const place = ({ latitude, longitude }) => ({ lat: latitude, lon: longitude });

export class ShapeEditor {
  #view;
  #handles = [];
  /** @type {(parts: object) => void} */
  #changed = () => {};
  #sketch = null;
  #moved = null; // called when the map has moved

  constructor(view) {
    this.#view = view;
    view.overlay(ID, (color) => [
      { id: "fill", type: "fill", filter: ["==", ["geometry-type"], "Polygon"], paint: { "fill-color": color("--chosen"), "fill-opacity": 0.18 } },
      { id: "edge", type: "line", filter: ["!=", ["geometry-type"], "Point"], paint: { "line-color": color("--chosen"), "line-width": 2.5 } },
      { id: "corner", type: "circle", filter: ["==", ["geometry-type"], "Point"], paint: { "circle-color": color("--chosen"), "circle-radius": 4 } },
    ]);
    view.on("click", ({ place }) => this.#sketch?.click(place));
    view.on("mousemove", ({ place }) => this.#sketch?.move(place));
    view.on("dblclick", () => this.#sketch?.finish());
    view.on("move", () => this.#sketch?.moved());
    view.on("moveend", () => this.#moved?.());
    document.addEventListener("keydown", (event) => this.#pressed(event));
  }

  get isDrawing() { return this.#sketch != null; }

  // Draws a new shape and calls done() with the region's geometry.
  draw(kind, done) {
    this.clear();
    document.body.classList.add("drawing");
    this.#view.zoomsByDoubleClick = false;
    const finished = (shape) => {
      this.clear();
      done(shape);
    };
    this.#sketch = new Sketch(this.#view, kind, { finished, show: (features) => this.#view.show(ID, features) });
    const sketch = this.#sketch;
    this.#view.ready.then((isReady) => {
      if (sketch !== this.#sketch) return;
      // Without a map, the shape is entered in the form.
      if (isReady) this.#view.focus();
      else sketch.enter();
    });
  }

  // Enter and Space draw only if no button, field or link has the focus, because they have their own meaning there.
  #pressed(event) {
    if (!this.#sketch || event.target.closest?.("button, input, select, textarea, a, summary")) return;
    const act = { Enter: () => this.#sketch.enter(), " ": () => this.#sketch.add(), Backspace: () => this.#sketch.undo() }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  clear() {
    if (this.#sketch) setTimeout(() => (this.#view.zoomsByDoubleClick = true), 300);
    this.#sketch?.close();
    this.#sketch = null;
    this.#moved = null;
    document.body.classList.remove("drawing");
    this.#removeHandles();
    this.#view.show(ID, []);
  }

  // Adds handles to a region's shape. changed(parts) is called after each move of a handle.
  edit(region, changed) {
    this.clear();
    this.#changed = changed;
    if (region.polygons) this.#editArea(region.polygons);
    else if (region.beacon) this.#editBeacon(region);
    else if (region.center) this.#editCircle(region);
  }

  // A handle: a button that can be dragged, and moved with arrow keys.
  /**
   * @param {string} name
   * @param {string} label
   * @param {any} at
   * @param {{ title?: string }} options
   */
  #handle(name, label, at, { title } = {}) {
    const button = make("button", { type: "button", className: `handle ${name}`, title: title ?? "" });
    button.setAttribute("aria-label", label);
    const marker = this.#view.marker(button, at, { draggable: true });
    this.#handles.push(marker);
    return marker;
  }

  #removeHandles() {
    for (const handle of this.#handles) handle.remove();
    this.#handles = [];
  }

  #editBeacon(region) {
    if (!region.center) return;
    const marker = this.#handle("center", t("Beacon"), place(region.center), { title: t("Move the beacon") });
    marker.on("drag", () => this.#changed({ center: stored(marker.place) }));
  }

  #editCircle({ center, radius }) {
    let [at, meters] = [place(center), radius];
    const middle = this.#handle("center", t("Centre"), at, { title: t("Move the circle") });
    const label = make("span", { className: "radius-label" });
    // East of the centre.
    const rim = this.#handle("rim", t("Rim"), destination(at, 90, meters), { title: t("Change the radius") });
    rim.element.append(label);
    const show = () => {
      this.#view.show(ID, [circleFeature(at, meters)]);
      label.textContent = format.distance(meters);
    };
    const tell = () => {
      show();
      this.#changed({ center: stored(at), radius: meters });
    };
    middle.on("drag", () => {
      at = middle.place;
      rim.place = destination(at, 90, meters);
      tell();
    });
    rim.on("drag", () => {
      const exact = distance(at, rim.place);
      meters = Math.min(1e6, Math.max(1, exact < 100 ? Math.round(exact) : Math.round(exact / 5) * 5));
      tell();
    });
    rim.on("dragend", () => (rim.place = destination(at, 90, meters)));
    show();
  }

  #editArea(polygons) {
    const areas = outlines(polygons).map((rings) => rings.map((ring) => {
      const corners = ring.map(([lon, lat]) => ({ lat, lon }));
      // Removes the last corner of a closed ring, which repeats the first.
      const [first, last] = [corners[0], corners.at(-1)];
      if (corners.length > 1 && first.lat === last.lat && first.lon === last.lon) corners.pop();
      return corners;
    }));
    const rings = areas.flat();
    const closed = (ring) => [...ring, ring[0]].map(({ lat, lon }) => [lon, lat]);
    const outline = () => this.#view.show(ID, areas.map((rings) => multiPolygonFeature([rings.map(closed)])));
    const tell = () => {
      outline();
      this.#changed({ polygons: areas.map((rings) => rings.map((ring) => ring.map((corner) => {
        const { latitude, longitude } = stored(corner);
        return [longitude, latitude];
      }))) });
    };
    const isLarge = rings.flat().length > MAXIMUM_HANDLES;
    const show = () => {
      this.#removeHandles();
      // An area with too many corners gets handles only for those in view.
      const view = isLarge ? this.#view.bounds?.padded(0.2) : null;
      let left = MAXIMUM_HANDLES;
      for (const ring of rings) {
        ring.forEach((corner, index) => {
          if ((view && !view.has(corner)) || left-- < 0) return;
          this.#corner(ring, index, tell, show);
          this.#between(ring, index, tell, show);
        });
      }
      this.#whole(rings, tell, show);
    };
    outline();
    show();
    if (isLarge) this.#moved = show;
  }

  #corner(ring, index, tell, show) {
    const marker = this.#handle("corner", t("Corner {index}", { index: index + 1 }), ring[index]);
    const remove = () => {
      if (ring.length <= 3) return;
      ring.splice(index, 1);
      tell();
      show();
    };
    marker.on("drag", () => {
      ring[index] = marker.place;
      tell();
    });
    const { element } = marker;
    element.addEventListener("click", (event) => event.altKey && remove());
    element.addEventListener("contextmenu", (event) => {
      event.preventDefault();
      remove();
    });
    element.addEventListener("keydown", (event) => ["Delete", "Backspace"].includes(event.key) && remove());
    marker.on("dragend", () => this.#afterDrag(show, element));
  }

  #between(ring, index, tell, show) {
    const next = ring[(index + 1) % ring.length];
    const middle = { lat: (ring[index].lat + next.lat) / 2, lon: (ring[index].lon + next.lon) / 2 };
    const marker = this.#handle("between", t("Add a corner"), middle);
    marker.element.tabIndex = -1;
    let isAdded = false;
    marker.on("drag", () => {
      if (!isAdded) ring.splice(index + 1, 0, marker.place);
      isAdded = true;
      ring[index + 1] = marker.place;
      tell();
    });
    marker.on("dragend", show);
  }

  #whole(rings, tell, show) {
    const marker = this.#handle("center", t("Area"), Bounds.of(rings.flat()).center, { title: t("Move the area") });
    let before = marker.place;
    marker.on("drag", () => {
      const { lat, lon } = marker.place;
      for (const ring of rings) {
        ring.forEach((corner, index) => (ring[index] = { lat: corner.lat + lat - before.lat, lon: corner.lon + lon - before.lon }));
      }
      before = marker.place;
      tell();
    });
    marker.on("dragend", () => this.#afterDrag(show, marker.element));
  }

  // Recreates the handles after a drag. A handle that was moved by a key keeps the focus.
  #afterDrag(show, element) {
    const index = element === document.activeElement ? this.#handles.findIndex((handle) => handle.element === element) : -1;
    show();
    this.#handles[index]?.element.focus();
  }
}
