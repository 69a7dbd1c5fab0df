// The form below a visit or a trip, with which the user corrects it.

import { fromField, toField } from "/days.js";
import { make, named } from "/elements.js";
import { MODES } from "/format.js";
import { distance } from "/map-shapes.js";
import { t } from "/texts.js";
import { endOf, kindOf, nameOf, startOf, titleOf } from "/timeline-names.js";

const SUGGESTIONS = 5;
const NEAR = 2000; // metres

const button = (textContent, run, properties = {}) => {
  const made = make("button", { type: "button", textContent, ...properties });
  made.addEventListener("click", run);
  return made;
};

export class Editor {
  #context;
  #entry;
  #problem = make("p", { className: "problem", hidden: true, role: "alert" });
  element;

  // `context`: `places` of the user, `zone`, `neighbours(entry)` with `before` and `after` of the same kind, `correct(entry, action,
  // members)`, `name(visit, text)` names the place of a visit, `rename(place, text)`, `move(visit)` on the map, `close()`.
  constructor(entry, context) {
    this.#entry = entry;
    this.#context = context;
    const parts = kindOf(entry) === "visit" ? this.#visit() : this.#trip();
    this.element = make("div", { className: "editor", role: "group", ariaLabel: t("Correct this entry") }, ...parts, this.#problem);
    this.element.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      context.close();
    });
  }

  focus() { (this.element.querySelector("input, button") ?? this.element).focus(); }

  async #run(work) {
    this.#problem.hidden = true;
    this.element.inert = true;
    try {
      await work();
    } catch (error) {
      this.#problem.textContent = error.message;
      this.#problem.hidden = false;
    } finally {
      this.element.inert = false;
    }
  }

  #correct(action, members) { return this.#run(() => this.#context.correct(this.#entry, action, members)); }

  // MARK: A visit

  #visit() {
    const visit = this.#entry;
    const input = make("input", { name: "name", required: true, maxLength: 100, value: visit.name ?? visit.place?.name ?? "", ariaLabel: t("Name"), placeholder: t("What is this place?") });
    input.autocomplete = "off";
    const scope = make("select", { name: "scope", ariaLabel: t("What gets the name") },
      new Option(visit.place ? t("this place, every visit") : t("this place, every visit here"), "place"), new Option(t("this visit only"), "visit"));
    scope.value = visit.name ? "visit" : "place";
    const form = make("form", { className: "naming" }, input, make("button", { className: "main", textContent: t("Save") }), make("label", {}, t("Name|verb"), " ", scope));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const text = input.value.trim();
      if (!text) return;
      if (scope.value === "visit") this.#correct("rename", { name: text });
      else this.#run(() => (visit.place ? this.#context.rename(visit.place, text) : this.#context.name(visit, text)));
    });
    return [this.#suggestions(), form, this.#actions()];
  }

  // Places nearby. A click assigns the visit to the place.
  #suggestions() {
    const here = { lat: this.#entry.latitude, lon: this.#entry.longitude };
    const near = this.#context.places
      .filter(({ id }) => id !== this.#entry.place?.id)
      .map((place) => ({ place, away: distance(here, { lat: place.latitude, lon: place.longitude }) }))
      .filter(({ away }) => away < NEAR).sort((a, b) => a.away - b.away).slice(0, SUGGESTIONS);
    if (!near.length) return null;
    const chips = near.map(({ place }) =>
      button("", () => this.#correct("rename", { place: place.id }), { className: "chip", ariaLabel: t("It was {name}", { name: place.name }) }));
    chips.forEach((chip, index) => chip.append(named(near[index].place.name)));
    return make("div", { className: "chips", role: "group", ariaLabel: t("Places nearby") }, ...chips);
  }

  // MARK: A trip

  #trip() {
    const trip = this.#entry;
    const chips = Object.entries(MODES).map(([mode, name]) => {
      const chip = button(name, () => this.#correct("mode", { mode }), { className: "chip" });
      chip.style.setProperty("--mode", `var(--${mode})`);
      chip.setAttribute("aria-pressed", String(trip.segments.every((segment) => segment.mode === mode)));
      return chip;
    });
    return [make("div", { className: "chips modes", role: "group", ariaLabel: t("Mode") }, ...chips), this.#actions()];
  }

  // MARK: Both

  #actions() {
    const entry = this.#entry;
    const { before, after } = this.#context.neighbours(entry);
    const isVisit = kindOf(entry) === "visit";
    const all = [
      entry.confirmed ? null : button(t("Confirm"), () => this.#correct("confirm")),
      button(t("Times…"), () => this.#open(this.#times())),
      isVisit ? button(t("Move on map"), () => this.#run(() => this.#context.move(entry))) : null,
      before ? button(t("Merge with previous"), () => this.#merge(before, entry)) : null,
      after ? button(t("Merge with next"), () => this.#merge(entry, after)) : null,
      button(t("Split…"), () => this.#open(this.#split())),
      button(t("Hide"), () => this.#correct("delete"), { title: t("Leave it out of the timeline. Its points stay.") }),
      button(t("Delete points…"), () => this.#run(() => this.#context.remove(entry)), { className: "danger" }),
    ];
    return make("div", { className: "actions" }, ...all.filter(Boolean), make("div", { className: "detail" }));
  }

  #merge(first, last) {
    return this.#run(() => this.#context.correct(
      { ...first, departure: last.departure ?? last.seen, end: last.end }, "merge"));
  }

  #open(form) {
    this.element.querySelector(".detail").replaceChildren(form);
    form.querySelector("input").focus();
  }

  #field(label, time) {
    const input = make("input", { type: "datetime-local", value: toField(time, this.#context.zone), required: true });
    return { input, label: make("label", {}, `${label} `, input), time };
  }

  // The time of a field. An unchanged time keeps its seconds.
  #time({ input, time }) {
    if (input.value === toField(time, this.#context.zone)) return time;
    const found = fromField(input.value, this.#context.zone, time);
    if (found === null) throw new Error(t("The clocks do not show this time on that day."));
    return found;
  }

  #form(fields, label, run) {
    const form = make("form", { className: "times" }, ...fields.map((field) => field.label), make("button", { className: "main", textContent: label }));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#run(run);
    });
    return form;
  }

  #times() {
    const entry = this.#entry;
    const isOpen = kindOf(entry) === "visit" && !entry.departure;
    const from = this.#field(t("From"), startOf(entry));
    const to = isOpen ? null : this.#field(t("To"), endOf(entry));
    return this.#form([from, to].filter(Boolean), t("Save times"), () => {
      const start = this.#time(from);
      const end = to ? this.#time(to) : null;
      const members = {};
      if (start !== startOf(entry)) members.new_start = new Date(start).toISOString();
      if (end !== null && end !== endOf(entry)) members.new_end = new Date(end).toISOString();
      if (!Object.keys(members).length) return this.#context.close();
      return this.#context.correct(entry, "move", members);
    });
  }

  #split() {
    const entry = this.#entry;
    const at = this.#field(t("At"), Math.round((startOf(entry) + endOf(entry)) / 2));
    return this.#form([at], t("Split"), () => this.#context.correct(entry, "split", { at: new Date(this.#time(at)).toISOString() }));
  }
}

// The label of the button that opens the editor.
export const editLabel = (entry) => (kindOf(entry) === "visit" ? t("Correct {name}", { name: titleOf(entry) }) : t("Correct this trip"));

export const hasName = (visit) => nameOf(visit) !== null;
