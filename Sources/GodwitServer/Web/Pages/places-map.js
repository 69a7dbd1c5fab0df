// The map of places: their circles, and a handle for the place that is edited.

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
  // The circle of the selected place: { center, radius }.
  #circle = null;
  #handle = null;

  // `view`: a MapView. `opened(place)` is called when a circle was clicked.
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
      // Ignores the click that ends a drag of the handle.
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

  // Fits the view to all places.
  fit() {
    const bounds = new Bounds();
    for (const place of this.#places) {
      const { west, south, east, north } = Bounds.around(placeOf(place), place.radius * 2);
      bounds.extend(west, south).extend(east, north);
    }
    this.#view.fit(bounds, { maximumZoom: 16 });
  }

  // Selects one place. Its handle moves it, by the pointer or arrow keys, and calls `moved({ lat, lon })`; without `moved` the place has no
  // handle. null ends the selection.
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

  // Sets the radius of the selected place, in metres.
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

  // Shows the name of the place under the pointer; null hides it.
  #name(place) {
    if (this.#tip?.place === (place ?? undefined)) return;
    this.#tip?.marker.remove();
    this.#tip = null;
    if (!place) return;
    const tip = make("div", { className: "map-tip" }, named(place.name));
    this.#tip = { place, marker: this.#view.marker(tip, placeOf(place), { anchor: "bottom", offset: [0, -12] }) };
  }
}
