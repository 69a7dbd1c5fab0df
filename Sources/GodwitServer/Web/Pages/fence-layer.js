// All regions in view on one canvas: ten thousand circles take some milliseconds, where a layer for each would take seconds.

import { title } from "/region-copy.js";

const TILE = 256;
const MARGIN = 0.35; // of the map's size, drawn beyond its edges, so that a drag does not show the end at once

export const FenceLayer = L.Layer.extend({
  initialize(regions, color) {
    this.regions = regions;
    this.color = color;
    this.shows = () => true;
    this.chosen = null;
    this.hidden = null; // the one that is being edited
    this.isQuiet = false; // the others stand back behind it
  },

  onAdd(map) {
    this.canvas = L.DomUtil.create("canvas", "leaflet-zoom-hide", map.getPane("overlayPane"));
    this.canvas.style.pointerEvents = "none";
    map.on("moveend zoomend resize viewreset", this.draw, this);
    this.draw();
  },

  onRemove(map) {
    this.canvas.remove();
    map.off("moveend zoomend resize viewreset", this.draw, this);
  },

  // Calls body(region, x, y, pixels of its size) for each region in a rectangle of the layer's coordinates.
  each(body, bounds) {
    const map = this._map;
    const scale = TILE * 2 ** map.getZoom();
    const origin = map.getPixelOrigin();
    const [west, east] = [(bounds.min.x + origin.x) / scale, (bounds.max.x + origin.x) / scale];
    const [north, south] = [(bounds.min.y + origin.y) / scale, (bounds.max.y + origin.y) / scale];
    for (const region of this.regions.values()) {
      const { drawn } = region;
      if (drawn.x == null || region.id === this.hidden || !this.shows(region)) continue;
      if (drawn.south < north || drawn.north > south) continue;
      // Every copy of the world that is in view.
      for (let shift = Math.floor(west - drawn.east) + 1; drawn.west + shift <= east; shift++) {
        const place = (point) => [(point.x + shift) * scale - origin.x, point.y * scale - origin.y];
        body(region, ...place(drawn), drawn.size * scale, place);
        if (shift > 4) break;
      }
    }
  },

  view(pad) {
    const size = this._map.getSize();
    const corner = this._map.containerPointToLayerPoint([-size.x * pad, -size.y * pad]).round();
    return L.bounds(corner, corner.add(size.multiplyBy(1 + 2 * pad)).round());
  },

  draw() {
    const map = this._map;
    if (!map) return;
    const bounds = this.view(MARGIN);
    const size = bounds.getSize();
    const ratio = window.devicePixelRatio || 1;
    L.DomUtil.setPosition(this.canvas, bounds.min);
    Object.assign(this.canvas, { width: size.x * ratio, height: size.y * ratio });
    Object.assign(this.canvas.style, { width: `${size.x}px`, height: `${size.y}px` });
    const context = this.canvas.getContext("2d");
    context.scale(ratio, ratio);
    context.translate(-bounds.min.x, -bounds.min.y);
    const colors = { circle: this.color("--circle"), area: this.color("--area"), beacon: this.color("--beacon") };
    const chosenColor = this.color("--chosen");
    const strength = this.isQuiet ? 0.4 : 1;
    const labels = [];
    let chosen = null;
    const paint = (region, x, y, pixels, place, isChosen) => {
      const color = isChosen ? chosenColor : colors[region.drawn.kind];
      context.beginPath();
      if (region.drawn.kind === "beacon" || pixels < 3) {
        context.arc(x, y, region.drawn.kind === "beacon" ? 5 : 2.5, 0, 2 * Math.PI);
        context.fillStyle = color;
        context.globalAlpha = 0.9 * strength;
        context.fill();
        if (region.drawn.kind === "beacon") {
          context.beginPath();
          context.arc(x, y, 9, 0, 2 * Math.PI);
          context.strokeStyle = color;
          context.globalAlpha = 0.5 * strength;
          context.lineWidth = 1.5;
          context.stroke();
        }
      } else {
        if (region.drawn.kind === "area") {
          for (const ring of region.drawn.rings) {
            ring.forEach((point, index) => (index ? context.lineTo(...place(point)) : context.moveTo(...place(point))));
            context.closePath();
          }
        } else {
          context.arc(x, y, pixels, 0, 2 * Math.PI);
        }
        context.fillStyle = color;
        context.globalAlpha = (isChosen ? 0.26 : 0.13) * strength;
        context.fill("evenodd");
        context.globalAlpha = 0.95 * strength;
        context.strokeStyle = color;
        context.lineWidth = isChosen ? 3 : 1.6;
        context.stroke();
      }
      if (pixels > 26 || isChosen || (region.drawn.kind === "beacon" && map.getZoom() > 13)) labels.push([region, x, y, pixels, isChosen]);
    };
    this.each((region, x, y, pixels, place) => {
      if (region.id === this.chosen) chosen = [region, x, y, pixels, place];
      else paint(region, x, y, pixels, place, false);
    }, bounds);
    if (chosen) paint(...chosen, true);
    this.write(context, labels);
  },

  // Names, where there is room for them: the larger region's first.
  write(context, labels) {
    if (labels.length > 1500) return;
    context.font = "600 12px system-ui, 'DejaVu Sans', sans-serif";
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.lineJoin = "round";
    const taken = [];
    labels.sort((a, b) => b[4] - a[4] || b[3] - a[3]);
    for (const [region, x, y, pixels, isChosen] of labels) {
      const text = title(region).slice(0, 40);
      const half = context.measureText(text).width / 2 + 3;
      const isBeacon = region.drawn.kind === "beacon";
      if (!isChosen && !isBeacon && half > pixels * 1.6) continue;
      const line = isBeacon || pixels < 20 ? y + Math.max(pixels, 9) + 12 : y;
      const box = [x - half, line - 9, x + half, line + 9];
      if (taken.some((other) => box[0] < other[2] && box[2] > other[0] && box[1] < other[3] && box[3] > other[1])) continue;
      taken.push(box);
      context.globalAlpha = this.isQuiet ? 0.5 : 0.9;
      context.strokeStyle = this.color("--paper");
      context.lineWidth = 4;
      context.strokeText(text, x, line);
      context.fillStyle = this.color("--ink");
      context.fillText(text, x, line);
    }
  },

  // The region under a point of the layer: the smallest one, because it may lie in a larger one.
  under(point) {
    let best = null;
    const context = this.canvas.getContext("2d");
    context.save();
    context.setTransform(1, 0, 0, 1, 0, 0);
    this.each((region, x, y, pixels, place) => {
      const distance = Math.hypot(point.x - x, point.y - y);
      const reach = region.drawn.kind === "beacon" ? 10 : 6;
      let isHit = distance <= Math.max(pixels, reach);
      if (isHit && region.drawn.kind === "area" && pixels > reach) {
        context.beginPath();
        for (const ring of region.drawn.rings) {
          ring.forEach((corner, index) => (index ? context.lineTo(...place(corner)) : context.moveTo(...place(corner))));
          context.closePath();
        }
        isHit = context.isPointInPath(point.x, point.y, "evenodd");
      }
      if (isHit && (!best || pixels < best.pixels)) best = { region, pixels };
    }, L.bounds(point.subtract([12, 12]), point.add([12, 12])));
    context.restore();
    return best && best.region;
  },
});
