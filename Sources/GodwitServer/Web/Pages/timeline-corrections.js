// Requests that correct visits and trips, with an undo.

import * as api from "/api.js";
import { element, make, named } from "/elements.js";
import { t } from "/texts.js";
import { kindOf } from "/timeline-names.js";

const PATH = "/api/v1/timeline/corrections";
const SHOWN = 12000; // milliseconds

const DONE = {
  confirm: t("Confirmed."), rename: t("Renamed."), move: t("Changed."), merge: t("Merged."), split: t("Split in two."), mode: t("Mode changed."), delete: t("Hidden."),
};

export class Corrections {
  #changed;
  #timer = null;

  // `changed()` reloads the timeline.
  constructor(changed) { this.#changed = changed; }

  // Corrects a visit or a trip of a device. `members` are added to the request.
  async correct(device, entry, action, members = {}) {
    const kind = kindOf(entry);
    const made = await api.change("POST", PATH, {
      device, kind, action, start: entry.arrival ?? entry.start, end: entry.departure ?? entry.end ?? undefined, ...members,
    });
    await this.#changed();
    this.#offer(made);
    return made;
  }

  // Returns the corrections of a period, newest first.
  async list(device, from, to) {
    const { corrections } = await api.get(`${PATH}?${new URLSearchParams({ device, from, to })}`);
    return corrections;
  }

  async undo(correction) {
    await api.change("DELETE", `${PATH}/${correction.id}`);
    this.#say(t("Undone."));
    await this.#changed();
  }

  #offer(correction) {
    const undo = make("button", { type: "button", textContent: t("Undo") });
    undo.addEventListener("click", () => this.undo(correction).catch((error) => this.#say(error.message)));
    this.#say(DONE[correction.action], undo);
  }

  #say(text, ...more) {
    const notice = element("notice");
    notice.replaceChildren(text, ...more);
    notice.hidden = false;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => (notice.hidden = true), SHOWN);
  }
}

const NAMES = {
  confirm: t("Confirmed"), rename: t("Renamed"), move: t("Moved"), merge: t("Merged"), split: t("Split|done"), mode: t("Mode changed"), delete: t("Hidden"),
};

// The list of corrections below the entries, each with an undo.
export function correctionItems(corrections, placeNames, { when, undo }) {
  return corrections.filter(({ state }) => state !== "undone").map((correction) => {
    const name = correction.name ?? placeNames.get(correction.place);
    const detail = correction.state === "waiting" ? ` · ${t("no longer matches")}` : "";
    const item = make("li", {}, make("span", {},
      `${NAMES[correction.action]} `, name ? named(name) : null,
      make("small", { textContent: `${correction.kind === "visit" ? t("Visit of {time}", { time: when(correction.start) }) : t("Trip of {time}", { time: when(correction.start) })}${detail}` })));
    if (undo && Date.parse(correction.undo_until) > Date.now()) {
      const button = make("button", { type: "button", className: "plain", textContent: t("Undo") });
      button.addEventListener("click", () => undo(correction));
      item.append(button);
    }
    return item;
  });
}
