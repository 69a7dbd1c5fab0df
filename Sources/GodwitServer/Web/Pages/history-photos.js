// The photos of the days and the area that the history shows.

import { number } from "/format.js";
import { isAborted, boxOf } from "/overview-lines.js";
import { PhotoLayer, hasServer, photos } from "/photos.js";
import { plural, t } from "/texts.js";

const DAY = 86400000;
// The maximum period of the API.
const MAXIMUM_DAYS = 400;

export class HistoryPhotos {
  #view;
  #layer;
  #noted;
  #period = null;
  #request = null;
  #count = 0;

  // `noted(text)` is called with the message about the photos, or null.
  constructor(view, noted) {
    this.#view = view;
    this.#layer = new PhotoLayer(view);
    this.#noted = noted;
    view.on("moveend", () => this.#load());
    view.ready.then(() => this.#load());
  }

  // Whether the user has connected a photo server.
  static async isThere() {
    // On an error the page is shown without photos.
    return hasServer().catch(() => false);
  }

  // Shows the photos of a period, whose `from` and `to` are texts or null (open); null hides the photos.
  show(period) {
    if (JSON.stringify(period) === JSON.stringify(this.#period)) return;
    this.#period = period;
    this.#load();
  }

  async #load() {
    this.#request?.abort();
    const { bounds } = this.#view;
    if (!this.#period) return this.#draw([], null);
    if (!bounds) return; // until there is a map
    const { signal } = (this.#request = new AbortController());
    const { from, to, isShort } = within(this.#period, Date.now());
    try {
      const found = await photos(from, to, { box: boxOf(bounds), signal });
      if (signal.aborted) return;
      const limit = found.complete ? null : plural(found.photos.length, "Only the first photo is shown.", "Only the first {n} photos are shown.", { n: number(found.photos.length) });
      this.#draw(found.photos, found.problem ?? limit ?? (isShort ? t("Only photos of the last {n} days are shown.", { n: MAXIMUM_DAYS }) : null));
    } catch (error) {
      if (!isAborted(error)) throw error;
    }
  }

  #draw(list, note) {
    if (!list.length && !this.#count) return this.#noted(note);
    this.#count = list.length;
    this.#layer.show(list);
    document.body.dataset.photos = list.length;
    this.#noted(note);
  }
}

// Limits a period to the newest days that the API accepts; milliseconds. `isShort`: whether the period is longer.
export function within({ from, to }, now) {
  const end = to ? Math.min(Date.parse(to), now + DAY) : now + DAY;
  const first = end - MAXIMUM_DAYS * DAY;
  const begin = from ? Date.parse(from) : -Infinity;
  // A period that begins after tomorrow has no photos; this is not an error.
  return { from: Math.min(Math.max(begin, first), end - 1), to: end, isShort: begin < first };
}
