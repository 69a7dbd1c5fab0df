// The picture of a year: an SVG without external resources, so that the saved picture is the same as the shown one.

import * as format from "/format.js";
import { MODES } from "/format.js";
import { MONTHS, drawing, groundOf } from "/statistics-charts.js";
import { placeName } from "/statistics-records.js";
import { plural, t } from "/texts.js";

export const SIZE = { width: 1080, height: 1350 };
const EARTH = 40_075_017; // metres round the equator
const FLIGHT = 120_000; // metres between two vertices: nothing else is that far
const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";

// The colours do not follow the page's theme, so that the picture does not depend on it.
export const THEMES = {
  night: { name: t("Night"), top: "#0d2b33", low: "#081317", ink: "#f2f7f6", quiet: "#8fb0b0", line: "#ffffff26", track: "#4fd6cb", flight: "#ffb86b" },
  paper: { name: t("Paper"), top: "#fbf7ee", low: "#efe7d6", ink: "#1d2a2e", quiet: "#6d797b", line: "#1d2a2e22", track: "#0b6e6e", flight: "#c8563c" },
  sea: { name: t("Sea"), top: "#0b6e6e", low: "#063f4a", ink: "#ffffff", quiet: "#a9dcd8", line: "#ffffff33", track: "#ffe29a", flight: "#ffffff" },
};
// The colours of modes as on the other pages, in tones for a dark and a light ground.
export const MODE_COLORS = { walk: "#58b368", run: "#a3bf45", cycle: "#e5a33a", car: "#4d8fd6", train: "#9a6bd0", plane: "#d65f8e", boat: "#3bb2c4", unknown: "#93a3a6" };

function text(words, x, y, size, fill, { weight = 400, anchor = "start", spacing = 0, opacity = 1 } = {}) {
  return drawing("text", { x, y, "font-size": size, "font-weight": weight, fill, "text-anchor": anchor, "letter-spacing": spacing, "fill-opacity": opacity }, words);
}

// MARK: The map

const RADIANS = Math.PI / 180;
const mercator = ([lon, lat]) => {
  const sine = Math.min(0.9999, Math.max(-0.9999, Math.sin(lat * RADIANS)));
  return [lon / 360 + 0.5, 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)];
};
const metres = ([lon, lat], [lon2, lat2]) => {
  const [dy, dx] = [(lat2 - lat) * RADIANS, (lon2 - lon) * RADIANS * Math.cos(((lat + lat2) / 2) * RADIANS)];
  return 6_371_009 * Math.hypot(dx, dy);
};

// Splits lines into parts on the ground, and flights of two points.
export function parts(lines) {
  const [ground, flights] = [[], []];
  for (const line of lines) {
    let part = [line[0]];
    for (let index = 1; index < line.length; index++) {
      if (metres(line[index - 1], line[index]) > FLIGHT) {
        flights.push([line[index - 1], line[index]]);
        ground.push(part);
        part = [];
      }
      part.push(line[index]);
    }
    ground.push(part);
  }
  return { ground: ground.filter((part) => part.length > 1), flights };
}

// Draws the lines into a box of the picture.
function map(lines, box, theme) {
  const { ground, flights } = parts(lines);
  const all = [...ground, ...flights].flat().map(mercator);
  const group = drawing("g", { fill: "none", "stroke-linecap": "round", "stroke-linejoin": "round" });
  if (!all.length) return group;
  let [west, east, north, south] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const [x, y] of all) [west, east, north, south] = [Math.min(west, x), Math.max(east, x), Math.min(north, y), Math.max(south, y)];
  // The map shows at least 20 km, so that a year near home is not enlarged to street level.
  const least = 20_000 / EARTH / Math.cos(Math.atan(Math.sinh(Math.PI * (1 - north - south))));
  const scale = Math.min(box.width / Math.max(east - west, least), box.height / Math.max(south - north, least));
  const place = (point) => {
    const [x, y] = mercator(point);
    return [box.x + box.width / 2 + (x - (west + east) / 2) * scale, box.y + box.height / 2 + (y - (north + south) / 2) * scale];
  };
  const path = (line) => {
    let [former, words] = [null, ""];
    for (const point of line) {
      const [x, y] = place(point).map((value) => Math.round(value * 2) / 2);
      if (former && former[0] === x && former[1] === y) continue;
      words += `${former ? "L" : "M"}${x} ${y}`;
      former = [x, y];
    }
    // A line whose points all have the same pixel is drawn as a dot.
    return words.includes("L") ? words : `${words}h.01`;
  };
  const arcs = flights.map(([from, to]) => {
    const [[x, y], [x2, y2]] = [place(from), place(to)];
    return `M${x.toFixed(1)} ${y.toFixed(1)}Q${((x + x2) / 2).toFixed(1)} ${(Math.min(y, y2) - Math.hypot(x2 - x, y2 - y) * 0.18).toFixed(1)} ${x2.toFixed(1)} ${y2.toFixed(1)}`;
  }).join("");
  const roads = ground.map(path).join("");
  group.append(
    drawing("path", { d: arcs, stroke: theme.flight, "stroke-width": 2.5, "stroke-opacity": 0.75, "stroke-dasharray": "2 9" }),
    drawing("path", { d: roads, stroke: theme.track, "stroke-width": 14, "stroke-opacity": 0.12 }),
    drawing("path", { d: roads, stroke: theme.track, "stroke-width": 3.5, "stroke-opacity": 0.95 }));
  return group;
}

// MARK: The picture

// The names of the long units of length.
const UNITS = { km: t("kilometres"), mi: t("miles"), nmi: t("nautical miles") };

// The large figures: each a number and its label.
function figures(sums, options) {
  const { total, days } = sums;
  const [way, unit] = format.distance(total.distance).split("\u00a0");
  const list = [[way, UNITS[unit] ?? unit]];
  if (options.countries?.length) list.push([`${options.countries.length}`, plural(options.countries.length, "country", "countries")]);
  list.push([format.number(days.length), plural(days.length, "day", "days")], [format.number(total.moving / 3600), t("hours on the move")]);
  return list.slice(0, 3);
}

function highlights(sums, records, options) {
  const list = [];
  const round = sums.total.distance / EARTH;
  if (round >= 0.1) list.push([`${format.number(round, 1)} ×`, t("around the Earth")]);
  if (records.furthest?.distance > 20_000) {
    const name = options.names ? ` · ${placeName(records.furthest.visit)}` : "";
    list.push([format.distance(records.furthest.distance), `${t("furthest from home")}${name}`]);
  }
  if (records.longest_day) list.push([format.distance(records.longest_day.distance), t("longest day on the ground")]);
  if (records.active_streak?.days > 2) list.push([plural(records.active_streak.days, "{n} day", "{n} days"), t("active in a row")]);
  return list.slice(0, 4);
}

// `options`: title, theme, and whether the map and names are shown.
export function card({ year, sums, records, lines }, options) {
  const { width, height } = SIZE;
  const theme = THEMES[options.theme] ?? THEMES.night;
  const margin = 72;
  const svg = drawing("svg", {
    xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${width} ${height}`, width, height, "font-family": FONT, role: "img",
    "aria-label": `${options.title || year}: ${figures(sums, options).map((part) => part.join(" ")).join(", ")}`,
  });
  const gradient = drawing("linearGradient", { id: "ground", x1: 0, y1: 0, x2: 0.3, y2: 1 },
    drawing("stop", { offset: 0, "stop-color": theme.top }), drawing("stop", { offset: 1, "stop-color": theme.low }));
  svg.append(drawing("defs", {}, gradient), drawing("rect", { width, height, fill: "url(#ground)" }));

  svg.append(text(`${year}`, margin - 8, 210, 190, theme.ink, { weight: 800, spacing: -6 }));
  svg.append(text(options.title || t("Year in review"), margin, 268, 40, theme.quiet, { weight: 500 }));

  const mapBox = { x: margin, y: 316, width: width - 2 * margin, height: 430 };
  if (options.map && lines.length) svg.append(map(lines, mapBox, theme));

  let y = options.map && lines.length ? 866 : 440;
  svg.append(figureRow(figures(sums, options), margin, y, width - 2 * margin, theme));
  y += 92;
  svg.append(modeBar(sums.total.modes, margin, y, width - 2 * margin, theme));
  y += 168;
  if (!(options.map && lines.length)) {
    svg.append(monthBars(sums.months, margin, y, width - 2 * margin, 170, theme));
    y += 270;
  }
  highlights(sums, records, options).forEach(([value, label], index) => {
    const [x, row] = [margin + (index % 2) * ((width - 2 * margin) / 2), y + Math.floor(index / 2) * 88];
    svg.append(text(value, x, row, 40, theme.track, { weight: 700 }), text(shortened(label, 31), x, row + 34, 25, theme.quiet));
  });
  svg.append(drawing("circle", { cx: width - margin - 150, cy: height - 58, r: 11, fill: theme.track }),
    drawing("circle", { cx: width - margin - 150, cy: height - 58, r: 4.5, fill: theme.low }),
    text("Godwit", width - margin, height - 47, 32, theme.ink, { weight: 650, anchor: "end" }));
  return svg;
}

// A row of figures in the largest font size that fits. A digit of the bold font is 0.66 of its size wide, a letter of a label 0.54.
function figureRow(columns, x, y, width, theme) {
  const [gap, label] = [44, 28];
  const widths = (size) => columns.map(([value, words]) => Math.max(value.length * 0.66 * size, words.length * 0.54 * label));
  const whole = (size) => widths(size).reduce((sum, part) => sum + part, gap * (columns.length - 1));
  const size = [92, 84, 76, 68, 60, 52, 44].find((size) => whole(size) <= width) ?? 40;
  // The remaining width is distributed between the columns.
  const space = columns.length > 1 ? (width - whole(size)) / columns.length : 0;
  const group = drawing("g");
  let left = x;
  columns.forEach(([value, words], index) => {
    group.append(text(value, left, y, size, theme.ink, { weight: 700, spacing: -2 }), text(words, left, y + 42, label, theme.quiet));
    left += widths(size)[index] + gap + space;
  });
  return group;
}

const shortened = (words, length) => ([...words].length > length ? `${[...words].slice(0, length - 1).join("")}…` : words);

function modeBar(modes, x, y, width, theme) {
  const group = drawing("g");
  const list = Object.keys(MODES).map((mode) => [mode, modes[mode]?.distance ?? 0]).filter(([, distance]) => distance > 0).sort((a, b) => b[1] - a[1]);
  // The width of a mode is the square root of its distance, so that walks stay visible beside a flight.
  const whole = list.reduce((sum, [, distance]) => sum + Math.sqrt(distance), 0);
  const gap = 6;
  const room = width - gap * Math.max(0, list.length - 1);
  let left = x;
  for (const [mode, distance] of list) {
    const part = (room * Math.sqrt(distance)) / whole;
    group.append(drawing("rect", { x: left, y, width: Math.max(3, part), height: 20, rx: Math.min(10, part / 2), fill: MODE_COLORS[mode] }));
    left += part + gap;
  }
  list.slice(0, 4).forEach(([mode, distance], index) => {
    const column = x + (index * width) / 4;
    group.append(drawing("circle", { cx: column + 7, cy: y + 51, r: 7, fill: MODE_COLORS[mode] }),
      text(MODES[mode], column + 24, y + 60, 25, theme.quiet), text(format.distance(distance), column + 24, y + 92, 25, theme.ink, { weight: 600 }));
  });
  return group;
}

function monthBars(months, x, y, width, height, theme) {
  const group = drawing("g");
  const of = (index) => groundOf(months.find(({ month }) => Number(month.slice(5)) === index + 1)?.modes ?? {});
  const maximum = Math.max(1, ...MONTHS.map((_, index) => of(index)));
  const wide = width / 12;
  MONTHS.forEach((name, index) => {
    const high = Math.max(4, (height - 40) * (of(index) / maximum));
    group.append(drawing("rect", { x: x + index * wide + 8, y: y + height - 40 - high, width: wide - 16, height: high, rx: 8, fill: theme.track, "fill-opacity": of(index) ? 0.9 : 0.25 }),
      text(name, x + (index + 0.5) * wide, y + height, 22, theme.quiet, { anchor: "middle" }));
  });
  return group;
}

// The picture as PNG, with the pixels of SIZE.
export async function png(svg) {
  const source = new XMLSerializer().serializeToString(svg);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(source)}`;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), SIZE);
  canvas.getContext("2d").drawImage(image, 0, 0, SIZE.width, SIZE.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error(t("The browser could not make the picture.")))), "image/png"));
}
