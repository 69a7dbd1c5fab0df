// Photos of the user's Immich server: a strip for lists, markers for maps, and a viewer. The browser contacts only Godwit.

import * as api from "/api.js";
import { make, named } from "/elements.js";
import { isKnown, locale, timeZone } from "/format.js";
import { plural, t } from "/texts.js";

const CELL = 72; // pixels: photos that are nearer to each other share a marker

// Whether the user has configured a photo server. It is requested once.
let server = null;
export function hasServer() {
  server ??= api.get("/api/v1/photos/server").then(({ address }) => address !== null);
  return server;
}

const nothing = { photos: [], complete: true, problem: null };

// Returns the photos between two times (milliseconds or texts), in order of time. An error is returned as the text `problem`, because pages
// work without photos. `box`: west, south, east, north in degrees; then only photos with a position in it.
/** @type {(from: any, to: any, options?: { box?: number[], signal?: AbortSignal }) => Promise<{ photos: any[], complete: boolean, problem: string | null }>} */
export async function photos(from, to, { box, signal } = {}) {
  try {
    if (!(await hasServer())) return nothing;
    const query = new URLSearchParams({
      from: new Date(from).toISOString(), to: new Date(to).toISOString(),
      ...(box ? { bbox: box.map((degrees) => degrees.toFixed(6)).join(",") } : {}),
    });
    return { ...(await api.get(`/api/v1/photos?${query}`, signal)), problem: null };
  } catch (error) {
    if (error.name === "AbortError") throw error;
    if (error.status === 401) throw error;
    server = null;
    // The session has no access to photos (403), or the photo server was removed (404).
    return error.status === 403 || error.status === 404 ? nothing : { ...nothing, problem: error.message };
  }
}

// The photos of a list between two times; `to` null is open.
export const between = (list, from, to) => {
  const [first, end] = [Date.parse(from), to === null ? Infinity : Date.parse(to)];
  return list.filter(({ time }) => Date.parse(time) >= first && Date.parse(time) < end);
};

const address = (photo, size) => `/api/v1/photos/${photo.id}/thumbnail${size ? `?size=${size}` : ""}`;

const timeOf = (photo, zone) =>
  new Date(photo.time).toLocaleString(locale, { dateStyle: "medium", timeStyle: "short", timeZone: isKnown(zone) ? zone : timeZone });

function picture(photo, zone) {
  const image = make("img", { src: address(photo), alt: t("Photo, {time}", { time: timeOf(photo, zone) }), loading: "lazy", decoding: "async" });
  // A photo that cannot be loaded is shown as a grey square with its time.
  image.addEventListener("error", () => image.classList.add("broken"), { once: true });
  return image;
}

// A row of photos that scrolls. `zone`: the time zone of their times. Returns null for an empty list.
/** @type {(list: any[], options?: { label?: string, zone?: string }) => HTMLElement | null} */
export function strip(list, { label = t("Photos"), zone } = {}) {
  if (!list.length) return null;
  const row = make("div", { className: "photo-strip" }, ...list.map((photo, index) => {
    const button = make("button", { type: "button" }, picture(photo, zone));
    button.addEventListener("click", () => view(list, index, { zone }));
    return button;
  }));
  row.setAttribute("role", "group");
  row.setAttribute("aria-label", `${label}: ${list.length}`);
  return row;
}

// MARK: The viewer

// Opens a viewer with one photo of a list. Arrow keys move through the list, Escape closes the viewer.
/** @type {(list: any[], index: number, options?: { zone?: string }) => void} */
export function view(list, index, { zone } = {}) {
  const image = make("img", { alt: "" });
  const caption = make("p", { className: "photo-caption" });
  const link = make("a", { target: "_blank", rel: "noopener noreferrer", textContent: t("Open in Immich") });
  const turn = (step, sign, label) => {
    const button = make("button", { type: "button", className: `photo-turn ${step < 0 ? "earlier" : "later"}`, textContent: sign, title: label });
    button.setAttribute("aria-label", label);
    button.hidden = list.length < 2;
    button.addEventListener("click", () => show(index + step));
    return button;
  };
  const close = make("button", { type: "button", className: "photo-close", textContent: "×", title: t("Close") });
  close.setAttribute("aria-label", t("Close"));
  const dialog = make("dialog", { className: "photo-viewer" }, image, turn(-1, "‹", t("Previous photo")), turn(1, "›", t("Next photo")), close,
    make("footer", {}, caption, link));
  dialog.setAttribute("aria-label", t("Photo"));
  caption.setAttribute("aria-live", "polite");
  const show = (wanted) => {
    index = (wanted + list.length) % list.length;
    const photo = list[index];
    // The thumbnail is shown until the large picture is loaded.
    image.src = address(photo);
    image.alt = t("Photo, {time}", { time: timeOf(photo, zone) });
    const large = make("img", { src: address(photo, "preview") });
    large.addEventListener("load", () => { if (list[index] === photo) image.src = large.src; }, { once: true });
    caption.replaceChildren(timeOf(photo, zone), photo.name ? " · " : "", named(photo.name),
      list.length > 1 ? ` · ${t("{n} of {all}", { n: index + 1, all: list.length })}` : "");
    link.href = photo.link;
  };
  dialog.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step || list.length < 2) return;
    event.preventDefault();
    show(index + step);
  });
  // A click outside the photo closes the viewer.
  dialog.addEventListener("click", ({ target }) => { if (target === dialog) dialog.close(); });
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  show(index);
  document.body.append(dialog);
  dialog.showModal();
  close.focus();
}

// MARK: Maps

// Groups photos with a position by a grid that is fixed to the world. `project(place)` returns the pixel in the world of a place
// { lat, lon }.
export function clusters(list, project, cell = CELL) {
  const groups = new Map();
  for (const photo of list) {
    if (photo.latitude === null) continue;
    const place = { lat: photo.latitude, lon: photo.longitude };
    const { x, y } = project(place);
    const [column, row] = [Math.floor(x / cell), Math.floor(y / cell)];
    const key = `${column},${row}`;
    const group = groups.get(key);
    if (group) group.photos.push(photo);
    else groups.set(key, { key, column, row, x, y, photos: [photo] });
  }
  // Merges neighbouring groups that would cover each other across a line of the grid.
  for (const group of [...groups.values()].sort((a, b) => b.photos.length - a.photos.length)) {
    if (!groups.has(group.key)) continue;
    for (let column = group.column - 1; column <= group.column + 1; column++) {
      for (let row = group.row - 1; row <= group.row + 1; row++) {
        const other = groups.get(`${column},${row}`);
        if (!other || other === group || Math.hypot(other.x - group.x, other.y - group.y) > cell * 0.7) continue;
        group.photos.push(...other.photos);
        groups.delete(other.key);
      }
    }
  }
  for (const group of groups.values()) {
    // The position of the photo closest to the mean: the mean of two places may be in a river.
    const [lat, lon] = ["latitude", "longitude"].map((name) => group.photos.reduce((sum, photo) => sum + photo[name], 0) / group.photos.length);
    const away = ({ latitude, longitude }) => (latitude - lat) ** 2 + (longitude - lon) ** 2;
    const middle = group.photos.reduce((best, photo) => (away(photo) < away(best) ? photo : best));
    group.place = { lat: middle.latitude, lon: middle.longitude };
    group.photo = middle;
  }
  return [...groups.values()];
}

// The photos on a map (map-view.js).
export class PhotoLayer {
  #view;
  #zone;
  #list = [];
  #markers = new Map();

  /**
   * @param {any} view
   * @param {{ zone?: string }} options
   */
  constructor(view, { zone } = {}) {
    this.#view = view;
    this.#zone = zone;
    view.on("moveend", () => this.#draw());
    view.ready.then(() => this.#draw());
  }

  // Replaces the shown photos.
  show(list, { zone = this.#zone } = {}) {
    this.#list = list;
    this.#zone = zone;
    for (const { marker } of this.#markers.values()) marker.remove();
    this.#markers.clear();
    this.#draw();
  }

  #draw() {
    if (!this.#view.map) return;
    const size = this.#view.worldSize;
    const project = ({ lat, lon }) => {
      const sine = Math.min(0.9999, Math.max(-0.9999, Math.sin((lat * Math.PI) / 180)));
      return { x: (lon / 360 + 0.5) * size, y: (0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * size };
    };
    const bounds = this.#view.bounds;
    const [high, wide] = [bounds.north - bounds.south, bounds.east - bounds.west];
    const isNear = ({ place: { lat, lon } }) => lat > bounds.south - high / 4 && lat < bounds.north + high / 4
      && [-360, 0, 360].some((turn) => lon + turn > bounds.west - wide / 4 && lon + turn < bounds.east + wide / 4);
    const shown = new Map(clusters(this.#list, project).filter(isNear).map((group) => [group.key, group]));
    for (const [key, { marker, size: former }] of this.#markers) {
      if (former === size && shown.has(key)) continue;
      marker.remove();
      this.#markers.delete(key);
    }
    for (const [key, group] of shown) {
      if (!this.#markers.has(key)) this.#markers.set(key, { marker: this.#view.marker(this.#element(group), group.place), size });
    }
  }

  #element({ photo, photos: list }) {
    const button = make("button", { type: "button", className: "photo-marker" }, picture(photo, this.#zone),
      list.length > 1 ? make("span", { textContent: list.length > 999 ? "999+" : `${list.length}`, ariaHidden: "true" }) : null);
    button.setAttribute("aria-label", list.length > 1 ? plural(list.length, "{n} photo", "{n} photos") : t("Photo, {time}", { time: timeOf(photo, this.#zone) }));
    button.addEventListener("click", (event) => {
      event.stopPropagation();
      view(list, list.indexOf(photo), { zone: this.#zone });
    });
    return button;
  }
}
