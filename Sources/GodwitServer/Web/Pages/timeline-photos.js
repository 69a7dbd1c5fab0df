// Photos beside the entries of the timeline: each visit and trip shows the photos of its time.

import { make } from "/elements.js";
import { number } from "/format.js";
import { between, photos, strip } from "/photos.js";
import { plural } from "/texts.js";

export class TimelinePhotos {
  #asked = null;
  #shown = [];
  #layer;

  // `layer`: a PhotoLayer that shows the same photos on the map.
  constructor({ layer = null } = {}) { this.#layer = layer; }

  // Shows the photos of a period. `items`: { element, start, end } of each entry with times as texts; a null `end` means that the entry
  // continues. `place`: an element for the message about the photos. Photos of an earlier period are removed immediately.
  async show({ from, to, zone, items, place }) {
    this.clear();
    this.#asked = new AbortController();
    const { signal } = this.#asked;
    let found;
    try {
      found = await photos(from, to, { box: null, signal });
    } catch (error) {
      if (error.name === "AbortError") return;
      throw error;
    }
    if (signal.aborted) return;
    for (const { element, start, end } of items) {
      const row = strip(between(found.photos, start, end), { zone });
      if (!row) continue;
      element.append(row);
      this.#shown.push(row);
    }
    const said = found.problem ?? (found.complete ? null : plural(found.photos.length, "Only the first photo is shown.", "Only the first {n} photos are shown.", { n: number(found.photos.length) }));
    if (said) {
      const line = make("p", { className: "photo-problem", textContent: said });
      line.setAttribute("role", "status");
      place.append(line);
      this.#shown.push(line);
    }
    this.#layer?.show(found.photos, { zone });
    document.body.dataset.photos = String(found.photos.length);
  }

  clear() {
    this.#asked?.abort();
    for (const element of this.#shown) element.remove();
    this.#shown = [];
    this.#layer?.show([]);
    delete document.body.dataset.photos;
  }
}
