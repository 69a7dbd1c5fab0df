// MapLibre GL JS. It is loaded when the page is there.

import { t } from "/texts.js";

const FOLDER = "/maplibre/5.3.0";

// Why there is no map. The message is for people.
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

// When the page has been painted once: what draws the map takes longer than the rest of the page. Hidden pages are not painted.
function painted() {
  return new Promise((done) => {
    setTimeout(done, 250);
    requestAnimationFrame(() => setTimeout(done));
  });
}

// What the library makes to draw with; it fails where the browser has no WebGL. A context only to find out takes as long as the map's own.
export function made(make) {
  try {
    return make();
  } catch (error) {
    if (!/WebGL/i.test(error.message)) throw error;
    throw new NoMap(t("This browser cannot draw the map, because it has no WebGL. Everything else works."));
  }
}

// Before the page's own style sheets, which change what it says.
function styleSheet(path) {
  return new Promise((loaded, failed) => {
    const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: path, onload: loaded, onerror: failed });
    document.head.insertBefore(link, document.querySelector('link[rel="stylesheet"]'));
  });
}
