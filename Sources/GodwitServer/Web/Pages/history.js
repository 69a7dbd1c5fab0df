// The history below the track of the chosen day: any days of any devices, as vector tiles.

import * as api from "/api.js";
import { today } from "/days.js";
import { make, named } from "/elements.js";
import * as format from "/format.js";
import { showFootprints } from "/footprints.js";
import { isSlow } from "/frame-time.js";
import { HistoryPanel } from "/history-panel.js";
import { HistoryPhotos } from "/history-photos.js";
import { daysOf, momentsOf } from "/history-range.js";
import { TILE_LAYERS, layersOf } from "/history-style.js";
import { Bounds } from "/map-shapes.js";
import { plural, t } from "/texts.js";

const CITY_ZOOM = 9; // from which a map shows one city more than others
const COUNTRY_ZOOM = 3; // the same for a country
const ID = "history";
const DAY = 86400000;
// Tiles of higher zooms contain no more detail.
const MAXIMUM_ZOOM = 16;
const WORLD = [-180, -85, 180, 85];

export class History {
  #view;
  #panel;
  #explored = null;
  #asking = null;
  #photos;
  #choice;
  #page = { device: null, day: null, zone: format.timeZone, devices: [] };
  #url = null;
  #isSlow = null;
  #hasPhotos = null;
  #note = null;

  // `choice`: the initial choice; `changed(choice)` is called after each change by the user, to update the URL.
  constructor(view, element, choice, changed) {
    this.#view = view;
    this.#choice = choice;
    this.#panel = new HistoryPanel(element, (part) => {
      this.choice = { ...this.#choice, ...part };
      changed(this.#choice);
    });
    this.#photos = new HistoryPhotos(view, (note) => this.#say(note));
    view.overlay(ID, (color) => layersOf(this.#shown, color), {
      source: { type: "vector", tiles: [this.#address([])], minzoom: 0, maxzoom: MAXIMUM_ZOOM },
    });
    view.on("click", ({ place, point }) => this.#explain(place, point));
    view.on("idle", () => this.#drawn());
    view.on("moveend", () => this.#explore());
  }

  get choice() { return this.#choice; }
  set choice(choice) {
    this.#choice = choice;
    this.#update();
  }

  // Sets the state of the page: the selected device, its day and time zone, and all devices.
  setPage({ device, day, zone, devices }) {
    this.#page = { device, day, zone, devices };
    this.#update();
  }

  focus() { this.#panel.focus(); }

  // The devices whose history this user may see.
  get #known() { return this.#page.devices.filter((device) => device.access !== "latest"); }

  get #day() { return this.#page.day ?? today(this.#page.zone); }

  // The choice, and the values that are computed from the page's state.
  get #shown() {
    const known = this.#known;
    const devices = (this.#choice.devices ?? [this.#page.device]).filter((name) => known.some((device) => device.name === name));
    const [first, last] = daysOf({ ...this.#choice, day: this.#day });
    const begins = known.filter(({ name }) => devices.includes(name)).map((one) => Date.parse(one.first)).filter(Number.isFinite);
    const days = [
      Math.floor((first ? Date.parse(first) : Math.min(...begins, Date.now())) / DAY),
      Math.floor((last ? Math.min(Date.parse(last), Date.now()) : Date.now()) / DAY),
    ];
    return {
      ...this.#choice, known, devices, days, period: first ? inWords(first, last) : begins.length ? t("Since {date}", { date: format.date(Math.min(...begins)) }) : "", isSlow: this.#isSlow, hasPhotos: this.#hasPhotos, note: this.#note, explored: this.#explored,
    };
  }

  #address(devices) {
    const query = new URLSearchParams(devices.map((name) => ["device", name]));
    const { from, to } = this.#moments;
    if (from) query.set("from", from);
    if (to) query.set("to", to);
    query.set("layers", TILE_LAYERS.filter((name) => this.#choice.layers.has(name)).join(",") || "lines");
    return `${location.origin}/api/v1/history/tiles/{z}/{x}/{y}.mvt?${query}`;
  }

  // The period for photos. Without a first day, it begins with the first point of the devices.
  get #period() {
    const { from, to } = this.#moments;
    return { from: from ?? new Date(this.#shown.days[0] * DAY).toISOString(), to };
  }

  get #moments() { return momentsOf({ ...this.#choice, day: this.#day }, this.#page.zone); }

  // Draws the choice. Waits until the source is loaded, because MapLibre reports an error when a loading source is changed.
  async #update() {
    const { isOn, layers } = this.#choice;
    this.#panel.show(this.#shown);
    document.body.dataset.history = isOn ? [...layers].join(",") : "";
    if (isOn) this.#askForPhotos();
    this.#photos.show(isOn && this.#hasPhotos && layers.has("photos") ? this.#period : null);
    if (!(await this.#view.ready)) return;
    const { map } = this.#view;
    const source = map.getSource(ID);
    while (!source.loaded()) await new Promise((done) => source.once("data", done));
    // The choice may have changed during the wait, so it is read again.
    const { devices } = this.#shown;
    const url = this.#choice.isOn && devices.length ? this.#address(devices) : null;
    if (url && url !== this.#url) source.setTiles([url]);
    this.#url = url ?? this.#url;
    this.#view.restyle(ID);
    showFootprints(this.#view, !this.#choice.isOn);
    for (const name of TILE_LAYERS) {
      map.setLayoutProperty(`${ID}-${name}`, "visibility", url && this.#choice.layers.has(name) ? "visible" : "none");
    }
    if (url) this.#lighten();
    this.#explore();
  }

  // Requests the explored share of the city in view, or else of the country, while the hexagons are shown.
  #explore() {
    clearTimeout(this.#asking);
    const { devices } = this.#shown;
    const isShown = this.#choice.isOn && this.#choice.layers.has("hexagons") && devices.length > 0;
    if (!isShown || this.#view.zoom < COUNTRY_ZOOM) return this.#tell(null);
    this.#asking = setTimeout(async () => {
      const { lat, lon } = this.#view.center;
      const query = new URLSearchParams([...devices.map((name) => ["device", name]), ...Object.entries(this.#moments).filter(([, value]) => value)]);
      query.set("at", `${lat.toFixed(5)},${(((lon + 540) % 360) - 180).toFixed(5)}`);
      const asked = this.#asking;
      const ask = (path) => api.get(`/api/v1/history/${path}?${query}`).catch(() => null);
      const ofCity = this.#view.zoom < CITY_ZOOM ? null : await ask("explored");
      const { city, country_code: code, country, share } = (ofCity?.city ? ofCity : await ask("explored-country")) ?? { share: 0 };
      if (asked !== this.#asking) return; // The map has moved meanwhile.
      const name = city ?? format.countryName(code, country);
      // A walk explores a small share of a country.
      const digits = share >= 0.1 ? 0 : share >= 0.01 ? 1 : 2;
      const percent = new Intl.NumberFormat(format.locale, { style: "percent", maximumFractionDigits: digits }).format(share);
      this.#tell(name && t("{percent} of {city} explored", { percent, city: name }));
    }, 400);
  }

  #tell(text) {
    this.#explored = text;
    this.#panel.explored = text;
  }

  // Sets an attribute of the body to the parameters of the history that the map shows, once it is drawn.
  #drawn() {
    const { isOn, layers } = this.#choice;
    document.body.dataset.drawn = isOn && this.#url && TILE_LAYERS.some((name) => layers.has(name)) ? decodeURIComponent(this.#url.split("?")[1]) : "";
  }

  async #askForPhotos() {
    if (this.#hasPhotos !== null) return;
    this.#hasPhotos = false;
    this.#hasPhotos = await HistoryPhotos.isThere();
    if (this.#hasPhotos) this.#update();
  }

  #say(note) {
    if (note === this.#note) return;
    this.#note = note;
    this.#panel.show(this.#shown);
  }

  // On a machine that draws slowly, reduces the map's resolution and marks the slow layers in the panel.
  async #lighten() {
    if (this.#isSlow !== null) return;
    this.#isSlow = false;
    await new Promise((drawn) => this.#view.map.once("idle", drawn));
    this.#isSlow = await isSlow(this.#view.map);
    document.body.dataset.frames = this.#isSlow ? "slow" : "fast";
    if (!this.#isSlow) return;
    this.#view.lighten();
    this.#panel.show(this.#shown);
  }

  // The bounds of all days of the chosen devices.
  async bounds() {
    const answers = await Promise.all(this.#shown.devices.map((name) => api.overview(name, WORLD, 3)));
    const bounds = new Bounds();
    for (const { features } of answers) {
      for (const [lon, lat] of features.flatMap(({ geometry }) => geometry.coordinates.flat())) bounds.extend(lon, lat);
    }
    return bounds;
  }

  // Shows the device, the visits and the duration of a clicked stay.
  #explain(place, point) {
    if (!this.#choice.isOn || !this.#choice.layers.has("stays")) return;
    const [stay] = this.#view.under(point, ID, ["stays"], 6);
    if (!stay) return;
    const { device, visits, minutes } = stay;
    this.#view.popup(place, make("div", {}, make("strong", {}, named(device)), make("br"),
      [plural(visits, "{n} visit", "{n} visits", { n: format.number(visits) }), format.duration(minutes * 60000)].join(", ")));
  }
}

// "4 May 2026", "1 May 2026 – 31 May 2026".
function inWords(first, last) {
  const [from, to] = [first, last ?? first].map((day) => new Date(day).toLocaleDateString(format.locale, { dateStyle: "medium", timeZone: "UTC" }));
  return from === to ? from : `${from} – ${to}`;
}
