// The map on the page of devices, with the last position of each device.

import { settings } from "/api.js";
import { background } from "/map-background.js";
import { Bounds } from "/map-shapes.js";
import { MapView } from "/map-view.js";
import { PeopleMarkers } from "/people-markers.js";

export class DeviceMap {
  #box;
  #view = null;
  #markers = null;
  #shown = "";

  // `box`: the element of the map, which is hidden while no device has a position.
  constructor(box) { this.#box = box; }

  // Shows devices as the API lists them. The map fits its view when the set of devices changes, and not when they move.
  async show(devices) {
    const here = devices.filter(({ last }) => last);
    this.#box.hidden = !here.length;
    if (!here.length) return;
    if (!this.#view) await this.#open(devices);
    this.#markers.show(here);
    const names = here.map(({ name }) => name).join("\n");
    if (names === this.#shown) return;
    this.#shown = names;
    this.#view.fit(Bounds.of(this.#markers.places), { maximumZoom: 13, margin: 60 });
  }

  async #open(devices) {
    const known = settings();
    this.#view = new MapView(this.#box, { settings: known, wheel: false });
    this.#markers = new PeopleMarkers(this.#view, { address: ({ name }) => `/devices#${encodeURIComponent(name)}` });
    background(this.#view, await known, devices);
  }
}
