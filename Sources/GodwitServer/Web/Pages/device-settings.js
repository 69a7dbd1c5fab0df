// The part of a device's page for its settings: forms of the settings that the server may change, the pending change, and the history.

import { change, get } from "/api.js";
import { action, form, make, part, table, toast, when } from "/elements.js";
import { fieldsByName, presets, sections, settingText, valueText } from "/setting-fields.js";
import { plural, t } from "/texts.js";

export const settingsWords = { pending: t("pending"), sent: t("sent, not confirmed yet"), applied: t("applied"), replaced: t("replaced"), cancelled: t("cancelled") };

/**
 * Returns the newest value of each setting that the device has confirmed.
 * @param {{ state: string, settings: Record<string, any> }[]} history newest first
 * @returns {Record<string, any>}
 */
export const confirmed = (history) =>
  Object.assign({}, ...history.filter(({ state }) => state === "applied").map(({ settings }) => settings).reverse());

/**
 * Returns the settings of lines of KEY=VALUE. Numbers, `true` and `false` become JSON numbers and booleans.
 * @param {string} text
 * @returns {Record<string, string | number | boolean>}
 */
export function settingsOfLines(text) {
  /** @type {Record<string, string | number | boolean>} */
  const settings = {};
  for (const line of text.split("\n").map((line) => line.trim()).filter(Boolean)) {
    const place = line.indexOf("=");
    if (place < 1) throw new Error(t("\"{line}\" is not a setting; expected KEY=VALUE.", { line }));
    const value = line.slice(place + 1).trim();
    const isNumber = value !== "" && !Number.isNaN(Number(value));
    settings[line.slice(0, place).trim()] = value === "true" ? true : value === "false" ? false : isNumber ? Number(value) : value;
  }
  return settings;
}

// A field: title, description, last confirmed value or default, and a selection; its value is undefined for no change.
class Field {
  constructor(field, desired, known) {
    this.field = field;
    const id = `setting-${field.name.replaceAll(/[^a-z]/g, "-")}`;
    this.choice = make("select", { name: field.name, id },
      new Option(t("No change"), ""), field.values.map((value, index) => new Option(valueText(value, field), String(index))));
    this.value = desired[field.name];
    const state = field.name in known
      ? t("Confirmed by the device: {value}", { value: valueText(known[field.name], field) })
      : t("Default: {value}", { value: valueText(field.standard, field) });
    const about = make("p", { id: `${id}-about` }, field.summary, " ", make("small", { textContent: state }));
    this.choice.setAttribute("aria-describedby", about.id);
    this.element = make("div", { className: "setting" }, make("div", {}, make("label", { htmlFor: id, textContent: field.title }), about), this.choice);
  }

  // The first option means no change.
  get value() {
    return this.field.values[this.choice.selectedIndex - 1];
  }

  set value(value) {
    this.choice.selectedIndex = this.field.values.indexOf(value) + 1;
  }
}

// A section with its fields. Its summary shows the number of chosen values.
class Section {
  constructor(section, desired, known, isOpen) {
    this.fields = section.fields.map((field) => new Field(field, desired, known));
    this.count = make("small");
    this.element = make("details", { className: "settings-section", open: isOpen },
      make("summary", {}, section.title, this.count), this.fields.map(({ element }) => element));
  }

  get chosen() {
    return this.fields.filter(({ value }) => value !== undefined);
  }

  show() {
    const count = this.chosen.length;
    this.count.textContent = count ? plural(count, "{n} chosen", "{n} chosen") : "";
  }
}

class SettingsForm {
  constructor(path, desired, known, redraw) {
    this.sections = sections.map((section, index) => new Section(section, desired, known, index === 0 && Object.keys(desired).length > 0));
    const others = Object.entries(desired).filter(([name]) => !fieldsByName.has(name));
    this.lines = make("textarea", {
      name: "settings", placeholder: "locations_per_batch=50", spellcheck: false, value: others.map(([name, value]) => `${name}=${value}`).join("\n"),
    });
    this.summary = make("p", { className: "chosen" });
    this.summary.setAttribute("aria-live", "polite");
    const starts = presets.map((preset) => {
      const button = make("button", { type: "button", className: "preset" }, make("b", { textContent: preset.title }), make("span", { textContent: preset.summary }));
      button.addEventListener("click", () => this.choose(preset));
      return button;
    });
    this.element = form([
      make("div", { className: "presets" }, starts), ...this.sections.map(({ element }) => element),
      make("details", { className: "settings-section", open: others.length > 0 }, make("summary", { textContent: t("Other settings") }),
        make("label", {}, t("One setting per line: KEY=VALUE"), this.lines)),
      this.summary,
    ], t("Send"), async () => {
      const settings = { ...this.chosen, ...settingsOfLines(this.lines.value) };
      if (Object.keys(settings).length === 0) throw new Error(t("No setting is chosen. Choose a value of a setting, or a preset."));
      await change("PUT", path, settings);
      toast(t("Saved. The next response to the device contains it."));
      await redraw();
    });
    this.element.classList.add("settings-form");
    this.element.addEventListener("change", () => this.edited());
    this.show();
  }

  // The chosen values by the names of their settings.
  get chosen() {
    return Object.fromEntries(this.sections.flatMap(({ chosen }) => chosen).map(({ field, value }) => [field.name, value]));
  }

  // Enters a preset's values into the form; other choices stay.
  choose({ values }) {
    for (const field of this.sections.flatMap(({ fields }) => fields)) {
      if (field.field.name in values) field.value = values[field.field.name];
    }
    this.sections[0].element.open = true;
    this.edited();
  }

  // Marks the form as edited, so that the page does not redraw it while choices are not sent.
  edited() {
    this.element.dataset.edited = "true";
    this.show();
  }

  show() {
    for (const section of this.sections) section.show();
    const list = settingsText(this.chosen, " · ");
    this.summary.textContent = list && t("Will be sent: {list}", { list });
  }
}

const settingsText = (settings, separator) => Object.entries(settings).map(([name, value]) => settingText(name, value)).join(separator);

export async function settingsPart(device, redraw) {
  const path = `/api/v1/devices/${encodeURIComponent(device.name)}/settings`;
  const { desired, history } = await get(path);
  const rows = history.slice(0, 10).map((order) => [when(order.created), settingsWords[order.state] ?? order.state,
    settingsText(order.settings, ", "), when(order.closed ?? order.last_sent)]);
  return part(t("Settings"), t("Sent with the next response, until the device confirms."),
    rows.length ? table([t("Time"), t("State"), t("Settings"), t("Last sent")], rows, "") : null,
    desired ? make("p", { className: "row" }, action(t("Cancel"), t("Cancel the pending settings of {name}", { name: device.name }), async () => {
      await change("DELETE", path);
      return t("Cancelled.");
    }, redraw)) : null, new SettingsForm(path, desired ?? {}, confirmed(history), redraw).element);
}
