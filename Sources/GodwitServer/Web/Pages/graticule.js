// Parallels and meridians with their degrees: what the map shows when no tiles are configured.

import { degrees } from "/format.js";

// Degrees between two lines: whole parts of degrees, minutes and seconds.
const STEPS = [30, 20, 10, 5, 2, 1, 1 / 2, 1 / 3, 1 / 6, 1 / 12, 1 / 30, 1 / 60, 1 / 120, 1 / 180, 1 / 360, 1 / 720, 1 / 1800, 1 / 3600];

export function graticule(map, color) {
  const layer = L.layerGroup().addTo(map);
  function draw() {
    layer.clearLayers();
    const bounds = map.getBounds();
    const width = map.getSize().x;
    const degreesPerPixel = (bounds.getEast() - bounds.getWest()) / Math.max(1, width);
    const step = STEPS.findLast((candidate) => candidate / degreesPerPixel >= 110) ?? STEPS[0];
    const style = { color: color(), weight: 1, interactive: false, renderer: map.graticuleRenderer };
    const count = (from, to) => Math.min(60, Math.floor(to / step) - Math.ceil(from / step) + 1);
    const west = Math.ceil(bounds.getWest() / step);
    for (let i = 0; i < count(bounds.getWest(), bounds.getEast()); i++) {
      const lon = (west + i) * step;
      L.polyline([[bounds.getSouth(), lon], [bounds.getNorth(), lon]], style).addTo(layer);
      const point = map.latLngToContainerPoint([bounds.getNorth(), lon]);
      label(map.containerPointToLatLng([point.x, 0]), degrees(((lon + 540) % 360) - 180, step, false), [-4, -3]);
    }
    const south = Math.ceil(Math.max(-85, bounds.getSouth()) / step);
    for (let i = 0; i < count(Math.max(-85, bounds.getSouth()), Math.min(85, bounds.getNorth())); i++) {
      const lat = (south + i) * step;
      L.polyline([[lat, bounds.getWest()], [lat, bounds.getEast()]], style).addTo(layer);
      const point = map.latLngToContainerPoint([lat, bounds.getEast()]);
      label(map.containerPointToLatLng([width, point.y]), degrees(lat, step, true), [64, 16]);
    }
  }
  function label(place, text, anchor) {
    L.marker(place, {
      interactive: false, keyboard: false,
      icon: L.divIcon({ className: "graticule-label", html: text, iconSize: [60, 14], iconAnchor: anchor }),
    }).addTo(layer);
  }
  map.on("moveend zoomend resize", draw);
  draw();
  return { redraw: draw };
}
