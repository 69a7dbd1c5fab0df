// Loads MapLibre GL JS after the page has been painted.

import { t } from "/texts.js";

const FOLDER = "/maplibre/5.3.0";

// The reason why there is no map. The message is shown to the user.
export class NoMap extends Error {}

let loading = null;

// Returns the library, or throws NoMap.
export function library() {
  loading ??= load();
  return loading;
}

async function load() {
  await painted();
  try {
    await Promise.all([styleSheet(`${FOLDER}/maplibre-gl.css`), import(`${FOLDER}/maplibre-gl.js`)]);
  } catch {
    loading = null; // the next page element may find it
    throw new NoMap(t("The map could not be loaded: this server has no MapLibre GL JS. Everything else works."));
  }
  return globalThis.maplibregl;
}

// Resolves after the first paint of the page, because drawing the map takes longer than the rest of the page. Hidden pages are not
// painted, so it resolves after 250 ms at the latest.
function painted() {
  return new Promise((done) => {
    setTimeout(done, 250);
    requestAnimationFrame(() => setTimeout(done));
  });
}

// Runs `make`, which creates the map, and throws NoMap if the browser has no WebGL. Testing for WebGL in advance would take as long.
export function made(make) {
  try {
    return make();
  } catch (error) {
    if (!/WebGL/i.test(error.message)) throw error;
    throw new NoMap(t("This browser cannot draw the map, because it has no WebGL. Everything else works."));
  }
}

// Inserts the library's style sheet before those of the page, which override it.
function styleSheet(path) {
  return new Promise((loaded, failed) => {
    const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: path, onload: loaded, onerror: failed });
    document.head.insertBefore(link, document.querySelector('link[rel="stylesheet"]'));
  });
}
