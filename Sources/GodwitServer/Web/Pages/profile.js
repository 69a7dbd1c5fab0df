// A small chart of the altitude along the track, or of the speed if there is no altitude.

import * as format from "/format.js";
import { t } from "/texts.js";

export class Profile {
  constructor(canvas, onPoint) {
    this.canvas = canvas;
    this.onPoint = onPoint;
    this.marked = null;
    const at = (event) => {
      if (!this.distances || !this.distances.length) return;
      const box = canvas.getBoundingClientRect();
      const wanted = ((event.clientX - box.left) / box.width) * this.distances[this.distances.length - 1];
      let low = 0;
      let high = this.distances.length - 1;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (this.distances[middle] < wanted) low = middle + 1;
        else high = middle;
      }
      onPoint(low);
    };
    canvas.addEventListener("pointermove", at);
    canvas.addEventListener("pointerdown", at);
    canvas.addEventListener("pointerleave", () => onPoint(null));
  }

  // `distances`: metres to each point; `total`: the distance shown at the right end.
  /**
   * @param {any} track
   * @param {{ distances?: number[], total?: number }} options
   */
  show(track, { distances = track.distances(), total = distances.at(-1) } = {}) {
    this.distances = distances;
    this.total = total;
    const altitudes = track.points.map((point) => point.altitude);
    this.isAltitude = altitudes.some((value) => value != null);
    this.values = this.isAltitude ? altitudes : track.points.map((_, index) => track.speedAt(index));
    this.canvas.setAttribute("aria-label", this.isAltitude ? t("Altitude along the track") : t("Speed along the track"));
    this.draw();
  }

  mark(index) {
    if (index === this.marked) return;
    this.marked = index;
    this.draw();
  }

  draw() {
    const { canvas, values, distances } = this;
    const ratio = window.devicePixelRatio || 1;
    const width = canvas.clientWidth || 296;
    const height = canvas.clientHeight || 72;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    context.clearRect(0, 0, width, height);
    const known = (values || []).filter((value) => value != null);
    if (known.length < 2) return;
    const low = known.reduce((a, b) => Math.min(a, b));
    const high = known.reduce((a, b) => Math.max(a, b));
    const along = distances[distances.length - 1] || 1;
    const style = getComputedStyle(document.documentElement);
    const x = (index) => (distances[index] / along) * (width - 2) + 1;
    const y = (value) => height - 14 - ((value - low) / Math.max(high - low, 1e-9)) * (height - 30);
    context.beginPath();
    let first = null;
    let lastX = 0;
    values.forEach((value, index) => {
      if (value == null) return;
      lastX = x(index);
      if (first == null) {
        first = lastX;
        context.moveTo(lastX, y(value));
      } else context.lineTo(lastX, y(value));
    });
    context.strokeStyle = style.getPropertyValue("--track");
    context.lineWidth = 1.6;
    context.lineJoin = "round";
    context.stroke();
    context.lineTo(lastX, height - 12);
    context.lineTo(first, height - 12);
    context.closePath();
    context.globalAlpha = 0.14;
    context.fillStyle = style.getPropertyValue("--track");
    context.fill();
    context.globalAlpha = 1;
    context.fillStyle = style.getPropertyValue("--quiet");
    context.font = "11px system-ui, sans-serif";
    const shown = (value) => (this.isAltitude ? format.meters(value) : `${format.speed(value)} ${format.speedUnit}`);
    context.fillText(shown(high), 2, 10);
    context.fillText(shown(low), 2, height - 1);
    context.textAlign = "right";
    context.fillText(format.distance(this.total), width - 2, height - 1);
    if (this.marked != null && values[this.marked] != null) {
      context.beginPath();
      context.arc(x(this.marked), y(values[this.marked]), 4, 0, 2 * Math.PI);
      context.fillStyle = style.getPropertyValue("--accent");
      context.fill();
    }
  }
}
