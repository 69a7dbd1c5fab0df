// All tracks of the user, drawn faintly at zooms at which the built-in world has no streets: frequent routes then look like a street map.

import { isAborted, overviewLines } from "/overview-lines.js";

const ID = "footprints";
const MINIMUM_ZOOM = 8; // of tiles of 256 pixels
const MAXIMUM_DEVICES = 8;

// `devices`: as the API lists them. Only devices whose whole history the user may see are drawn.
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
      // The tracks are only a background. The page's main content reports connection errors.
      if (!isAborted(error)) view.show(ID, []);
    }
  };
  view.on("moveend", load);
  view.ready.then((isReady) => isReady && load());
}

// Shows or hides the tracks. They are hidden when a page shows chosen days only.
export function showFootprints(view, isShown) {
  if (view.map.getLayer(`${ID}-line`)) view.map.setLayoutProperty(`${ID}-line`, "visibility", isShown ? "visible" : "none");
}
