// The page's copy of the regions. It is synced like that of a device: page by page after a cursor, with tombstones.

import * as api from "/api.js";
import { EARTH_CIRCUMFERENCE, mercator } from "/map-shapes.js";

// The geometry that the map needs of a region, computed once.
function drawn(region) {
  if (region.polygons) {
    let [west, east, north, south] = [Infinity, -Infinity, Infinity, -Infinity];
    let before = null;
    const rings = region.polygons.flatMap((rings) => rings.map((ring) => ring.map(([longitude, latitude]) => {
      // The shorter way across the antimeridian.
      if (before != null) longitude += 360 * Math.round((before - longitude) / 360);
      before = longitude;
      const point = mercator({ lat: latitude, lon: longitude });
      [west, east] = [Math.min(west, point.x), Math.max(east, point.x)];
      [north, south] = [Math.min(north, point.y), Math.max(south, point.y)];
      return point;
    })));
    return { kind: "area", rings, west, east, north, south, x: (west + east) / 2, y: (north + south) / 2, size: Math.max(east - west, south - north) / 2 };
  }
  if (!region.center) return { kind: "beacon" };
  const { x, y } = mercator({ lat: region.center.latitude, lon: region.center.longitude });
  if (region.beacon) return { kind: "beacon", x, y, size: 0, west: x, east: x, north: y, south: y };
  const size = region.radius / (EARTH_CIRCUMFERENCE * Math.max(0.01, Math.cos((region.center.latitude * Math.PI) / 180)));
  return { kind: "circle", x, y, size, west: x - size, east: x + size, north: y - size, south: y + size };
}

export class RegionCopy {
  regions = new Map();
  #after = "";
  #running = null;
  #again = false;

  // Fetches the changes. Only one sync runs at a time; a call during a sync causes another sync afterwards.
  async sync() {
    if (this.#running) {
      this.#again = true;
      return this.#running;
    }
    this.#running = (async () => {
      do {
        this.#again = false;
        await this.#pages();
      } while (this.#again);
    })().finally(() => (this.#running = null));
    return this.#running;
  }

  async #pages() {
    for (let hasNext = true; hasNext; ) {
      const query = new URLSearchParams({ first: "5000", ...(this.#after ? { after: this.#after } : {}) });
      const page = await request("GET", `/api/regions?${query}`);
      if (page.reset) this.regions.clear();
      for (const node of page.nodes) {
        if (node.deleted) this.regions.delete(node.id);
        else this.regions.set(node.id, Object.assign(node, { drawn: drawn(node) }));
      }
      this.#after = page.pageInfo.endCursor;
      hasNext = page.pageInfo.hasNextPage;
    }
  }
}

// Sends a request. An error has the status, the message and, as `at`, the member of the body that caused it.
/** @type {(method: string, path: string, more?: { body?: any, headers?: Object }) => Promise<any>} */
export const request = (method, path, { body, headers } = {}) =>
  api.request(path, { method, headers: { Accept: "application/json", ...headers }, body });

// A region as JSON for the API.
export const wire = (region) => JSON.stringify(region, (key, value) => (key === "drawn" || key === "revision" ? undefined : value));

export const kind = (region) => (region.beacon ? "beacon" : region.polygons ? "area" : "circle");
export const title = (region) => region.name || region.id;
