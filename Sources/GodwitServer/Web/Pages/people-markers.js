// The last positions of devices on a map, each with its name and in its colour. Names of nearby devices are placed side by side; a name
// without a free place is hidden.

import { make, named } from "/elements.js";
import { arranged } from "/label-layout.js";

export class PeopleMarkers {
  #view;
  #address;
  #chosen;
  #markers = new Map();
  // Places of other markers, which names must not cover.
  #taken = [];

  // `address(device)`: the link target of a device's name; `chosen(device)`: called when the name is pressed. Without both, names are plain
  // text.
  /**
   * @param {any} view
   * @param {{ address?: ((device: any) => string) | null, chosen?: ((device: any) => void) | null }} options
   */
  constructor(view, { address = null, chosen = null } = {}) {
    this.#view = view;
    this.#address = address;
    this.#chosen = chosen;
    view.on("moveend", () => this.#arrange());
    view.ready.then(() => this.#arrange());
  }

  // Replaces the shown devices, given as the API lists them. `taken`: places of other markers.
  show(devices, taken = []) {
    const here = devices.filter(({ last }) => last);
    this.#taken = taken;
    for (const device of here) {
      const [lon, lat] = device.last.geometry.coordinates;
      if (!this.#markers.has(device.name)) this.#markers.set(device.name, this.#made(device, { lat, lon }));
      const shown = this.#markers.get(device.name);
      shown.device = device;
      shown.dot.element.style.setProperty("--track", device.color ?? "");
      for (const marker of [shown.dot, shown.label]) marker.place = { lat, lon };
    }
    for (const [name, { dot, label }] of this.#markers) {
      if (here.some((device) => device.name === name)) continue;
      for (const marker of [dot, label]) marker.remove();
      this.#markers.delete(name);
    }
    this.#arrange();
  }

  get places() { return [...this.#markers.values()].map(({ dot }) => dot.place); }

  // The pixel of a place in the copy of the world that is in view, like that of its marker; the antimeridian may be in view.
  #pixel({ lat, lon }) { return this.#view.project({ lat, lon: lon + 360 * Math.round((this.#view.middle.lon - lon) / 360) }); }

  // Moves each name to a free place.
  #arrange() {
    const shown = [...this.#markers.values()];
    if (!this.#view.map || !shown.length) return;
    const names = shown.map(({ dot, label }) => {
      const { offsetWidth: width, offsetHeight: height } = label.element;
      const { x, y } = this.#pixel(dot.place);
      return { x, y, width, height };
    });
    const found = arranged(names, { places: this.#taken.map((place) => this.#pixel(place)), covers: this.#view.covers, size: this.#view.size });
    shown.forEach(({ label }, index) => {
      label.element.classList.toggle("unplaced", !found[index]);
      if (found[index]) label.offset = found[index];
    });
  }

  #made(device, place) {
    const shown = { device, dot: this.#view.marker(make("i", { className: "map-dot" }), place), label: null };
    shown.label = this.#view.marker(this.#name(shown), place, { anchor: "left", offset: [12, 0] });
    return shown;
  }

  #name(shown) {
    const { device } = shown;
    const properties = { className: "map-name", ariaLabel: device.name, title: device.name };
    if (this.#address) return make("a", { ...properties, href: this.#address(device) }, named(device.name));
    if (!this.#chosen) return make("div", properties, named(device.name));
    const button = make("button", { ...properties, type: "button" }, named(device.name));
    button.addEventListener("click", () => this.#chosen(shown.device));
    return button;
  }
}
