// The map of the places: their circles, and a handle for the one that is changed.

import { make, named } from "/elements.js";
import { Bounds, circleFeature, pointFeature } from "/map-shapes.js";
import { t } from "/texts.js";

const [PLACES, CHOSEN] = ["places", "chosen-place"];

const placeLayers = (color) => [
  { id: "fill", type: "fill", filter: ["==", ["get", "part"], "circle"], paint: { "fill-color": color("--track"), "fill-opacity": 0.18 } },
  { id: "edge", type: "line", filter: ["==", ["get", "part"], "circle"], paint: { "line-color": color("--track"), "line-width": 2 } },
  { id: "middle", type: "circle", filter: ["==", ["get", "part"], "middle"], paint: {
    "circle-radius": 6, "circle-color": color("--track"), "circle-stroke-width": 2, "circle-stroke-color": color("--casing"),
  } },
];

const chosenLayers = (color) => [
  { id: "fill", type: "fill", paint: { "fill-color": color("--accent"), "fill-opacity": 0.1 } },
  { id: "edge", type: "line", paint: { "line-color": color("--accent"), "line-width": 3 } },
];

const placeOf = ({ latitude, longitude }) => ({ lat: latitude, lon: longitude });

export class PlacesMap {
  #view;
  #places = [];
  #tip = null;
  // The circle of the chosen place: { center, radius }.
  #circle = null;
  #handle = null;

  // `view`: a MapView. `opened(place)`: a circle was clicked.
  constructor(view, opened) {
    this.#view = view;
    view.overlay(PLACES, placeLayers);
    view.overlay(CHOSEN, chosenLayers);
    view.on("mousemove", ({ point }) => {
      const found = this.#under(point);
      view.cursor = found ? "pointer" : "";
      this.#name(found);
    });
    view.on("click", ({ point }) => {
      // A click that ends the drag of the handle opens nothing.
      const found = this.#handle ? null : this.#under(point);
      if (found) opened(found);
    });
  }

  show(places) {
    this.#places = places;
    this.#name(null);
    this.#view.show(PLACES, places.flatMap((place, index) => [
      circleFeature(placeOf(place), place.radius, { part: "circle", index }), pointFeature(placeOf(place), { part: "middle", index }),
    ]));
  }

  // Shows where all places lie.
  fit() {
    const bounds = new Bounds();
    for (const place of this.#places) {
      const { west, south, east, north } = Bounds.around(placeOf(place), place.radius * 2);
      bounds.extend(west, south).extend(east, north);
    }
    this.#view.fit(bounds, { maximumZoom: 16 });
  }

  // Shows one place; its handle moves it, by the pointer or arrow keys. `moved({ lat, lon })`; null: it cannot be moved. A place of
  // null ends it.
  choose(place, moved) {
    this.#handle?.remove();
    this.#handle = this.#circle = null;
    this.#name(null);
    if (place) {
      this.#circle = { center: placeOf(place), radius: place.radius };
      this.#view.fit(Bounds.around(this.#circle.center, Math.max(place.radius * 4, 300)));
    }
    this.#draw();
    if (!place || !moved) return;
    const button = make("button", { type: "button", className: "handle", title: t("Move the place"), ariaLabel: t("Move the place") });
    this.#handle = this.#view.marker(button, this.#circle.center, { draggable: true }).on("drag", () => {
      this.#circle.center = this.#handle.place;
      this.#draw();
      moved(this.#circle.center);
    });
  }

  // The radius of the chosen place, in metres.
  set radius(metres) {
    if (!this.#circle || !(metres > 0)) return;
    this.#circle.radius = metres;
    this.#draw();
  }

  #draw() { this.#view.show(CHOSEN, this.#circle ? [circleFeature(this.#circle.center, this.#circle.radius)] : []); }

  #under(point) {
    const found = this.#view.under(point, PLACES, ["middle", "fill"], 2)[0];
    return found ? this.#places[found.index] : null;
  }

  // The name of the place under the pointer; null: none.
  #name(place) {
    if (this.#tip?.place === (place ?? undefined)) return;
    this.#tip?.marker.remove();
    this.#tip = null;
    if (!place) return;
    const tip = make("div", { className: "map-tip" }, named(place.name));
    this.#tip = { place, marker: this.#view.marker(tip, placeOf(place), { anchor: "bottom", offset: [0, -12] }) };
  }
}
