// The owner's own tracks, faint, at zooms at which the built-in world has no streets: where one has been often is a street map.

import { isAborted, overviewLines } from "/overview-lines.js";

const ID = "footprints";
const MINIMUM_ZOOM = 8; // of tiles of 256 pixels
const MAXIMUM_DEVICES = 8;

// `devices`: as the API lists them; those count whose whole history the reader may see.
export function footprints(view, devices) {
  const names = devices.filter(({ access, last }) => access === "all" && last).slice(0, MAXIMUM_DEVICES).map(({ name }) => name);
  if (!names.length) return;
  view.overlay(ID, (color) => [
    { id: "line", type: "line", minzoom: MINIMUM_ZOOM - 1, paint: { "line-color": color("--track"), "line-width": 1.6, "line-opacity": 0.22 } },
  ], { level: "background" });
  let request = null;
  const load = async () => {
    const { bounds, zoom } = view;
    request?.abort();
    if (!bounds || zoom < MINIMUM_ZOOM) return;
    const { signal } = (request = new AbortController());
    try {
      const lists = await Promise.all(names.map((name) => overviewLines(name, bounds, zoom, signal)));
      if (!signal.aborted) view.show(ID, lists.flat());
    } catch (error) {
      // They are only a background: what the page is about says when the server is gone.
      if (!isAborted(error)) view.show(ID, []);
    }
  };
  view.on("moveend", load);
  view.ready.then((isReady) => isReady && load());
}

// Shows or hides them: beside chosen days, those of other days are hidden.
export function showFootprints(view, isShown) {
  if (view.map.getLayer(`${ID}-line`)) view.map.setLayoutProperty(`${ID}-line`, "visibility", isShown ? "visible" : "none");
}
