// The background of the page's data on the built-in world: the user's own tracks and the graticule.

import { footprints } from "/footprints.js";
import { graticule } from "/graticule.js";

// `settings`: those of the server. `devices`: as the API lists them; empty for a user without access to any.
export function background(view, settings, devices = []) {
  if (settings.tiles || settings.basemap) return;
  graticule(view);
  footprints(view, devices);
}
