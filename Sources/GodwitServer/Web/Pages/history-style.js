// The style of the layers of the history: colours by device, mode, speed or time, and the legend.

import { MODES, date, number, speedFactor, speedUnit } from "/format.js";
import { t } from "/texts.js";

// The values that colour lines and points.
export const COLORINGS = { device: t("Device"), mode: t("Mode"), speed: t("Speed"), time: t("Time") };

// The layers, in their order in the panel; `isHeavy`: slow on a machine without a graphics card; `isMarkers`: not in the tiles of the
// server.
export const LAYERS = {
  lines: { title: t("Lines") }, points: { title: t("Points"), isHeavy: true }, heat: { title: t("Heat map"), isHeavy: true },
  hexagons: { title: t("Explored") }, stays: { title: t("Stays") }, photos: { title: t("Photos"), isMarkers: true },
};
export const TILE_LAYERS = Object.keys(LAYERS).filter((name) => !LAYERS[name].isMarkers);

const DEVICE_COLORS = 8;
// Upper limits of the classes of speed in km/h; the last class has none. They are defined by the API.
const SPEEDS = [7, 25, 50, 90, 130, 250];
const TIMES = ["--time-0", "--time-1", "--time-2", "--time-3"];
const DAY = 86400000;

// The colour of a device: its own, or a style sheet variable by the device's index.
export const deviceColor = (device, index) => device.color ?? `--device-${index % DEVICE_COLORS}`;
// Returns the colour for use in a style sheet.
export const cssColor = (value) => (value.startsWith("--") ? `var(${value})` : value);

const round = { "line-cap": "round", "line-join": "round" };

// The layers of MapLibre for a choice: `coloring`, `known` (all devices), `days` (the first and the last, in days since 1970).
// `color` returns the value of a style sheet variable.
export function layersOf(choice, color) {
  const paint = paintOf(choice, color);
  const layer = (id, type, properties, layout = {}) =>
    ({ id, type, "source-layer": id, layout: { ...layout, visibility: "none" }, paint: properties });
  return [
    layer("hexagons", "fill", {
      "fill-color": color("--explored"), "fill-opacity": ["interpolate", ["linear"], ["get", "days"], 1, 0.28, 8, 0.42, 64, 0.6],
      "fill-outline-color": color("--explored"),
    }),
    layer("heat", "heatmap", {
      "heatmap-weight": ["min", 1, ["/", ["+", 1, ["ln", ["get", "days"]]], 6]],
      "heatmap-radius": ["interpolate", ["linear"], ["zoom"], 0, 6, 16, 16],
      "heatmap-intensity": 0.9, "heatmap-opacity": 0.8,
      "heatmap-color": ["interpolate", ["linear"], ["heatmap-density"], 0, "rgba(0, 0, 0, 0)", 0.15, color("--heat-0"),
        0.4, color("--heat-1"), 0.7, color("--heat-2"), 1, color("--heat-3")],
    }),
    layer("lines", "line", {
      "line-color": paint, "line-opacity": 0.85, "line-width": ["interpolate", ["linear"], ["zoom"], 3, 1.2, 10, 1.8, 15, 3.2],
    }, round),
    layer("points", "circle", {
      "circle-color": paint, "circle-opacity": 0.9, "circle-radius": ["interpolate", ["linear"], ["zoom"], 3, 1.4, 15, 3],
    }),
    layer("stays", "circle", {
      // The area represents the duration: an hour is a dot, a month a disc.
      "circle-radius": ["interpolate", ["linear"], ["sqrt", ["get", "minutes"]], 0, 4, 60, 8, 500, 20],
      "circle-color": choice.coloring === "device" ? paint : color("--stay"), "circle-opacity": 0.55,
      "circle-stroke-width": 1.5, "circle-stroke-color": color("--casing"),
    }),
  ];
}

function paintOf({ coloring, known, days }, color) {
  const unknown = color("--unknown");
  switch (coloring) {
    case "mode":
      return ["match", ["coalesce", ["get", "mode"], ""], ...Object.keys(MODES).flatMap((mode) => [mode, color(`--${mode}`)]), unknown];
    case "speed":
      return ["match", ["coalesce", ["get", "speed"], -1], ...[...SPEEDS, null].flatMap((_, index) => [index, color(`--speed-${index}`)]), unknown];
    case "time": {
      const [first, last] = days;
      const step = Math.max(1, last - first) / (TIMES.length - 1);
      return ["interpolate", ["linear"], ["get", "day"], ...TIMES.flatMap((name, index) => [first + step * index, color(name)])];
    }
    default: {
      if (!known.length) return unknown;
      const value = (device, index) => {
        const own = deviceColor(device, index);
        return own.startsWith("--") ? color(own) : own;
      };
      return ["match", ["get", "device"], ...known.flatMap((device, index) => [device.name, value(device, index)]), unknown];
    }
  }
}

// The legend: entries with a variable and a text, or a ramp between two texts. The colours of devices are in the list of devices.
export function legendOf({ coloring, days, layers }) {
  if (!layers.has("lines") && !layers.has("points")) return { entries: [] };
  switch (coloring) {
    case "mode": return { entries: Object.entries(MODES).map(([mode, text]) => ({ variable: `--${mode}`, text })) };
    case "speed": return { entries: [...SPEEDS, null].map((limit, index) => ({ variable: `--speed-${index}`, text: speedText(limit, index) })) };
    case "time": return { ramp: true, entries: [], from: date(days[0] * DAY), to: date(days[1] * DAY) };
    default: return { entries: [] };
  }
}

function speedText(limit, index) {
  const text = (kilometres) => number(kilometres / 3.6 / speedFactor);
  if (limit === null) return t("over {speed}", { speed: `${text(SPEEDS[index - 1])} ${speedUnit}` });
  return index ? `${text(SPEEDS[index - 1])}–${text(limit)} ${speedUnit}` : t("under {speed}", { speed: `${text(limit)} ${speedUnit}` });
}
