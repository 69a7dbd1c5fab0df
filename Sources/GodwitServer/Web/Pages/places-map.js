// The map of the places: their circles, and a handle for the one that is changed.

import { graticule } from "/graticule.js";

const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export class PlacesMap {
  #map;
  #layer;
  #chosen;
  #opened;
  #places = [];
  #circle = null;

  // `opened(place)`: a circle was clicked.
  constructor(element, opened) {
    this.#opened = opened;
    this.#map = L.map(element, { worldCopyJump: true }).setView([30, 10], 3);
    L.control.scale({ imperial: false }).addTo(this.#map);
    this.#map.attributionControl.setPrefix(false);
    this.#map.graticuleRenderer = L.svg({ pane: "tilePane" });
    this.#layer = L.layerGroup().addTo(this.#map);
    this.#chosen = L.layerGroup().addTo(this.#map);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.show(this.#places));
  }

  // The base map that the server's settings name.
  base({ tiles }) {
    if (tiles) L.tileLayer(tiles.url, { attribution: tiles.attribution, maxZoom: tiles.max_zoom }).addTo(this.#map);
    else graticule(this.#map, () => color("--graticule"));
  }

  show(places) {
    this.#places = places;
    this.#layer.clearLayers();
    for (const place of places) {
      const style = { color: color("--track"), weight: 2, fillOpacity: 0.18 };
      const label = document.createElement("bdi");
      label.textContent = place.name;
      for (const shape of [L.circle([place.latitude, place.longitude], { ...style, radius: place.radius }),
        L.circleMarker([place.latitude, place.longitude], { ...style, radius: 5, fillOpacity: 1 })]) {
        shape.bindTooltip(label.cloneNode(true)).on("click", () => this.#opened(place)).addTo(this.#layer);
      }
    }
  }

  // Shows where all places lie.
  fit() {
    if (this.#places.length) {
      const bounds = L.latLngBounds(this.#places.flatMap(({ latitude, longitude, radius }) => {
        const box = L.latLng(latitude, longitude).toBounds(radius * 2);
        return [box.getNorthEast(), box.getSouthWest()];
      }));
      this.#map.fitBounds(bounds, { maxZoom: 16, padding: [30, 30], animate: false });
    }
  }

  // Shows one place; its handle moves it, by the pointer or arrow keys. `moved({ lat, lon })`; null: it cannot be moved. A place of null ends it.
  choose(place, moved) {
    this.#chosen.clearLayers();
    this.#circle = null;
    if (!place) return;
    const center = [place.latitude, place.longitude];
    this.#circle = L.circle(center, { radius: place.radius, color: color("--accent"), weight: 3, fillOpacity: 0.1, interactive: false }).addTo(this.#chosen);
    this.#map.fitBounds(L.latLng(center).toBounds(Math.max(place.radius * 4, 300)), { animate: false });
    if (!moved) return;
    const handle = L.marker(center, {
      draggable: true, keyboard: true, title: "Move the place", alt: "Move the place", icon: L.divIcon({ className: "handle", iconSize: [26, 26] }),
    }).addTo(this.#chosen);
    const report = () => {
      const { lat, lng } = handle.getLatLng().wrap();
      this.#circle.setLatLng([lat, lng]);
      moved({ lat, lon: lng });
    };
    handle.on("drag", report);
    handle.getElement().addEventListener("keydown", (event) => {
      const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
      if (!step) return;
      event.preventDefault();
      event.stopPropagation();
      const pixels = event.shiftKey ? 10 : 1;
      const point = this.#map.latLngToContainerPoint(handle.getLatLng());
      handle.setLatLng(this.#map.containerPointToLatLng([point.x + step[0] * pixels, point.y + step[1] * pixels]));
      report();
    });
  }

  // The radius of the chosen place, in metres.
  set radius(metres) { this.#circle?.setRadius(metres); }
}
