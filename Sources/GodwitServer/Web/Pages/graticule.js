// Parallels and meridians with their degrees, for zooms at which the built-in map shows nothing else for orientation.

import { degrees } from "/format.js";
import { labelImage } from "/map-labels.js";
import { pointFeature, wrapped } from "/map-shapes.js";

// Degrees between two lines: whole fractions of degrees, minutes and seconds.
const STEPS = [30, 20, 10, 5, 2, 1, 1 / 2, 1 / 3, 1 / 6, 1 / 12, 1 / 30, 1 / 60, 1 / 120, 1 / 180, 1 / 360, 1 / 720, 1 / 1800, 1 / 3600];
const LIMIT = 85;
const MINIMUM_ZOOM = 9; // of MapLibre; at lower zooms the names of the world are more useful than degrees
const ID = "graticule";

// Draws the graticule on a map, now and after each move.
export function graticule(view) {
  view.overlay(ID, (color) => [
    { id: "line", type: "line", minzoom: MINIMUM_ZOOM, filter: ["has", "line"], paint: { "line-color": color("--graticule"), "line-width": 1 } },
    label("meridian", "top", [0, 3]), label("parallel", "right", [-5, 0]),
  ], { level: "background" });
  const draw = () => view.show(ID, features(view));
  view.on("moveend", draw);
  view.on("resize", draw);
  view.ready.then((isReady) => isReady && draw());
}

const label = (id, anchor, offset) => ({
  id, type: "symbol", minzoom: MINIMUM_ZOOM, filter: ["==", ["get", "edge"], id],
  layout: {
    "icon-image": labelImage("quiet", ["get", "label"]), "icon-anchor": anchor, "icon-offset": offset, "icon-allow-overlap": true,
    "icon-ignore-placement": true,
  },
});

function features(view) {
  const { bounds } = view;
  const width = (bounds.east - bounds.west) / 360 * view.worldSize;
  const degreesPerPixel = (bounds.east - bounds.west) / Math.max(1, width);
  const step = STEPS.findLast((candidate) => candidate / degreesPerPixel >= 110) ?? STEPS[0];
  const [south, north] = [Math.max(-LIMIT, bounds.south), Math.min(LIMIT, bounds.north)];
  const multiples = (from, to) => {
    const first = Math.ceil(from / step);
    return Array.from({ length: Math.max(0, Math.min(60, Math.floor(to / step) - first + 1)) }, (_, index) => (first + index) * step);
  };
  const line = (from, to) => ({ type: "Feature", properties: { line: true }, geometry: { type: "LineString", coordinates: [from, to] } });
  return [
    ...multiples(bounds.west, bounds.east).flatMap((lon) => [
      line([lon, south], [lon, north]),
      pointFeature({ lat: north, lon }, { edge: "meridian", label: degrees(wrapped(lon), step, false) }),
    ]),
    ...multiples(south, north).flatMap((lat) => [
      line([bounds.west, lat], [bounds.east, lat]),
      pointFeature({ lat, lon: bounds.east }, { edge: "parallel", label: degrees(lat, step, true) }),
    ]),
  ];
}
