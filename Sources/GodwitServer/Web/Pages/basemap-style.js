// The style of the base map. The bottom layers are either the raster tiles that the server's settings name, or the built-in world with the
// base map file above it.

import { palette } from "/basemap-palette.js";
import { streets } from "/basemap-streets.js";
import { world } from "/basemap-world.js";

// Returns the style for MapLibre, the id of its first layer of names, and the credits.
// `tiles`: { url, attribution, max_zoom }; `basemap`: { url, format, schema, min_zoom, max_zoom, bounds, attribution }. A URL may be a path of
// this server.
export function style({ tiles, basemap }, isDark) {
  const colors = palette(isDark);
  const own = basemap ? [basemap.format === "mvt" ? streets(colors, basemap) : raster(basemap, isDark)] : [];
  const parts = tiles ? [raster(tiles, isDark)] : [world(colors, basemap), ...own];
  const layers = parts.flatMap((part) => part.layers);
  const labels = parts.flatMap((part) => part.labels ?? []);
  return {
    style: {
      version: 8,
      glyphs: `${location.origin}/fonts/{fontstack}/{range}.pbf`,
      sources: Object.assign({}, ...parts.map((part) => part.sources)),
      layers: [{ id: "background", type: "background", paint: { "background-color": tiles ? colors.land : colors.water } }, ...layers, ...labels],
    },
    firstLabel: labels[0]?.id,
    credits: parts.flatMap((part) => part.credits),
  };
}

// Raster tiles. In the dark theme, lightness is inverted and hues are kept.
function raster({ url, attribution, min_zoom = 0, max_zoom, bounds }, isDark) {
  const hosts = url.includes("{s}") ? ["a", "b", "c"] : [""];
  const paint = isDark
    ? { "raster-brightness-min": 0.88, "raster-brightness-max": 0.07, "raster-hue-rotate": 180, "raster-saturation": -0.35, "raster-contrast": -0.05 }
    : { "raster-brightness-min": 0, "raster-brightness-max": 1, "raster-hue-rotate": 0, "raster-saturation": 0, "raster-contrast": 0 };
  return {
    sources: {
      raster: {
        type: "raster", tileSize: 256, minzoom: min_zoom, maxzoom: max_zoom, ...(bounds ? { bounds } : {}),
        tiles: hosts.map((host) => url.replace("{s}", host).replace(/^\//, `${location.origin}/`)),
      },
    },
    layers: [{ id: "raster", type: "raster", source: "raster", paint: { ...paint, "raster-fade-duration": 120 } }],
    credits: [attribution],
  };
}
