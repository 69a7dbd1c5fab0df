// The settings screens, built from the tracker's table of settings. Edits are shown as differences in a bar until they are saved or
// discarded. A rejected value stays in its field.

import { Field } from "/fields.js";
import { get, post, put } from "/link.js";
import * as words from "/words.js";

const element = (id) => document.getElementById(id);
const KEPT = "godwit-edits";

function make(tag, text, className) {
  const node = document.createElement(tag);
  if (text != null) node.textContent = text;
  if (className) node.className = className;
  return node;
}

export class SettingsScreens {
  constructor(now, say) {
    this.now = now;
    this.say = say;
    this.fields = new Map();
    // Unsaved edits, by the names of the settings.
    this.edits = this.remembered();
    this.asked = 0;
    element("save").addEventListener("click", () => this.save());
    element("discard").addEventListener("click", () => this.discard());
  }

  async load() {
    try {
      this.show(await get("/api/v1/settings"));
    } catch {
      // The page shows the state of the connection elsewhere.
    }
  }

  show(model) {
    this.model = model;
    for (const section of model.sections) {
      for (const field of section.fields) this.fields.get(field.name)?.take(field);
    }
    if (this.fields.size === 0) this.build(model);
    for (const [name, field] of this.fields) field.write(this.edits.has(name) ? this.edits.get(name) : field.field.value);
    for (const name of [...this.edits.keys()]) if (!this.fields.get(name)?.isEdited) this.edits.delete(name);
    this.showPresets(model);
    this.showHistory(model);
    this.weigh();
  }

  build(model) {
    const [main, trip] = [[], []];
    for (const section of model.sections) {
      const card = make("section", null, `card section-${section.name}`);
      const heading = make("h2", section.title);
      heading.id = `section-${section.name}`;
      card.setAttribute("aria-labelledby", heading.id);
      const header = make("header");
      header.append(heading);
      const list = make("div", null, "fields");
      for (const field of section.fields) {
        const control = new Field(field, (edited) => this.edit(edited));
        this.fields.set(field.name, control);
        list.append(control.element);
      }
      card.append(header, list);
      (section.name === "trip" ? trip : main).push(card);
    }
    const history = element("sections").querySelector(".history");
    // The settings that are changed most often come first, independent of the order in the table.
    main.sort((a, b) => b.classList.contains("section-main") - a.classList.contains("section-main"));
    element("sections").replaceChildren(...main, history);
    element("trip-sections").replaceChildren(...trip);
  }

  showPresets(model) {
    element("presets").replaceChildren(...model.presets.map((preset) => {
      const button = make("button", null, "preset");
      button.type = "button";
      button.setAttribute("aria-pressed", String(preset.is_in_force));
      button.append(make("b", preset.title), make("span", preset.summary), make("i", preset.is_in_force ? "In use" : "Show what changes"));
      button.addEventListener("click", () => this.choose(preset));
      return button;
    }));
  }

  showHistory(model) {
    const items = model.history.map((past) => {
      const item = make("li");
      const time = Date.parse(past.time);
      const isToday = this.now() - time < 86400000;
      const line = make("span");
      line.append(make("b", past.title), ` ${past.old} → ${past.new}`);
      item.append(make("time", isToday ? words.time(time) : words.day(time)), line, make("small", past.source));
      return item;
    });
    element("history").replaceChildren(...(items.length ? items : [make("li", "No setting has been changed yet.", "none")]));
  }

  // MARK: Editing

  edit(field) {
    field.mark();
    if (field.isEdited) this.edits.set(field.name, field.read());
    else this.edits.delete(field.name);
    field.complain(null);
    this.weigh();
  }

  // Puts the values of a preset into the form, as unsaved edits.
  choose(preset) {
    for (const { name, value } of preset.values) {
      const field = this.fields.get(name);
      if (!field) continue;
      field.write(value);
      if (field.isEdited) this.edits.set(name, value);
      else this.edits.delete(name);
    }
    if (this.edits.size === 0) return this.say(`${preset.title} is set already.`);
    element("changes").querySelector("details").open = true;
    this.weigh();
  }

  // Requests a check of the edits, a moment after the last one.
  weigh() {
    this.remember();
    for (const name of ["settings", "trip"]) {
      const isEdited = [...this.edits.keys()].some((each) => each.startsWith("trip.") === (name === "trip"));
      document.querySelector(`#bar a[data-screen="${name}"] .badge`).hidden = !isEdited;
    }
    element("changes").hidden = this.edits.size === 0;
    document.body.classList.toggle("editing", this.edits.size > 0);
    clearTimeout(this.weighing);
    if (this.edits.size === 0) return this.complain([]);
    element("changes-count").textContent = words.count(this.edits.size, "change");
    this.weighing = setTimeout(async () => {
      const asked = ++this.asked;
      try {
        const answer = await post("/api/v1/settings/check", Object.fromEntries(this.edits));
        if (asked === this.asked) this.showDifference(answer);
      } catch (error) {
        if (asked === this.asked) this.trouble(error.message);
      }
    }, 250);
  }

  showDifference({ changes, problems, warnings = [] }) {
    this.complain(problems);
    element("difference").replaceChildren(
      ...changes.map((change) => {
        const item = make("li");
        const values = make("span");
        values.append(make("del", change.old), " → ", make("ins", change.new));
        item.append(make("b", change.title), values);
        return item;
      }),
      ...[...problems, ...warnings].map((problem) => make("li", problem.detail, "wrong")));
    this.trouble(problems.length ? `${words.count(problems.length, "value")} is not valid: see the field.` : null);
  }

  complain(problems) {
    const wrong = new Map(problems.map((problem) => [problem.name, problem.detail]));
    for (const [name, field] of this.fields) field.complain(wrong.get(name) ?? null);
  }

  trouble(sentence) {
    const line = element("changes-problem");
    if (line.textContent !== (sentence ?? "")) line.textContent = sentence ?? "";
    line.hidden = !sentence;
  }

  async save() {
    const button = element("save");
    button.disabled = true;
    try {
      const answer = await put("/api/v1/settings", Object.fromEntries(this.edits));
      this.asked++;
      clearTimeout(this.weighing);
      this.edits.clear();
      this.trouble(null);
      element("changes").querySelector("details").open = false;
      this.say(answer.note ?? `Saved: ${words.count(answer.changes.length, "change")}.`, Boolean(answer.note));
      await this.load();
    } catch (error) {
      if (error.status === 422) {
        this.showDifference(error.answer);
        this.visit(error.answer.problems[0]?.name);
      } else {
        this.trouble(`Not saved. ${error.message} Your changes are still on this page.`);
      }
    } finally {
      button.disabled = false;
    }
  }

  // Shows the field with a name, on its screen.
  visit(name) {
    const field = this.fields.get(name);
    if (!field) return;
    location.hash = name.startsWith("trip.") ? "trip" : "settings";
    setTimeout(() => field.control.input.focus(), 50);
  }

  discard() {
    this.asked++;
    this.edits.clear();
    this.trouble(null);
    for (const field of this.fields.values()) field.write(field.field.value);
    element("changes").querySelector("details").open = false;
    this.weigh();
  }

  // MARK: Edits across reloads

  remember() {
    try {
      if (this.edits.size) sessionStorage.setItem(KEPT, JSON.stringify([...this.edits]));
      else sessionStorage.removeItem(KEPT);
    } catch {
      // Without session storage a reload discards the edits.
    }
  }

  remembered() {
    try {
      return new Map(JSON.parse(sessionStorage.getItem(KEPT) ?? "[]"));
    } catch {
      return new Map();
    }
  }
}
