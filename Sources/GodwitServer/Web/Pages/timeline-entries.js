// The list of visits and trips, by day.

import { clock, dayName, dayOf } from "/days.js";
import { make, named } from "/elements.js";
import * as format from "/format.js";
import { MODES } from "/format.js";
import { t } from "/texts.js";
import { Editor, editLabel } from "/timeline-editor.js";
import { kindOf, lengthText, startOf, titleOf } from "/timeline-names.js";

export class EntryList {
  #list;
  #context;
  #entries = [];
  #items = new Map();
  #editor = null;
  #zone = "UTC";

  // `context`: `choose(entry)` is called when an entry is selected, or deselected (null); and the members that Editor needs.
  constructor(list, context) {
    this.#list = list;
    this.#context = context;
    // Arrow keys move between entries.
    list.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step || !event.target.matches(".entry")) return;
      event.preventDefault();
      const all = [...list.querySelectorAll(".entry")];
      all[all.indexOf(event.target) + step]?.focus();
    });
  }

  get entries() { return this.#entries; }

  // The elements of the entries, with their times as in the API.
  get items() {
    return [...this.#items].map(([entry, element]) => ({
      element, start: entry.arrival ?? entry.start, end: kindOf(entry) === "visit" ? entry.departure : entry.end,
    }));
  }

  clear() {
    this.#entries = [];
    this.#items.clear();
    this.#editor = null;
    this.#list.replaceChildren();
  }

  // Shows entries in the order of their times. `days`: the shown days; if there are several, each gets a heading.
  show(visits, trips, { zone, days = [], mayChange }) {
    this.clear();
    this.#zone = zone;
    this.#entries = [...visits, ...trips].sort((a, b) => startOf(a) - startOf(b));
    const parts = [];
    let day = null;
    for (const entry of this.#entries) {
      const own = dayOf(Math.max(startOf(entry), this.#context.begin()), zone);
      if (days.length && own !== day) parts.push(make("li", { className: "day" }, make("h2", {}, this.#dayButton(own))));
      day = own;
      const item = kindOf(entry) === "visit" ? this.#visit(entry, own, mayChange) : this.#trip(entry, own, mayChange);
      this.#items.set(entry, item);
      parts.push(item);
    }
    this.#list.replaceChildren(...parts);
  }

  // Marks the selected entry; null: none.
  mark(entry) {
    for (const [other, item] of this.#items) item.querySelector(".entry").setAttribute("aria-pressed", String(other === entry));
  }

  // Marks the entry at a time, during a replay.
  markTime(time) {
    for (const [entry, item] of this.#items) {
      const end = Date.parse(entry.departure ?? entry.end ?? entry.seen);
      item.classList.toggle("now", time !== null && time >= startOf(entry) && time < end);
    }
  }

  focus(entry) {
    const found = this.#items.get(entry)?.querySelector(".entry");
    found?.scrollIntoView({ block: "nearest" });
    found?.focus();
  }

  // The entries of the same kind before and after an entry.
  neighbours(entry) {
    const same = this.#entries.filter((other) => kindOf(other) === kindOf(entry));
    const index = same.indexOf(entry);
    return { before: same[index - 1] ?? null, after: same[index + 1] ?? null };
  }

  closeEditor(andFocus = true) {
    const open = this.#editor;
    if (!open) return;
    this.#editor = null;
    open.editor.element.remove();
    open.button.setAttribute("aria-expanded", "false");
    if (andFocus && open.button.isConnected) open.button.focus();
  }

  // MARK: Items

  #dayButton(day) {
    const made = make("button", { type: "button", textContent: dayName(day, { weekday: "long", day: "numeric", month: "long" }) });
    made.addEventListener("click", () => this.#context.openDay(day));
    return made;
  }

  // A time on another day includes the date.
  #when(text, day) {
    const time = Date.parse(text);
    const own = dayOf(time, this.#zone);
    return own === day ? clock(time, this.#zone) : `${dayName(own, { day: "numeric", month: "short" })}, ${clock(time, this.#zone)}`;
  }

  #item(entry, className, title, details, mayChange) {
    const button = make("button", { type: "button", className: "entry" }, ...details);
    button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", () => this.#context.choose(entry));
    const head = mayChange ? this.#name(entry, title) : make("span", { className: "name" }, title);
    const item = make("li", { className }, head, button);
    return item;
  }

  // The name of an entry is the button that opens its editor.
  #name(entry, title) {
    const made = make("button", { type: "button", className: "name", title: editLabel(entry) }, title);
    made.setAttribute("aria-expanded", "false");
    made.addEventListener("click", () => this.#edit(entry, made));
    return made;
  }

  #edit(entry, button) {
    const isSame = this.#editor?.button === button;
    this.closeEditor(isSame);
    if (isSame) return;
    const editor = new Editor(entry, {
      ...this.#context, zone: this.#zone, neighbours: (other) => this.neighbours(other), close: () => this.closeEditor(),
    });
    this.#editor = { editor, button };
    button.setAttribute("aria-expanded", "true");
    button.parentElement.append(editor.element);
    editor.focus();
  }

  #visit(visit, day, mayChange) {
    const until = visit.departure ? this.#when(visit.departure, day) : t("still there");
    const sure = visit.confirmed ? ` · ${t("confirmed")}` : visit.confidence < 0.7 ? ` · ${t("partly estimated")}` : "";
    const title = make("b", {}, named(titleOf(visit)));
    const times = make("small", { textContent: `${this.#when(visit.arrival, day)} – ${until} · ${lengthText(visit)}${sure}` });
    return this.#item(visit, "visit", title, [times], mayChange);
  }

  #trip(trip, day, mayChange) {
    const title = make("i", { textContent: MODES[trip.mode] });
    const speed = trip.speed ? ` · ${format.speed(trip.speed)}\u00a0${format.speedUnit}` : "";
    const details = [make("small", {
      textContent: `${this.#when(trip.start, day)} – ${this.#when(trip.end, day)} · ${lengthText(trip)} · ${format.distance(trip.distance)}${speed}`,
    })];
    if (trip.segments.length > 1) details.push(...this.#segments(trip));
    if (trip.segments.some((segment) => segment.learned)) details.push(make("small", { textContent: t("learned from your corrections") }));
    const item = this.#item(trip, "trip", title, details, mayChange);
    item.style.setProperty("--mode", `var(--${trip.mode})`);
    return item;
  }

  #segments(trip) {
    const parts = trip.segments.map((segment) => {
      const part = make("span", { title: `${MODES[segment.mode]}, ${format.distance(segment.distance)}` });
      part.style.background = `var(--${segment.mode})`;
      part.style.flexGrow = Math.max(1, Date.parse(segment.end) - Date.parse(segment.start));
      return part;
    });
    const words = trip.segments.map((segment) => `${MODES[segment.mode]} ${format.distance(segment.distance)}`).join(", ");
    return [make("span", { className: "segments", ariaHidden: "true" }, ...parts), make("small", { textContent: words })];
  }
}
