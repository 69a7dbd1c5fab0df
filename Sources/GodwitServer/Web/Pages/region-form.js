// The form of one region. The server's error messages are shown beside their fields.

import * as format from "/format.js";
import { kind, title } from "/region-copy.js";
import { plural, t } from "/texts.js";

// The name of a day of the week: "Monday" or "Mo".
function dayName(day, length) {
  // The first of January 2024 was a Monday.
  const date = new Date(Date.UTC(2024, 0, 1 + DAYS.indexOf(day)));
  const name = date.toLocaleDateString(format.locale, { weekday: length, timeZone: "UTC" });
  return length === "short" ? name.replace(".", "").slice(0, 2) : name;
}

const DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const element = (id) => document.getElementById(id);

export class RegionForm {
  #form = element("form");
  #region = null;
  #tags = [];
  #hasOwnID = false;
  #isNew = false;
  #moved;

  // `moved(region)` is called when a number of the shape was entered.
  constructor({ save, remove, close, moved }) {
    this.#moved = moved;
    const fields = this.#form.elements;
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#addTags();
      save();
    });
    element("delete").addEventListener("click", remove);
    element("back").addEventListener("click", close);
    fields.name.addEventListener("input", () => {
      if (this.#isNew && !this.#hasOwnID) fields.id.value = this.#slug(fields.name.value);
      element("form-title").textContent = fields.name.value || fields.id.value || t("New region");
    });
    fields.id.addEventListener("input", () => (this.#hasOwnID = true));
    for (const name of ["latitude", "longitude", "radius"]) {
      fields[name].addEventListener("change", () => {
        const { center, radius } = this.value;
        if (!center || ![center.latitude, center.longitude].every(Number.isFinite)) return;
        this.#region = { ...this.#region, center, ...(Number.isFinite(radius) ? { radius } : {}) };
        this.#hints();
        this.#moved(this.#region);
      });
    }
    element("new-tag").addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === ",") {
        event.preventDefault();
        this.#addTags();
      } else if (event.key === "Backspace" && !event.target.value && this.#tags.length) {
        this.#tags.pop();
        this.#showTags();
      }
    });
    element("new-tag").addEventListener("blur", () => this.#addTags());
    fields.scheduled.addEventListener("change", () => this.#showWindows(fields.scheduled.checked ? [{ from: "09:00", to: "17:00" }] : []));
  }

  get isOpen() { return !this.#form.hidden; }

  open(region, isNew) {
    const fields = this.#form.elements;
    this.#region = region;
    [this.#isNew, this.#hasOwnID] = [isNew, !isNew];
    this.#tags = [...(region.tags ?? [])];
    this.complain(null);
    element("form-title").textContent = isNew ? t("New region") : title(region);
    fields.name.value = region.name ?? "";
    fields.id.value = region.id ?? "";
    fields.id.readOnly = !isNew;
    fields.uuid.value = region.beacon?.uuid ?? "";
    fields.major.value = region.beacon?.major ?? "";
    fields.minor.value = region.beacon?.minor ?? "";
    fields.dwell.value = region.dwell == null ? "" : Math.round((region.dwell / 60) * 100) / 100;
    fields.scheduled.checked = Boolean(region.schedule);
    fields.zone.value = region.schedule?.time_zone ?? "";
    for (const set of this.#form.querySelectorAll("[data-kind]")) set.hidden = set.dataset.kind !== kind(region);
    element("delete").hidden = isNew;
    this.#showTags();
    this.#showWindows(region.schedule?.windows ?? []);
    this.shape(region);
    this.#form.hidden = false;
    this.#form.scrollTop = 0;
    // Not on touch screens, where the keyboard would cover the map.
    if (!matchMedia("(pointer: coarse)").matches) fields.name.focus({ preventScroll: true });
  }

  close() {
    this.#form.hidden = true;
    this.#region = null;
  }

  // Applies a change of the shape on the map to the form.
  shape(parts) {
    const fields = this.#form.elements;
    this.#region = { ...this.#region, ...parts };
    if (this.#region.center) {
      fields.latitude.value = this.#region.center.latitude;
      fields.longitude.value = this.#region.center.longitude;
    }
    if (this.#region.radius != null) fields.radius.value = Math.round(this.#region.radius * 10) / 10;
    this.#hints();
  }

  #hints() {
    element("small-hint").hidden = !(this.#region.radius < 100);
    if (!this.#region.polygons) return;
    const rings = this.#region.polygons.flat();
    const corners = rings.reduce((sum, ring) => sum + ring.length, 0);
    const holes = rings.length - this.#region.polygons.length;
    const parts = this.#region.polygons.length;
    element("area-summary").textContent = [
      parts > 1 ? plural(parts, "{n} part", "{n} parts") : null, plural(corners, "{n} corner", "{n} corners"), holes ? plural(holes, "{n} hole", "{n} holes") : null,
    ].filter(Boolean).join(", ");
  }

  // The region that the form describes.
  get value() {
    const fields = this.#form.elements;
    const number = (field) => (field.value.trim() === "" ? undefined : Number(field.value.trim().replace(",", ".")));
    const region = { id: fields.id.value.trim(), name: fields.name.value.trim() };
    const shape = kind(this.#region);
    if (shape === "circle") {
      region.center = { latitude: number(fields.latitude), longitude: number(fields.longitude) };
      // The radius is shown rounded. It changes only if another value was entered.
      const typed = number(fields.radius);
      region.radius = Math.abs(typed - this.#region.radius) < 0.06 ? this.#region.radius : typed;
    } else if (shape === "area") {
      region.polygons = this.#region.polygons;
    } else {
      region.beacon = { uuid: fields.uuid.value.trim(), major: number(fields.major), minor: number(fields.minor) };
      if (this.#region.center) region.center = this.#region.center;
    }
    if (this.#tags.length) region.tags = this.#tags;
    const minutes = number(fields.dwell);
    if (minutes !== undefined) region.dwell = minutes * 60;
    if (fields.scheduled.checked) {
      region.schedule = { windows: this.#windows() };
      if (fields.zone.value.trim()) region.schedule.time_zone = fields.zone.value.trim();
    }
    if (this.#region.extras) region.extras = this.#region.extras;
    return region;
  }

  // Shows an error of the server, beside the field that the error names.
  complain(error) {
    for (const field of this.#form.querySelectorAll(".error")) field.textContent = "";
    for (const field of this.#form.querySelectorAll(".wrong")) field.classList.remove("wrong");
    element("problem").hidden = !error;
    if (!error) return;
    element("problem").textContent = error.message;
    const at = String(error.at ?? "").replace(/^regions\[\d+\]\.|^\[\d+\]\.|^\./, "");
    const fields = [...this.#form.querySelectorAll("[data-at]")].filter((field) => at === field.dataset.at || at.startsWith(`${field.dataset.at}.`) || at.startsWith(`${field.dataset.at}[`));
    const field = fields.sort((a, b) => b.dataset.at.length - a.dataset.at.length)[0];
    if (!field) return this.#form.scrollTo({ top: 0 });
    const message = field.matches(".error") ? field : field.querySelector(".error");
    if (message) {
      message.textContent = error.message;
      element("problem").hidden = true;
    }
    field.classList.add("wrong");
    field.scrollIntoView({ block: "center" });
  }

  // MARK: Tags

  #addTags() {
    const input = element("new-tag");
    for (const word of input.value.split(",").map((word) => word.trim()).filter(Boolean)) {
      if (!this.#tags.includes(word)) this.#tags.push(word);
    }
    input.value = "";
    this.#showTags();
  }

  #showTags() {
    const input = element("new-tag");
    for (const chip of element("chips").querySelectorAll(".chip")) chip.remove();
    for (const tag of this.#tags) {
      const chip = Object.assign(document.createElement("span"), { className: "chip", textContent: tag });
      const remove = Object.assign(document.createElement("button"), { type: "button", textContent: "×", title: t("Remove {tag}", { tag }) });
      remove.setAttribute("aria-label", t("Remove the tag {tag}", { tag }));
      remove.addEventListener("click", () => {
        this.#tags = this.#tags.filter((other) => other !== tag);
        this.#showTags();
      });
      chip.append(remove);
      input.before(chip);
    }
  }

  // MARK: Hours

  #showWindows(windows) {
    const box = element("windows");
    box.replaceChildren();
    element("zone").hidden = !windows.length;
    for (const hours of windows) box.append(this.#window(hours));
    if (!windows.length) return;
    const more = Object.assign(document.createElement("button"), { type: "button", textContent: t("Add hours") });
    more.addEventListener("click", () => more.before(this.#window({ from: "09:00", to: "17:00" })));
    box.append(more);
  }

  #window({ days = DAYS, from, to }) {
    const row = Object.assign(document.createElement("div"), { className: "window" });
    const week = Object.assign(document.createElement("div"), { className: "days" });
    for (const day of DAYS) {
      const label = document.createElement("label");
      const box = Object.assign(document.createElement("input"), { type: "checkbox", value: day, checked: days.includes(day) });
      box.setAttribute("aria-label", dayName(day, "long"));
      label.append(box, Object.assign(document.createElement("span"), { textContent: dayName(day, "short") }));
      week.append(label);
    }
    const times = Object.assign(document.createElement("div"), { className: "times" });
    const time = (value, name) => {
      const input = Object.assign(document.createElement("input"), { type: "time", value: value === "24:00" ? "00:00" : value });
      input.setAttribute("aria-label", name);
      return input;
    };
    const remove = Object.assign(document.createElement("button"), { type: "button", textContent: "×", title: t("Remove these hours") });
    remove.addEventListener("click", () => {
      row.remove();
      if (element("windows").querySelector(".window")) return;
      this.#form.elements.scheduled.checked = false;
      this.#showWindows([]);
    });
    times.append(time(from, t("From")), "–", time(to, t("To")), remove);
    row.append(week, times);
    return row;
  }

  #windows() {
    return [...element("windows").querySelectorAll(".window")].map((row) => {
      const [from, to] = [...row.querySelectorAll(".times input")].map((input) => input.value || "00:00");
      const days = [...row.querySelectorAll(".days input:checked")].map((box) => box.value);
      return { days, from, to: to === "00:00" ? "24:00" : to };
    });
  }

  #slug(name) {
    return name.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "").slice(0, 64);
  }
}

// A short description of a region.
export function words(region) {
  const parts = [];
  if (region.beacon) parts.push([region.beacon.major, region.beacon.minor].filter((number) => number != null).join(" / ") || t("all with this UUID"));
  else if (region.polygons) {
    const corners = region.polygons.flat().reduce((sum, ring) => sum + ring.length, 0);
    parts.push(plural(corners, "{n} corner", "{n} corners"));
  } else parts.push(t("radius {distance}", { distance: format.distance(region.radius) }));
  if (region.schedule) parts.push(t("at certain hours"));
  if (region.tags?.length) parts.push(region.tags.map(format.isolated).join(", "));
  return parts.join(" · ");
}
