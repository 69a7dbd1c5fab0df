// MapLibre GL JS. It is loaded when the page is there, and only where a browser can draw with it.

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
  if (!canDraw()) throw new NoMap(t("This browser cannot draw the map, because it has no WebGL. Everything else works."));
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

function canDraw() {
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("webgl2") ?? canvas.getContext("webgl");
  // Browsers keep a limited number of contexts.
  context?.getExtension("WEBGL_lose_context")?.loseContext();
  return context !== null;
}

// Before the page's own style sheets, which change what it says.
function styleSheet(path) {
  return new Promise((loaded, failed) => {
    const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: path, onload: loaded, onerror: failed });
    document.head.insertBefore(link, document.querySelector('link[rel="stylesheet"]'));
  });
}
