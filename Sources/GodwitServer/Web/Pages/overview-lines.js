// Lines of all days of a device in the part of the world that the map shows.

import * as api from "/api.js";
import { wrapped } from "/map-shapes.js";

const MAXIMUM_ZOOM = 22; // of the API

// Features of lines; `bounds` and `zoom` are those of the map. `signal` ends the request.
export async function overviewLines(device, bounds, zoom, signal) {
  const { west, south, east, north } = bounds.padded(0.1);
  const isWhole = east - west >= 360;
  const box = isWhole ? [-180, south, 180, north] : [wrapped(west), south, wrapped(east), north];
  const answer = await api.overview(device, box, Math.max(0, Math.min(MAXIMUM_ZOOM, Math.round(zoom))), signal);
  return answer.features;
}

// Whether an error is the end of a request that is not needed any more.
export const isAborted = (error) => error.name === "AbortError";
