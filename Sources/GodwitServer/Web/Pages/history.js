// All days of a device at once, under the day that is chosen: as much of them as the map shows.

import * as api from "/api.js";
import { Bounds } from "/map-shapes.js";
import { isAborted, overviewLines } from "/overview-lines.js";

const ID = "history";

export class History {
  #view;
  #device = null;
  #request = null;

  constructor(view) {
    this.#view = view;
    view.overlay(ID, (color) => [
      { id: "line", type: "line", paint: { "line-color": color("--track"), "line-width": 2, "line-opacity": 0.55 } },
    ]);
    view.on("moveend", () => this.#load());
  }

  // Shows a device's days; null: none. Returns where they lie, if they were not shown before.
  async show(device) {
    if (device === this.#device) return null;
    this.#device = device;
    this.#draw([]);
    if (!device) return null;
    const world = await api.overview(device, [-180, -85, 180, 85], 3);
    if (device !== this.#device) return null;
    const bounds = new Bounds();
    for (const [lon, lat] of world.features.flatMap(({ geometry }) => geometry.coordinates.flat())) bounds.extend(lon, lat);
    await this.#load();
    return bounds.isEmpty ? null : bounds;
  }

  async #load() {
    const { bounds, zoom } = this.#view;
    if (!this.#device || !bounds) return;
    this.#request?.abort();
    const request = (this.#request = new AbortController());
    const device = this.#device;
    try {
      const features = await overviewLines(device, bounds, zoom, request.signal);
      if (device === this.#device && !request.signal.aborted) this.#draw(features);
    } catch (error) {
      if (!isAborted(error)) throw error;
    }
  }

  #draw(features) {
    this.#view.show(ID, features);
    document.body.dataset.history = features.reduce((sum, { geometry }) => sum + geometry.coordinates.length, 0);
  }
}
