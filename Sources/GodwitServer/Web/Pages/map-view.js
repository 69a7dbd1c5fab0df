// The map of a page. All methods may be called before the library is loaded: the map shows the page's data when it is ready. Without WebGL
// there is no map, and the methods have no effect.

import { style } from "/basemap-style.js";
import { unitSystem } from "/format.js";
import { Credits } from "/map-credits.js";
import { Labels } from "/map-labels.js";
import { NoMap, library, made } from "/map-library.js";
import { MapMarker } from "/map-marker.js";
import { Bounds, mercator } from "/map-shapes.js";
import { t } from "/texts.js";
import { color, isDark, onTheme } from "/theme.js";

const MAXIMUM_ZOOM = 20;
const TILE = 512; // pixels of the world at MapLibre's zoom 0
// Zooms of the pages and the API refer to tiles of 256 pixels, as most maps do.
const ZOOM_OFFSET = 1;
const CONTROLS = 56; // pixels at the right edge
// Levels of overlays, from bottom to top.
const LEVELS = ["background", "data"];
const MAXIMUM_WAIT = 1500; // milliseconds for what the page shows beside the map
const WORLD = { center: { lat: 30, lon: 10 }, zoom: 2.5 };

export class MapView {
  map = null;
  library = null;
  #container;
  #options;
  #overlays = new Map();
  #markers = new Set();
  #handlers = [];
  #credits = new Credits();
  /** @type {{ tiles: any, basemap: any }} */
  #settings = { tiles: null, basemap: null };
  #base = null;
  #labels = null;
  /** @type {{ center?: { lat: number, lon: number }, bounds?: any, maximumZoom?: number, margin?: number, zoom: number }} */
  #start = WORLD;

  // `settings`: those of the server, or a promise of them; their `tiles` and `basemap` define the base map.
  // `insets()`: the pixels covered at each edge. `wheel`: whether the mouse wheel zooms. `first`: a promise that resolves when the page's
  // other content is shown. The map waits for it, because compiling shaders blocks the page's thread.
  /**
   * @param {HTMLElement} container
   * @param {{ settings?: any, insets?: () => { left?: number, top?: number, right?: number, bottom?: number }, wheel?: boolean, first?: Promise<any> }} options
   */
  constructor(container, { settings, insets = () => ({}), wheel = true, first } = {}) {
    this.#container = container;
    this.#options = { settings, insets, wheel, first };
    document.body.dataset.map = "loading";
    // Resolves to whether there is a map.
    this.ready = this.#open().catch((error) => this.#explain(error));
  }

  // MARK: What the map shows

  // Adds an overlay with the page's own data, below the names of the base map. `layers(color)` returns its MapLibre layers without sources.
  // Their ids are unique in the overlay, and layers with `isOnTop` are above the names. `source`: a source other than a list of features,
  // such as vector tiles. `level`: the drawing order, see LEVELS.
  /**
   * @param {string} id
   * @param {(color: (name: string) => any) => any[]} layers
   * @param {{ source?: any, level?: string }} options
   */
  overlay(id, layers, { source, level = "data" } = {}) {
    this.#overlays.set(id, { layers, source, level: LEVELS.indexOf(level), features: [] });
    if (this.#base) this.#add(id);
  }

  // Replaces the features of an overlay.
  show(id, features) {
    this.#overlays.get(id).features = features;
    this.map?.getSource(id)?.setData(collection(features));
  }

  // Applies the current colours, widths and filters of an overlay's layers.
  restyle(id) {
    if (!this.#base) return;
    for (const layer of this.#layers(id)) this.#apply(layer);
  }

  // Adds an HTML element at a place. `options`: draggable, anchor, offset.
  marker(element, place, options = {}) {
    const marker = new MapMarker(this, element, place, options);
    this.#markers.add(marker);
    if (this.#base) marker.attach();
    return marker;
  }

  forget(marker) { this.#markers.delete(marker); }

  // Sets the credits of a part of the page's own data, in addition to those of the base map.
  credit(name, attributions) { this.#credits.set(name, attributions); }

  // Shows a popup at a place; the next click closes it.
  popup(place, content) {
    if (!this.map) return null;
    return new this.library.Popup({ closeButton: false, maxWidth: "280px", offset: 8 })
      .setLngLat([place.lon, place.lat]).setDOMContent(content).addTo(this.map);
  }

  // MARK: View

  // The zoom in the API's numbering.
  get zoom() { return (this.map ? this.map.getZoom() : this.#start.zoom) + ZOOM_OFFSET; }

  // The width of the world in pixels of the page.
  get worldSize() { return TILE * 2 ** (this.zoom - ZOOM_OFFSET); }

  // The centre of the part of the map that is not covered.
  get center() {
    if (!this.map) return this.middle;
    const { left = 0, top = 0, right = 0, bottom = 0 } = this.#options.insets();
    const { clientWidth, clientHeight } = this.#container;
    return this.unproject({ x: (left + clientWidth - right) / 2, y: (top + clientHeight - bottom) / 2 });
  }

  // The centre of the whole map.
  get middle() {
    if (!this.map) return this.#start.center ?? this.#start.bounds.center;
    const { lat, lng } = this.map.getCenter();
    return { lat, lon: lng };
  }

  // The bounds of the view; null without a map.
  get bounds() {
    const bounds = this.map?.getBounds();
    return bounds ? new Bounds(bounds.getWest(), bounds.getSouth(), bounds.getEast(), bounds.getNorth()) : null;
  }

  // Centres the map on a place.
  look({ lat, lon, zoom }) {
    this.#start = { center: { lat, lon }, zoom: Math.max(0, Math.min(MAXIMUM_ZOOM, zoom - ZOOM_OFFSET)) };
    this.map?.jumpTo({ center: [lon, lat], zoom: this.#start.zoom });
  }

  // Fits bounds into the part of the map that is not covered, with a margin in pixels.
  fit(bounds, { maximumZoom = 17, margin = 30 } = {}) {
    if (bounds.isEmpty) return;
    this.#start = { bounds, maximumZoom, margin, zoom: WORLD.zoom };
    if (this.map) this.map.fitBounds(corners(bounds), this.#fitting(maximumZoom, margin));
  }

  #fitting(maximumZoom, margin) {
    const { left = 0, top = 0, right = 0, bottom = 0 } = this.#options.insets();
    const { clientWidth, clientHeight } = this.#container;
    // Limits the padding, so that a part of the map stays visible on the smallest screen.
    const limit = (one, other, size) => {
      const share = Math.min(1, Math.max(0, size - 60) / Math.max(1, one + other));
      return [one * share, other * share];
    };
    const [padLeft, padRight] = limit(left + margin, right + margin + CONTROLS, clientWidth);
    const [padTop, padBottom] = limit(top + margin, bottom + margin, clientHeight);
    return {
      maxZoom: maximumZoom - ZOOM_OFFSET, animate: false, padding: { left: padLeft, right: padRight, top: padTop, bottom: padBottom },
    };
  }

  // The size of the map in pixels.
  get size() { return { width: this.#container.clientWidth, height: this.#container.clientHeight }; }

  // The areas of the map that controls and other elements cover, in the map's pixels.
  get covers() {
    const { left = 0, top = 0, right = 0, bottom = 0 } = this.#options.insets();
    const { width, height } = this.size;
    const own = this.#container.getBoundingClientRect();
    const controls = [...this.#container.querySelectorAll(".maplibregl-ctrl")].map((control) => {
      const box = control.getBoundingClientRect();
      return { left: box.left - own.left, top: box.top - own.top, right: box.right - own.left, bottom: box.bottom - own.top };
    });
    return [
      ...controls, { left: 0, top: 0, right: left, bottom: height }, { left: 0, top: 0, right: width, bottom: top },
      { left: width - right, top: 0, right: width, bottom: height }, { left: 0, top: height - bottom, right: width, bottom: height },
    ];
  }

  // Returns the pixel of a place in the map's element; null without a map.
  project({ lat, lon }) { return this.map?.project([lon, lat]) ?? null; }

  // Returns the place at a pixel.
  unproject({ x, y }) {
    const { lat, lng } = this.map.unproject([x, y]);
    return { lat, lon: lng };
  }

  // MARK: The pointer

  // Subscribes to an event of MapLibre. Events with a position have it as `place`, and its pixel as `point`.
  on(name, handler) {
    this.#handlers.push([name, handler]);
    if (this.map) this.#listen(name, handler);
  }

  #listen(name, handler) {
    this.map.on(name, ({ lngLat, point, originalEvent }) =>
      handler({ place: lngLat && { lat: lngLat.lat, lon: lngLat.lng }, point, originalEvent }));
  }

  // Returns the index of the place in a list that is nearest to another place, within some pixels; null if there is none.
  nearest(places, place, pixels) {
    if (!this.map) return null;
    const size = this.worldSize;
    const here = mercator(place);
    let [best, least] = [null, (pixels / size) ** 2];
    for (let index = 0; index < places.length; index++) {
      const there = (places[index].mercator ??= mercator(places[index]));
      let dx = Math.abs(there.x - here.x) % 1;
      if (dx > 0.5) dx = 1 - dx;
      const distance = dx ** 2 + (there.y - here.y) ** 2;
      if (distance < least) [least, best] = [distance, index];
    }
    return best;
  }

  // Returns the properties of an overlay's features within some pixels of a point, topmost first.
  under(point, overlay, layers, pixels = 0) {
    const ids = layers.map((layer) => `${overlay}-${layer}`).filter((id) => this.map?.getLayer(id));
    if (!ids.length) return [];
    const box = [[point.x - pixels, point.y - pixels], [point.x + pixels, point.y + pixels]];
    return this.map.queryRenderedFeatures(box, { layers: ids }).map(({ properties }) => properties);
  }

  set cursor(name) { if (this.map) this.map.getCanvas().style.cursor = name; }

  // Sets whether a double click zooms.
  set zoomsByDoubleClick(isOn) { this.map?.doubleClickZoom[isOn ? "enable" : "disable"](); }

  // Reduces the number of pixels to a quarter, for a machine that draws slowly. Waits until the map does not move.
  lighten() {
    if (this.map?.isMoving()) this.map.once("moveend", () => this.lighten());
    else this.map?.setPixelRatio(devicePixelRatio / 2);
  }

  // Moves the keyboard focus to the map.
  focus() { this.map?.getCanvas().focus(); }

  // MARK: Start

  async #open() {
    // Without settings there is no base map; the page shows the error.
    const [found, settings] = await Promise.all([library(), Promise.resolve(this.#options.settings).catch(() => null)]);
    await Promise.race([this.#options.first, new Promise((done) => setTimeout(done, MAXIMUM_WAIT))]).catch(() => null);
    this.library = found;
    const { tiles, basemap } = settings ?? {};
    this.#settings = { tiles, basemap };
    const base = style(this.#settings, isDark());
    const { bounds, center, zoom } = this.#start;
    const map = made(() => new found.Map({
      container: this.#container, style: base.style, attributionControl: false, maxZoom: MAXIMUM_ZOOM, maxPitch: 0, dragRotate: false,
      pitchWithRotate: false, touchPitch: false, scrollZoom: this.#options.wheel, fadeDuration: reducesMotion() ? 0 : 200,
      locale: {
        "Map.Title": this.#container.getAttribute("aria-label") ?? t("Map"),
        "NavigationControl.ZoomIn": t("Zoom in"), "NavigationControl.ZoomOut": t("Zoom out"), "Popup.Close": t("Close"), "Marker.Title": t("Marker on the map"),
        "ScaleControl.Feet": "ft", "ScaleControl.Meters": "m", "ScaleControl.Kilometers": "km", "ScaleControl.Miles": "mi", "ScaleControl.NauticalMiles": "nmi",
      },
      ...(bounds ? { bounds: corners(bounds), fitBoundsOptions: this.#fitting(this.#start.maximumZoom, this.#start.margin) }
        : { center: [center.lon, center.lat], zoom }),
    }));
    // connection.js reports requests without a response. The tile is requested again when the map needs it.
    map.on("error", ({ error }) => {
      if (error?.status !== 0) console.error(error);
    });
    map.touchZoomRotate.disableRotation();
    map.keyboard.disableRotation();
    map.addControl(this.#credits, "bottom-right");
    addScale(map, new found.ScaleControl({ unit: unitSystem }));
    map.addControl(new found.NavigationControl({ showCompass: false }), "bottom-right");
    this.map = map;
    this.#labels = new Labels(map);
    this.credit("base", base.credits);
    for (const [name, handler] of this.#handlers) this.#listen(name, handler);
    await new Promise((loaded) => map.once("style.load", loaded));
    this.#base = base;
    for (const id of this.#overlays.keys()) this.#add(id);
    for (const marker of this.#markers) marker.attach();
    onTheme(() => this.#retheme());
    document.body.dataset.map = "ready"; // it can be moved
    map.once("idle", () => (document.body.dataset.map = "drawn"));
    return true;
  }

  // Shows the reason in place of the map.
  #explain(error) {
    document.body.dataset.map = "none";
    const message = document.createElement("p");
    message.className = "map-message";
    message.setAttribute("role", "status");
    message.textContent = error instanceof NoMap ? error.message : t("The map could not be drawn. Everything else works.");
    this.#container.replaceChildren(message);
    // All other errors are bugs of the page.
    if (!(error instanceof NoMap)) console.error(error);
    return false;
  }

  // MARK: Layers

  #layers(id) {
    return this.#overlays.get(id).layers(color).map((layer) => ({ ...layer, id: `${id}-${layer.id}`, source: id }));
  }

  #add(id) {
    const { source, features, level } = this.#overlays.get(id);
    this.map.addSource(id, source ?? { type: "geojson", data: collection(features), tolerance: 0.25 });
    // Inserts the layers below the first overlay of a higher level.
    const higher = [...this.#overlays.keys()].find((name) => this.#overlays.get(name).level > level && this.map.getSource(name));
    const before = higher ? this.#layers(higher)[0].id : this.#base.firstLabel;
    for (const { isOnTop, ...layer } of this.#layers(id)) this.map.addLayer(layer, isOnTop ? undefined : before);
  }

  #apply({ id, paint = {}, filter }) {
    for (const [name, value] of Object.entries(paint)) this.map.setPaintProperty(id, name, value);
    if (filter) this.map.setFilter(id, filter);
  }

  // Applies the colours of a new theme to all layers.
  #retheme() {
    this.#base = style(this.#settings, isDark());
    for (const layer of this.#base.style.layers) this.#apply({ ...layer, filter: null });
    this.#labels.redraw();
    for (const id of this.#overlays.keys()) this.restyle(id);
  }
}

// MapLibre updates the scale in each frame of a move, and each update causes a layout of the page. Only zooms and ends of moves need it.
function addScale(map, scale) {
  map.addControl(scale, "bottom-right");
  map.off("move", scale._onMove);
  for (const event of ["zoom", "moveend"]) map.on(event, scale._onMove);
}

const collection = (features) => ({ type: "FeatureCollection", features });
const corners = ({ west, south, east, north }) => [[west, south], [east, north]];
const reducesMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// The insets of a card, which covers the left side of a large screen, or the bottom of a small one.
export function cardInsets(card) {
  const { width, right, height } = card.getBoundingClientRect();
  return width > window.innerWidth * 0.8 ? { bottom: height } : { left: right };
}
