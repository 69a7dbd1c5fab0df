// All regions on the map: areas, circles and beacons; dots for regions that are too small to see; names where there is room.

import { labelImage } from "/map-labels.js";
import { circleRing, geographic, multiPolygonFeature, pointFeature } from "/map-shapes.js";
import { title } from "/region-copy.js";

const ID = "regions";
const CHOSEN = "chosen-region";
const TILE = 512;
const DOT = 3; // pixels: a region of a smaller radius is a dot
const ROOM = 26; // pixels of a radius that has room for a name

// The zoom at which a size (as a fraction of the world's width) has the given number of pixels.
const zoomFor = (pixels, size) => (size > 0 ? Math.log2(pixels / (TILE * size)) : 99);

// The features of a region: its shape, and a point for its dot and name.
function features(region, number) {
  const { drawn } = region;
  if (drawn.x == null) return [];
  const about = {
    number, kind: drawn.kind, size: drawn.size, label: title(region).slice(0, 40),
    dotUntil: zoomFor(DOT, drawn.size), labelFrom: drawn.kind === "beacon" ? 13 : zoomFor(ROOM, drawn.size),
  };
  const middle = pointFeature(geographic(drawn), { ...about, isPoint: true });
  if (drawn.kind === "beacon") return [middle];
  const polygons = region.polygons
    ? outlines(region.polygons)
    : [[circleRing({ lat: region.center.latitude, lon: region.center.longitude }, region.radius)]];
  return [multiPolygonFeature(polygons, about), middle];
}

// Returns closed rings that take the shorter way across the antimeridian.
export function outlines(polygons) {
  let before = null;
  return polygons.map((rings) => rings.map((ring) => {
    const corners = ring.map(([lon, lat]) => {
      if (before !== null) lon += 360 * Math.round((before - lon) / 360);
      before = lon;
      return [lon, lat];
    });
    const [first, last] = [corners[0], corners.at(-1)];
    return first[0] === last[0] && first[1] === last[1] ? corners : [...corners, first];
  }));
}

const isPoint = ["has", "isPoint"];
const isBeacon = ["==", ["get", "kind"], "beacon"];
const isShape = ["!", isPoint];

// The layers of regions. `strength`: the factor of their opacity. `condition`: an expression that selects the shown regions.
function layers({ fill, strength, width, condition, colorOf, labelsAlways = false }) {
  const when = (...conditions) => ["all", condition, ...conditions];
  const label = {
    type: "symbol", layout: {
      "icon-image": labelImage("name", ["get", "label"]), "symbol-sort-key": ["-", 0, ["get", "size"]], "icon-padding": 4,
      "icon-offset": ["case", isBeacon, ["literal", [0, 20]], ["literal", [0, 0]]],
      ...(labelsAlways ? { "icon-allow-overlap": true } : {}),
    },
  };
  return [
    { id: "fill", type: "fill", filter: when(isShape), paint: { "fill-color": colorOf, "fill-opacity": fill * strength } },
    { id: "edge", type: "line", filter: when(isShape), paint: { "line-color": colorOf, "line-opacity": 0.95 * strength, "line-width": width } },
    { id: "dot", type: "circle", filter: when(isPoint, ["!", isBeacon], ["<", ["zoom"], ["get", "dotUntil"]]),
      paint: { "circle-color": colorOf, "circle-radius": 2.5, "circle-opacity": 0.9 * strength } },
    { id: "beacon", type: "circle", filter: when(isBeacon),
      paint: { "circle-color": colorOf, "circle-radius": 5, "circle-opacity": 0.9 * strength } },
    { id: "ring", type: "circle", filter: when(isBeacon), paint: {
      "circle-radius": 9, "circle-opacity": 0, "circle-stroke-width": 1.5, "circle-stroke-color": colorOf, "circle-stroke-opacity": 0.5 * strength,
    } },
    { ...label, id: "label", isOnTop: true, filter: when(isPoint, ...(labelsAlways ? [] : [[">=", ["zoom"], ["get", "labelFrom"]]])),
      paint: { "icon-opacity": strength < 1 ? 0.5 : 0.95 } },
  ];
}

export class RegionLayers {
  #view;
  #regions;
  #numbered = [];
  #revision = "";
  /** @type {(region: any) => boolean} */
  #isShown = () => true;

  chosen = null; // the id of the one that is chosen
  hidden = null; // the id of the one that is edited
  isQuiet = false; // the others are drawn less strongly

  // `regions`: a Map by id, as in RegionCopy.
  constructor(view, regions) {
    this.#view = view;
    this.#regions = regions;
    const colors = (color) => ["match", ["get", "kind"], "area", color("--area"), "beacon", color("--beacon"), color("--circle")];
    view.overlay(ID, (color) => layers({
      fill: 0.13, width: 1.6, strength: this.isQuiet ? 0.4 : 1, condition: this.#condition(), colorOf: colors(color),
    }));
    view.overlay(CHOSEN, (color) => layers({ fill: 0.26, width: 3, strength: 1, condition: true, colorOf: color("--chosen"), labelsAlways: true }));
  }

  // Sets a function that returns whether the list shows a region.
  set shows(isShown) { this.#isShown = isShown; }

  // Draws the changes since the last call.
  draw() {
    const regions = [...this.#regions.values()];
    const revision = regions.map(({ id, revision }) => `${id} ${revision}`).join("\n");
    if (revision !== this.#revision) {
      [this.#revision, this.#numbered] = [revision, regions];
      this.#view.show(ID, regions.flatMap(features));
    }
    const chosen = this.#numbered.findIndex(({ id }) => id === this.chosen && id !== this.hidden);
    this.#view.show(CHOSEN, chosen >= 0 ? features(this.#numbered[chosen], chosen) : []);
    this.#view.restyle(ID);
  }

  // An expression that selects the shown regions by their numbers.
  #condition() {
    const isApart = ({ id }) => id === this.chosen || id === this.hidden;
    const shown = this.#numbered.flatMap((region, number) => (this.#isShown(region) && !isApart(region) ? [number] : []));
    if (shown.length === this.#numbered.length) return true;
    return shown.length ? ["match", ["get", "number"], shown, true, false] : false;
  }

  // Returns the region under a pixel. If there are several, returns the smallest, because it may be inside a larger one.
  under(point) {
    const names = ["fill", "dot", "beacon", "ring"];
    const found = [...this.#view.under(point, ID, names, 6), ...this.#view.under(point, CHOSEN, names, 6)];
    if (!found.length) return null;
    return this.#numbered[found.reduce((a, b) => (b.size < a.size ? b : a)).number] ?? null;
  }
}
