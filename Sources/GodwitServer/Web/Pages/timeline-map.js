// The map of the timeline: tracks by modes, visits, the points that are hidden, where a replay is, and a visit that is moved.

import { make } from "/elements.js";
import { graticule } from "/graticule.js";

const NEAR = 12; // pixels between a click and a point of the track

const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const escaped = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

export class TimelineMap {
  #map;
  #layer;
  #shown = { points: [], visits: [], trips: [], marks: [] };
  #options;
  #cursor = null;
  #handle = null;
  #credits = [];

  // `title(part, index)`: the text of a visit or a mark. `opened(index)`: a visit was clicked. `picked(point)`: a point of the track was
  // clicked; returns the content of a popup, or null.
  constructor(element, options) {
    this.#options = options;
    this.#map = L.map(element, { preferCanvas: true, worldCopyJump: true }).setView([30, 10], 3);
    L.control.scale({ imperial: false }).addTo(this.#map);
    this.#map.attributionControl.setPrefix(false);
    this.#map.graticuleRenderer = L.svg({ pane: "tilePane" });
    this.#layer = L.layerGroup().addTo(this.#map);
    this.#map.on("click", (event) => this.#clicked(event));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.show(this.#shown));
  }

  // The base map that the server's settings name.
  base({ tiles }) {
    if (tiles) {
      L.tileLayer(tiles.url, { attribution: tiles.attribution, maxZoom: tiles.max_zoom }).addTo(this.#map);
      return;
    }
    const lines = graticule(this.#map, () => color("--graticule"));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => lines.redraw());
  }

  // Shows days: `points` are lists of the track's points, the others are as the API has them.
  show(shown) {
    this.#shown = shown;
    this.#layer.clearLayers();
    for (const line of shown.points) this.#line(line);
    shown.visits.forEach((visit, index) => {
      const marker = L.circleMarker([visit.latitude, visit.longitude], {
        radius: 8, weight: 4, color: color("--track"), fillColor: color("--paper"), fillOpacity: 1,
      });
      marker.bindTooltip(escaped(this.#options.title("visit", index))).addTo(this.#layer);
      marker.on("click", (event) => {
        L.DomEvent.stopPropagation(event);
        this.#options.opened(index);
      });
    });
    shown.marks.forEach((mark, index) => {
      if (!mark.marked) return;
      L.circleMarker([mark.latitude, mark.longitude], { radius: 4, weight: 2, color: color("--accent"), fillOpacity: 0, dashArray: "2 3" })
        .bindTooltip(escaped(this.#options.title("mark", index))).addTo(this.#layer);
    });
  }

  // Shows where a visit or a trip lies; null: everything.
  fit(entry = null) {
    const bounds = this.#bounds(entry);
    if (bounds.isValid()) this.#map.fitBounds(bounds, { maxZoom: 17, padding: [30, 30], animate: false });
  }

  // Shows where a replay is; null: nowhere.
  cursor(place) {
    if (!place) {
      this.#cursor?.remove();
      this.#cursor = null;
      return;
    }
    this.#cursor ??= L.circleMarker([place.lat, place.lon], {
      radius: 7, weight: 3, color: color("--casing"), fillColor: color("--accent"), fillOpacity: 1, interactive: false,
    }).addTo(this.#map);
    this.#cursor.setLatLng([place.lat, place.lon]);
    if (!this.#map.getBounds().contains([place.lat, place.lon])) this.#map.panTo([place.lat, place.lon], { animate: false });
  }

  // A handle that is dragged, or moved by arrow keys; null removes it. `label`: its name. Returns it: its `place` is where it is now.
  handle(place, label = "") {
    this.#handle?.remove();
    this.#handle = null;
    if (!place) return null;
    const icon = L.divIcon({ className: "handle", iconSize: [26, 26] });
    const marker = L.marker([place.lat, place.lon], { draggable: true, icon, keyboard: true, title: label, alt: label }).addTo(this.#map);
    this.#handle = marker;
    const element = marker.getElement();
    element.setAttribute("aria-label", label);
    element.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
      if (!step) return;
      event.preventDefault();
      event.stopPropagation();
      const pixels = event.shiftKey ? 10 : 1;
      const point = this.#map.latLngToContainerPoint(marker.getLatLng());
      marker.setLatLng(this.#map.containerPointToLatLng([point.x + step[0] * pixels, point.y + step[1] * pixels]));
    });
    return {
      element,
      get place() {
        const { lat, lng } = marker.getLatLng().wrap();
        return { lat, lon: lng };
      },
    };
  }

  closePopup() { this.#map.closePopup(); }

  // Credits the sources of addresses.
  credit(texts) {
    for (const text of this.#credits) this.#map.attributionControl.removeAttribution(text);
    this.#credits = [...new Set(texts.filter(Boolean))].map(escaped);
    for (const text of this.#credits) this.#map.attributionControl.addAttribution(text);
  }

  #bounds(entry) {
    if (entry?.arrival) return L.latLng(entry.latitude, entry.longitude).toBounds(400);
    const inside = (point) => !entry || (point.time >= Date.parse(entry.start) && point.time <= Date.parse(entry.end));
    const places = this.#shown.points.flat().filter(inside).map(({ lat, lon }) => [lat, lon]);
    for (const end of entry ? [entry.from, entry.to] : this.#shown.visits) if (end) places.push([end.latitude, end.longitude]);
    return L.latLngBounds(places);
  }

  // A line for each part of the track with one mode of transport.
  #line(line) {
    let stretch = [];
    let mode = null;
    const flush = () => {
      if (stretch.length < 2) return;
      const style = mode ? { color: color(`--${mode}`), weight: 4 } : { color: color("--quiet"), weight: 2, opacity: 0.6 };
      L.polyline(stretch, { ...style, lineJoin: "round", interactive: false }).addTo(this.#layer);
    };
    const modes = this.#modes();
    for (const point of line) {
      const now = modes(point.time);
      if (stretch.length && now !== mode) {
        stretch.push([point.lat, point.lon]);
        flush();
        stretch = [];
      }
      mode = now;
      stretch.push([point.lat, point.lon]);
    }
    flush();
  }

  // The mode at a time; times come in their order.
  #modes() {
    const segments = this.#shown.trips.flatMap(({ segments }) =>
      segments.map(({ start, end, mode }) => ({ start: Date.parse(start), end: Date.parse(end), mode }))).sort((a, b) => a.start - b.start);
    let index = 0;
    return (time) => {
      while (index < segments.length && segments[index].end <= time) index += 1;
      return segments[index] && segments[index].start <= time ? segments[index].mode : null;
    };
  }

  #clicked({ containerPoint }) {
    let [best, nearest] = [null, NEAR ** 2];
    for (const point of this.#shown.points.flat()) {
      const place = this.#map.latLngToContainerPoint([point.lat, point.lon]);
      const distance = (place.x - containerPoint.x) ** 2 + (place.y - containerPoint.y) ** 2;
      if (distance < nearest) [nearest, best] = [distance, point];
    }
    const content = best && this.#options.picked(best);
    if (content) L.popup().setLatLng([best.lat, best.lon]).setContent(make("div", {}, ...content)).openOn(this.#map);
  }
}
