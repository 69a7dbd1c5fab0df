// The panel of the history: days, devices, layers, and colours with their legend.

import { make, named } from "/elements.js";
import { RANGES } from "/history-range.js";
import { COLORINGS, LAYERS, cssColor, deviceColor, legendOf } from "/history-style.js";
import { t } from "/texts.js";

const swatch = (color) => {
  const made = make("i", { className: "swatch" });
  made.style.setProperty("--color", cssColor(color));
  return made;
};

export class HistoryPanel {
  #element;
  #changed;

  // `changed(part)` is called with the changed members of the choice.
  constructor(element, changed) {
    this.#element = element;
    this.#changed = changed;
    element.addEventListener("keydown", ({ key }) => key === "Escape" && changed({ isOn: false }));
  }

  // Shows a choice. `known`: the devices with a history; `devices`: the names of the shown devices; `period`: the days as a text;
  // `hasPhotos`: whether there is a layer of photos; `note`: the message about the photos.
  show(choice) {
    const focused = this.#element.contains(document.activeElement) ? document.activeElement.id : null;
    const { scrollTop } = this.#element;
    this.#element.hidden = !choice.isOn;
    this.#element.replaceChildren(
      make("header", {}, make("h2", { textContent: t("History") }), this.#close()),
      this.#radios("range", t("Days"), RANGES, choice.range),
      choice.range === "custom" ? this.#dates(choice) : make("p", { className: "period", textContent: choice.period }),
      this.#devices(choice),
      this.#layers(choice),
      this.#radios("coloring", t("Colour by"), COLORINGS, choice.coloring),
      this.#legend(choice),
    );
    this.#element.scrollTop = scrollTop;
    if (focused) document.getElementById(focused)?.focus();
  }

  // Moves the keyboard focus to the panel.
  focus() { this.#element.querySelector("input:checked")?.focus({ preventScroll: true }); }

  #close() {
    const button = make("button", { type: "button", id: "history-close", textContent: "×", title: t("Close") });
    button.setAttribute("aria-label", t("Close the history"));
    button.addEventListener("click", () => this.#changed({ isOn: false }));
    return button;
  }

  // A group of radio buttons.
  #radios(name, title, table, chosen) {
    const group = make("fieldset", { className: "segments" }, make("legend", { textContent: title }));
    for (const [value, text] of Object.entries(table)) {
      const input = make("input", { type: "radio", name: `history-${name}`, id: `history-${name}-${value}`, value, checked: value === chosen });
      input.addEventListener("change", () => this.#changed({ [name]: value }));
      group.append(make("label", {}, input, make("span", { textContent: text })));
    }
    return group;
  }

  #dates({ from, to }) {
    const date = (name, text, value) => {
      const input = make("input", { type: "date", id: `history-${name}`, value });
      input.addEventListener("change", () => this.#changed({ [name]: input.value }));
      return make("label", {}, text, input);
    };
    return make("div", { className: "dates" }, date("from", t("From"), from), date("to", t("To"), to));
  }

  #devices({ devices: chosen, known, coloring }) {
    const group = make("fieldset", { className: "list", id: "history-devices" }, make("legend", { textContent: t("Devices") }));
    known.forEach((device, index) => {
      const { name, owner } = device;
      const input = make("input", { type: "checkbox", id: `history-device-${index}`, value: name, checked: chosen.includes(name) });
      input.addEventListener("change", () =>
        this.#changed({ devices: known.map((one) => one.name).filter((other) => (other === name ? input.checked : chosen.includes(other))) }));
      group.append(make("label", { title: [name, owner].filter(Boolean).join(" · ") }, input, coloring === "device" ? swatch(deviceColor(device, index)) : null, named(name),
        owner ? make("small", {}, named(owner)) : null));
    });
    if (!known.length) group.append(make("p", { className: "period", textContent: t("No devices yet.") }));
    return group;
  }

  #legend(choice) {
    const { entries, ramp, from, to } = legendOf(choice);
    const legend = make("div", { className: "legend", id: "history-legend" },
      entries.map(({ variable, text }) => make("span", {}, swatch(variable), text)));
    if (ramp) legend.append(make("span", { textContent: from }), make("i", { className: "ramp" }), make("span", { textContent: to }));
    return legend;
  }

  // The explored share of the city or country in view, as a text; null: unknown.
  set explored(text) {
    const line = document.getElementById("history-explored");
    if (!line) return;
    line.textContent = text ?? "";
    line.hidden = !text;
  }

  #layers({ layers: chosen, isSlow, hasPhotos, note, explored: text }) {
    const group = make("fieldset", { className: "list columns", id: "history-layers" }, make("legend", { textContent: t("Layers") }));
    for (const [name, { title, isHeavy }] of Object.entries(LAYERS)) {
      if (name === "photos" && !hasPhotos) continue;
      const input = make("input", { type: "checkbox", id: `history-layer-${name}`, value: name, checked: chosen.has(name) });
      input.addEventListener("change", () => {
        const layers = new Set(chosen);
        layers[input.checked ? "add" : "delete"](name);
        this.#changed({ layers, isChosen: true });
      });
      const label = make("label", {}, input, make("span", { textContent: title }));
      if (isSlow && isHeavy) label.title = t("This machine draws this layer slowly.");
      group.append(label);
    }
    const problem = make("p", { className: "period", id: "history-note", textContent: note ?? "", hidden: !note });
    problem.setAttribute("role", "status");
    const explored = make("p", { className: "period", id: "history-explored", textContent: text ?? "", hidden: !text });
    explored.setAttribute("role", "status");
    group.append(problem, explored);
    return group;
  }
}
