// The map of private zones: those that are there, and the one that is being made.

import { graticule } from "/graticule.js";
import { settings } from "/api.js";

const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// - zones: as the server has them. - places: [longitude, latitude] of devices, to begin near them.
// - form: whose fields latitude, longitude and radius are those of the new one.
export function zoneMap(zones, places, form) {
  const box = document.createElement("div");
  box.id = "zone-map";
  box.setAttribute("role", "application");
  box.setAttribute("aria-label", "Map of private zones");
  box.addEventListener("shown", () => open(box, zones, places, form), { once: true });
  return box;
}

async function open(box, zones, places, form) {
  const { latitude, longitude, radius } = form.elements;
  const map = L.map(box, { worldCopyJump: true, scrollWheelZoom: false }).setView([30, 10], 2);
  map.attributionControl.setPrefix(false);
  map.graticuleRenderer = L.svg({ pane: "tilePane" });
  const style = { color: color("--track"), weight: 2, fillOpacity: 0.12, interactive: false };
  const known = zones.map((zone) => zone.polygon
    ? L.polygon(zone.polygon.map(([lon, lat]) => [lat, lon]), style)
    : L.circle([zone.center.latitude, zone.center.longitude], { ...style, radius: zone.radius }));
  for (const shape of known) shape.addTo(map);
  const made = L.circle([0, 0], { ...style, color: color("--accent"), radius: 300 });
  const draw = () => {
    const place = [Number(latitude.value), Number(longitude.value)];
    if (latitude.value === "" || longitude.value === "" || place.some(Number.isNaN)) return made.remove();
    return made.setLatLng(place).setRadius(Number(radius.value) || 0).addTo(map);
  };
  for (const field of [latitude, longitude, radius]) field.addEventListener("input", draw);
  map.on("click", ({ latlng }) => {
    const { lat, lng } = latlng.wrap();
    [latitude.value, longitude.value] = [lat.toFixed(6), lng.toFixed(6)];
    draw();
    form.elements.name.focus({ preventScroll: true });
  });
  const bounds = L.latLngBounds(places.map(([lon, lat]) => [lat, lon]));
  for (const shape of known) bounds.extend(shape.getBounds());
  if (bounds.isValid()) map.fitBounds(bounds.pad(0.3), { maxZoom: 14, animate: false });
  const { tiles } = await settings();
  if (tiles) L.tileLayer(tiles.url, { attribution: tiles.attribution, maxZoom: tiles.max_zoom }).addTo(map);
  else graticule(map, () => color("--graticule"));
}
