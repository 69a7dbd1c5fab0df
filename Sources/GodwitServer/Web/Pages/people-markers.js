// The last positions of devices on a map, each with its name and in its color.

import { make, named } from "/elements.js";

export class PeopleMarkers {
  #view;
  #address;
  #markers = new Map();

  // `address(device)`: where the name of a device leads; without it names are no links.
  /**
   * @param {any} view
   * @param {{ address?: ((device: any) => string) | null }} options
   */
  constructor(view, { address = null } = {}) {
    this.#view = view;
    this.#address = address;
  }

  // Shows these devices, as the API lists them, and no others.
  show(devices) {
    const here = devices.filter(({ last }) => last);
    for (const device of here) {
      const [lon, lat] = device.last.geometry.coordinates;
      if (!this.#markers.has(device.name)) this.#markers.set(device.name, this.#made(device, { lat, lon }));
      const { dot, markers } = this.#markers.get(device.name);
      dot.style.setProperty("--track", device.color ?? "");
      for (const marker of markers) marker.place = { lat, lon };
    }
    for (const [name, { markers }] of this.#markers) {
      if (here.some((device) => device.name === name)) continue;
      for (const marker of markers) marker.remove();
      this.#markers.delete(name);
    }
  }

  get places() { return [...this.#markers.values()].map(({ markers: [dot] }) => dot.place); }

  #made(device, place) {
    const dot = make("i", { className: "map-dot" });
    const label = this.#address
      ? make("a", { className: "map-name", ariaLabel: device.name, href: this.#address(device) }, named(device.name))
      : make("div", { className: "map-name", ariaLabel: device.name }, named(device.name));
    return { dot, markers: [this.#view.marker(dot, place), this.#view.marker(label, place, { anchor: "left", offset: [12, 0] })] };
  }
}
