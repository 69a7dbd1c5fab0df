// The style of the base map file: water, land use, buildings, roads by class, borders and names.

import { schemaOf } from "/basemap-schemas.js";
import { TAKEOVER, rectangle } from "/basemap-world.js";

const SOURCE = "streets";

// Roads by class, the lowest first: the first zoom, the width in pixels by zoom, and the colour.
const ROADS = [
  { name: "path", from: 13, widths: [13, 0.6, 16, 1.4, 20, 4], color: "path", dashes: [2, 1.5] },
  { name: "service", from: 14, widths: [14, 0.7, 16, 2, 20, 12], color: "minor", hasCasing: true },
  { name: "minor", from: 12, widths: [12, 0.6, 14, 2, 16, 5, 20, 24], color: "minor", hasCasing: true },
  { name: "secondary", from: 9, widths: [9, 0.6, 12, 2, 15, 5, 20, 32], color: "minor", hasCasing: true },
  { name: "major", from: 7, widths: [7, 0.6, 10, 1.6, 14, 5, 20, 38], color: "major", hasCasing: true },
  { name: "motorway", from: 5, widths: [5, 0.6, 8, 1.6, 12, 3.5, 15, 8, 20, 44], color: "motorway", hasCasing: true },
];

const byZoom = (...stops) => ["interpolate", ["exponential", 1.5], ["zoom"], ...stops];
// Names in the language of the browser, where the file has them.
const name = () => ["coalesce", ["get", `name:${navigator.language.split("-")[0]}`], ["get", "name"], ["get", "name:latin"], ""];

/** @type {[number, number, number, number]} */
const EVERYWHERE = [-180, -85.0511, 180, 85.0511];

// `basemap`: as in the settings of the server. A file with an unknown schema is not drawn.
export function streets(colors, { url, schema, min_zoom = 0, max_zoom = 15, bounds = EVERYWHERE, attribution = "" }) {
  const parts = schemaOf(schema);
  if (!parts) return { sources: {}, layers: [], labels: [], credits: [attribution] };
  const from = Math.max(TAKEOVER, min_zoom);
  return {
    sources: {
      [SOURCE]: { type: "vector", tiles: [`${location.origin}${url}`], minzoom: min_zoom, maxzoom: max_zoom, bounds },
      "streets-bounds": { type: "geojson", data: { type: "Feature", properties: {}, geometry: rectangle(bounds) } },
    },
    layers: [
      // The coast of the built-in world is coarser than that of the file, so the area of the file is first filled as land.
      { id: "streets-bounds", type: "fill", source: "streets-bounds", minzoom: from, paint: { "fill-color": colors.land } },
      ...areas(colors, parts, from), ...roads(colors, parts, from), ...borders(colors, parts, from),
    ],
    labels: labels(colors, parts, from),
    credits: [attribution],
  };
}

const layer = (id, type, { layer, filter }, minzoom, paint, layout = {}) =>
  ({ id, type, source: SOURCE, "source-layer": layer, filter, minzoom, paint, layout });

function areas(colors, parts, from) {
  const fills = ["land", "ice", "farm", "built", "park", "wood", "sand"];
  const fill = (part, minzoom = from) => parts[part].map((each, index) =>
    layer(`streets-${part}-${index}`, "fill", each, minzoom, { "fill-color": part === "runway" ? colors.runway : colors[part] }));
  const buildings = parts.building.map((each, index) => layer(`streets-building-${index}`, "fill", each, 14, {
    "fill-color": colors.building, "fill-opacity": byZoom(14, 0, 15, 1), "fill-outline-color": colors.casing,
  }));
  const waterways = parts.waterways.map((each, index) =>
    layer(`streets-waterway-${index}`, "line", each, Math.max(from, 8), { "line-color": colors.water, "line-width": byZoom(8, 0.6, 12, 1.4, 16, 5, 20, 14) }));
  return [...fills.flatMap((part) => fill(part)), ...waterways, ...fill("water"), ...fill("runway", 11), ...buildings];
}

function roads(colors, parts, from) {
  const round = { "line-cap": "round", "line-join": "round" };
  const casings = ROADS.filter(({ hasCasing }) => hasCasing).map(({ name, from: begin, widths }) =>
    layer(`streets-${name}-casing`, "line", parts.roads[name], Math.max(from, begin, 10), {
      "line-color": colors.casing, "line-width": byZoom(...widths.map((value, index) => (index % 2 ? value + 1.4 : value))),
    }, round));
  const lines = ROADS.map(({ name, from: begin, widths, color, dashes }) =>
    layer(`streets-${name}`, "line", parts.roads[name], Math.max(from, begin), {
      "line-color": colors[color], "line-width": byZoom(...widths), ...(dashes ? { "line-dasharray": dashes } : {}),
    }, dashes ? {} : round));
  return [
    layer("streets-ferry", "line", parts.roads.ferry, Math.max(from, 8), { "line-color": colors.coast, "line-width": 1, "line-dasharray": [4, 3] }),
    layer("streets-rail", "line", parts.roads.rail, Math.max(from, 10), { "line-color": colors.rail, "line-width": byZoom(10, 0.5, 14, 1.1, 18, 2.5) }),
    ...casings, ...lines,
  ];
}

function borders(colors, parts, from) {
  return [
    ...parts.state.map((each, index) => layer(`streets-state-${index}`, "line", each, from, {
      "line-color": colors.state, "line-width": byZoom(6, 0.8, 12, 1.6), "line-dasharray": [3, 2],
    })),
    ...parts.border.map((each, index) => layer(`streets-border-${index}`, "line", each, from, {
      "line-color": colors.border, "line-width": byZoom(6, 1.2, 12, 2.4),
    })),
  ];
}

function labels(colors, parts, from) {
  const paint = (color) => ({ "text-color": color, "text-halo-color": colors.halo, "text-halo-width": 1.5, "text-halo-blur": 0.4 });
  const text = (id, part, minzoom, size, color, layout = {}) => layer(`streets-${id}`, "symbol", part, minzoom, paint(color), {
    "text-field": name(), "text-font": ["Noto Sans Regular"], "text-size": size, "text-max-width": 8, "text-padding": 4, ...layout,
  });
  const { city, village, suburb } = parts.places;
  return [
    text("road-name", parts.roadNames, 13, byZoom(13, 10, 18, 13), colors.quiet, { "symbol-placement": "line", "text-max-angle": 35, "symbol-spacing": 320 }),
    ...parts.waterNames.map((each, index) => text(`water-name-${index}`, each, Math.max(from, 9), 11, colors.waterLabel)),
    text("suburb", suburb, 12, byZoom(12, 10.5, 16, 13), colors.quiet, { "text-letter-spacing": 0.06 }),
    text("village", village, Math.max(from, 10), byZoom(10, 10, 14, 14), colors.label, { "symbol-sort-key": village.rank }),
    text("city", city, from, byZoom(6, 11.5, 10, 15, 14, 20), colors.label, { "symbol-sort-key": city.rank }),
  ];
}
