// Lines of all days of a device in the area that the map shows.

import * as api from "/api.js";
import { wrapped } from "/map-shapes.js";

const MAXIMUM_ZOOM = 22; // of the API

// The box of a map's view plus a share of its size on each side, as the API expects it: west, south, east, north in degrees.
export function boxOf(bounds, share = 0.1) {
  const { west, south, east, north } = bounds.padded(share);
  return east - west >= 360 ? [-180, south, 180, north] : [wrapped(west), south, wrapped(east), north];
}

// Returns features of lines; `bounds` and `zoom` are those of the map. `signal` aborts the request.
export async function overviewLines(device, bounds, zoom, signal) {
  const box = boxOf(bounds);
  const answer = await api.overview(device, box, Math.max(0, Math.min(MAXIMUM_ZOOM, Math.round(zoom))), signal);
  return answer.features;
}

// Whether an error is an aborted request.
export const isAborted = (error) => error.name === "AbortError";
