// All days of a device at once, under the day that is chosen: as much of them as the map shows.

import * as api from "/api.js";

export class History {
  // `color` gives the color of a name.
  constructor(map, color) {
    this.map = map;
    this.color = color;
    this.device = null;
    this.layer = L.layerGroup().addTo(map);
    this.asked = null;
    map.on("moveend", () => this.load());
  }

  // Shows a device's days; null: none. Tells where they lie.
  async show(device) {
    if (device === this.device) return null;
    this.device = device;
    this.layer.clearLayers();
    document.body.dataset.history = 0;
    if (!device) return null;
    const world = await api.overview(device, [-180, -85, 180, 85], 3);
    if (device !== this.device) return null;
    const bounds = L.latLngBounds(lines(world).flat());
    await this.load();
    return bounds.isValid() ? bounds : null;
  }

  async load() {
    if (!this.device) return;
    const bounds = this.map.getBounds().pad(0.1);
    const limit = (value, most) => Math.max(-most, Math.min(most, value));
    const isWhole = bounds.getEast() - bounds.getWest() >= 360;
    const box = [
      isWhole ? -180 : bounds.getWest(), limit(bounds.getSouth(), 90), isWhole ? 180 : bounds.getEast(), limit(bounds.getNorth(), 90),
    ];
    // A map that was pulled round the world shows longitudes beyond 180.
    const around = Math.round((box[0] + box[2]) / 2 / 360) * 360;
    const west = wrapped(box[0] - around);
    const east = wrapped(box[2] - around);
    this.asked?.abort();
    this.asked = new AbortController();
    const { device, asked } = this;
    try {
      const answer = await api.overview(device, [west, box[1], east, box[3]], this.map.getZoom(), asked.signal);
      if (device !== this.device || asked.signal.aborted) return;
      this.draw(lines(answer, around));
    } catch (error) {
      if (error.name !== "AbortError") throw error;
    }
  }

  draw(lines) {
    this.layer.clearLayers();
    const style = { color: this.color("--track"), weight: 2, opacity: 0.55, interactive: false, smoothFactor: 0 };
    L.polyline(lines, style).addTo(this.layer);
    document.body.dataset.history = lines.length;
  }
}

function wrapped(longitude) {
  return longitude < -180 ? longitude + 360 : longitude > 180 ? longitude - 360 : longitude;
}

function lines(collection, around = 0) {
  return collection.features.flatMap((feature) =>
    feature.geometry.coordinates.map((line) => line.map(([lon, lat]) => [lat, lon + around])),
  );
}
