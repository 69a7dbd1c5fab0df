// The built-in world: land, lakes, borders, and names of countries, states and towns by zoom.

import { countryName } from "/format.js";

const LAND = "Natural Earth, GSHHG";
const NAMES = '<a href="https://www.geonames.org/">GeoNames</a>';
// The zoom from which the base map file is shown.
export const TAKEOVER = 6;

const REGULAR = ["Noto Sans Regular"];
const BOLD = ["Noto Sans Bold"];

// A width in pixels by zoom, from pairs of zoom and width.
const byZoom = (...stops) => ["interpolate", ["linear"], ["zoom"], ...stops];

// `basemap`: the base map file. Within its bounds, its names replace the built-in names of towns.
export function world(colors, basemap) {
  const tiles = (name, maxzoom) => ({ type: "vector", tiles: [`${location.origin}/basemap/${name}/{z}/{x}/{y}.mvt`], minzoom: 0, maxzoom });
  return {
    sources: { world: tiles("world", 6), names: tiles("names", 7) },
    layers: shapes(colors),
    labels: names(colors, basemap),
    credits: [LAND, NAMES],
  };
}

function shapes(colors) {
  const layer = (id, type, source, paint, rest = {}) => ({ id, type, source: "world", "source-layer": source, paint, ...rest });
  return [
    layer("land", "fill", "land", { "fill-color": colors.land, "fill-antialias": true }),
    layer("coast", "line", "land", { "line-color": colors.coast, "line-width": byZoom(0, 0.4, 6, 0.9, 12, 1.2) }),
    layer("lake", "fill", "lake", { "fill-color": colors.water, "fill-outline-color": colors.coast }),
    layer("state-border", "line", "state_border",
      {
        // The borders are too coarse for zooms that show streets.
        "line-color": colors.state, "line-width": byZoom(3, 0.5, 8, 1.1), "line-opacity": byZoom(3, 0.7, 5, 1, 10, 1, 13, 0),
        "line-dasharray": [3, 2],
      }, { minzoom: 3 }),
    layer("border", "line", "border", { "line-color": colors.border, "line-width": byZoom(0, 0.5, 4, 0.9, 8, 1.6), "line-opacity": byZoom(10, 1, 14, 0.5) },
      { layout: { "line-join": "round" } }),
  ];
}

// The names of countries in the language of the page; the names in the tiles are English.
function countryField() {
  const codes = LETTERS.flatMap((first) => LETTERS.map((second) => first + second));
  const names = codes.flatMap((code) => {
    const name = countryName(code, null);
    return name ? [code, name] : [];
  });
  return ["match", ["get", "c"], ...names, ["get", "name"]];
}
const LETTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];

function names(colors, basemap) {
  const paint = (color) => ({ "text-color": color, "text-halo-color": colors.halo, "text-halo-width": 1.4, "text-halo-blur": 0.4 });
  const layer = (id, source, layout, color, rest = {}) => ({
    id, type: "symbol", source: "names", "source-layer": source, paint: paint(color),
    layout: { "text-field": ["get", "name"], "text-font": REGULAR, ...layout }, ...rest,
  });
  const population = ["coalesce", ["to-number", ["get", "pop"]], 0];
  // Larger towns have priority where there is no room for all.
  const town = {
    "text-size": ["interpolate", ["linear"], ["zoom"],
      3, ["step", population, 9, 2e6, 11, 8e6, 13],
      7, ["step", population, 10.5, 2e4, 11.5, 1e5, 13, 1e6, 16],
      12, ["step", population, 13, 2e4, 15, 1e5, 18, 1e6, 21]],
    "symbol-sort-key": ["-", 0, population], "text-padding": 5, "text-max-width": 8,
  };
  // Countries and states have a rank: 1 for the largest, plus 1 for each halving of the width.
  const rank = ["coalesce", ["to-number", ["get", "rank"]], 9];
  const ranked = { "symbol-sort-key": rank, "text-max-width": 7, "text-padding": 4 };
  const isOutside = basemap?.bounds ? ["!", ["within", rectangle(basemap.bounds)]] : null;
  // Names of later layers have priority where there is no room for all.
  return [
    layer("state", "state", { ...ranked, "text-size": byZoom(5, 9, 8, 12.5), "text-transform": "uppercase", "text-letter-spacing": 0.1 },
      colors.quiet, { minzoom: 5, maxzoom: 8.5, filter: ["<=", rank, ["+", ["zoom"], 1]] }),
    layer("town", "town", town, colors.label, { minzoom: 3, ...(isOutside ? { maxzoom: TAKEOVER } : {}) }),
    ...(isOutside ? [layer("town-outside", "town", town, colors.label, { minzoom: TAKEOVER, filter: isOutside })] : []),
    layer("country", "country", {
      ...ranked, "text-field": countryField(), "text-font": BOLD, "text-letter-spacing": 0.03,
      "text-size": ["interpolate", ["linear"], ["zoom"], 1, ["step", rank, 11, 3, 9], 4, ["step", rank, 16, 3, 14, 5, 12, 7, 10], 7, ["step", rank, 20, 5, 18, 7, 14]],
    }, colors.label, { minzoom: 0.5, maxzoom: 7.5, filter: ["<=", rank, ["+", ["zoom"], 3]] }),
  ];
}

// Returns the polygon of a box: west, south, east, north.
export const rectangle = ([west, south, east, north]) =>
  ({ type: "Polygon", coordinates: [[[west, south], [east, south], [east, north], [west, north], [west, south]]] });
