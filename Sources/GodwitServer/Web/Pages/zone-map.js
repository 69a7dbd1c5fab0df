// The map of private zones: existing zones and the one that the user adds.

import { devices, settings } from "/api.js";
import { background } from "/map-background.js";
import { stored } from "/map-marker.js";
import { Bounds, circleFeature, multiPolygonFeature } from "/map-shapes.js";
import { MapView } from "/map-view.js";
import { t } from "/texts.js";

// - zones: as in the API. - places: [longitude, latitude] of devices, for the initial view.
// - form: its fields latitude, longitude and radius are those of the new zone.
export function zoneMap(zones, places, form) {
  const box = document.createElement("div");
  box.id = "zone-map";
  box.setAttribute("role", "application");
  box.setAttribute("aria-label", t("Map of private zones"));
  box.addEventListener("shown", () => open(box, zones, places, form), { once: true });
  return box;
}

const layers = (name) => (color) => [
  { id: "fill", type: "fill", paint: { "fill-color": color(name), "fill-opacity": 0.12 } },
  { id: "edge", type: "line", paint: { "line-color": color(name), "line-width": 2 } },
];

async function open(box, zones, places, form) {
  const { latitude, longitude, radius } = form.elements;
  const known = settings();
  const map = new MapView(box, { settings: known, wheel: false });
  map.overlay("zones", layers("--track"));
  map.overlay("new-zone", layers("--accent"));
  const shapes = zones.map((zone) => (zone.polygon
    ? multiPolygonFeature([[zone.polygon]])
    : circleFeature({ lat: zone.center.latitude, lon: zone.center.longitude }, zone.radius)));
  map.show("zones", shapes);
  const draw = () => {
    const place = { lat: Number(latitude.value), lon: Number(longitude.value) };
    const isPlace = latitude.value !== "" && longitude.value !== "" && Number.isFinite(place.lat) && Number.isFinite(place.lon);
    map.show("new-zone", isPlace ? [circleFeature(place, Number(radius.value) || 0)] : []);
  };
  for (const field of [latitude, longitude, radius]) field.addEventListener("input", draw);
  const choose = (place) => {
    const chosen = stored(place);
    [latitude.value, longitude.value] = [chosen.latitude.toFixed(6), chosen.longitude.toFixed(6)];
    draw();
    form.elements.name.focus({ preventScroll: true });
  };
  map.on("click", ({ place }) => choose(place));
  // With the keyboard, Enter chooses the centre of the map.
  box.addEventListener("keydown", (event) => {
    // On a button of the map, Enter presses it.
    const isOnButton = /** @type {Element} */ (event.target).closest("button, a, summary") !== null;
    if (event.key === "Enter" && !isOnButton && map.map) choose(map.center);
  });
  const bounds = Bounds.of(places.map(([lon, lat]) => ({ lat, lon })));
  for (const { geometry } of shapes) for (const [lon, lat] of geometry.coordinates.flat(geometry.type === "Polygon" ? 1 : 2)) bounds.extend(lon, lat);
  map.fit(bounds, { maximumZoom: 14 });
  background(map, await known, await devices());
}
