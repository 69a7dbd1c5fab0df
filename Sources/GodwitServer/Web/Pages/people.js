// The panel of the live map with the user's devices and friends: position, age of the position, and battery.

import { make, named } from "/elements.js";
import { age, battery, meters, when } from "/format.js";
import { PeopleMarkers } from "/people-markers.js";
import { t } from "/texts.js";

export class People {
  #panel;
  #markers;
  #chosen;
  #devices = [];

  // `panel`: a details element. `chosen(device)` is called when an entry is pressed.
  constructor(view, panel, chosen) {
    this.#panel = panel;
    this.#markers = new PeopleMarkers(view, { chosen });
    this.#chosen = chosen;
  }

  // `devices`: as the API lists them. `current`: the name of the device whose track is shown; it has its own marker.
  show(devices, current) {
    this.#devices = devices.filter(({ last }) => last).sort((a, b) => Date.parse(b.last.properties.timestamp) - Date.parse(a.last.properties.timestamp));
    this.#panel.hidden = this.#devices.length < 2;
    const taken = this.#devices.filter(({ name }) => name === current).map(({ last }) => ({ lon: last.geometry.coordinates[0], lat: last.geometry.coordinates[1] }));
    this.#markers.show(this.#devices.filter(({ name }) => name !== current), taken);
    const focused = document.activeElement?.closest?.("#people li")?.dataset.device;
    this.#panel.querySelector("ul").replaceChildren(...this.#devices.map((device) => this.#item(device, device.name === current)));
    if (focused !== undefined) [...this.#panel.querySelectorAll("li")].find((item) => item.dataset.device === focused)?.firstElementChild.focus();
  }

  // Updates the ages of the positions.
  tick() { for (const small of this.#panel.querySelectorAll("small[data-time]")) small.textContent = this.#text(small.dataset); }

  #text({ time, more }) { return [age(Date.now() - Number(time)) ?? when(Number(time)), more].filter(Boolean).join(" · "); }

  #item(device, isCurrent) {
    const { name, owner, color, last } = device;
    const { battery_level: level, battery_state: state, horizontal_accuracy: accuracy } = last.properties;
    const data = {
      time: String(Date.parse(last.properties.timestamp)),
      more: [accuracy > 0 ? `± ${meters(accuracy)}` : null, level == null ? null : battery(level, state)].filter(Boolean).join(" · "),
    };
    const dot = make("i", { className: "map-dot" });
    if (color) dot.style.setProperty("--track", color);
    const button = make("button", { type: "button" }, dot,
      make("span", {}, make("b", { title: name }, named(name)), owner ? make("em", {}, named(owner)) : null, make("small", { data, textContent: this.#text(data) })));
    button.setAttribute("aria-pressed", String(isCurrent));
    button.title = t("Show on map");
    button.addEventListener("click", () => this.#chosen(device));
    return make("li", { data: { device: name } }, button);
  }
}
