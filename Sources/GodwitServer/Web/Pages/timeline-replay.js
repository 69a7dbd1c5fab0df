// The time slider: shows the position at a time on the map, in the profile and in the list. "Play" moves it.

import { make } from "/elements.js";
import { t } from "/texts.js";

const SECONDS = 40; // for the whole time
const STEPS = 2000;

export class Replay {
  #box;
  #slider;
  #play;
  #output;
  #points = [];
  #begin = 0;
  #end = 1;
  #time = null;
  #frame = null;
  #options;

  // `at(time, point, index)` is called with the shown time, or with null when none is shown. `clock(time)` returns its text.
  constructor(box, options) {
    this.#box = box;
    this.#options = options;
    this.#play = make("button", { type: "button", className: "play", textContent: "▶", ariaLabel: t("Play") });
    this.#slider = make("input", { type: "range", min: "0", max: `${STEPS}`, value: "0", step: "1", ariaLabel: t("Time") });
    this.#output = make("output", { textContent: "–" });
    box.replaceChildren(this.#play, this.#slider, this.#output);
    this.#slider.addEventListener("input", () => {
      this.#pause();
      this.#show(this.#begin + (this.#slider.value / STEPS) * (this.#end - this.#begin));
    });
    this.#play.addEventListener("click", () => (this.#frame ? this.#pause() : this.#start()));
    // A hidden page does not play.
    document.addEventListener("visibilitychange", () => document.hidden && this.#pause());
  }

  // Sets the points, in the order of their times.
  load(points) {
    this.#pause();
    this.#points = points;
    this.#box.hidden = points.length < 2;
    if (points.length < 2) return this.stop();
    [this.#begin, this.#end] = [points[0].time, points[points.length - 1].time];
    this.stop();
  }

  // Shows no time.
  stop() {
    this.#pause();
    this.#time = null;
    this.#slider.value = 0;
    this.#output.textContent = this.#points.length ? this.#options.clock(this.#begin) : "–";
    this.#slider.setAttribute("aria-valuetext", this.#output.textContent);
    this.#options.at(null, null);
  }

  // Shows the time of a point, such as that under the pointer in the profile.
  show(time) {
    this.#pause();
    this.#show(time);
  }

  #show(time) {
    this.#time = Math.max(this.#begin, Math.min(this.#end, time));
    this.#slider.value = Math.round(((this.#time - this.#begin) / Math.max(1, this.#end - this.#begin)) * STEPS);
    this.#output.textContent = this.#options.clock(this.#time);
    this.#slider.setAttribute("aria-valuetext", this.#output.textContent);
    const index = this.#indexAt(this.#time);
    this.#options.at(this.#time, this.#placeAt(index), index);
  }

  // The index of the last point at or before a time.
  #indexAt(time) {
    let [low, high] = [0, this.#points.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#points[middle].time <= time) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  // The position between two points that are close in time, by linear interpolation.
  #placeAt(index) {
    const [a, b] = [this.#points[index], this.#points[index + 1]];
    if (!b || b.time - a.time > 900000 || Math.abs(b.lon - a.lon) > 180) return a;
    const share = (this.#time - a.time) / Math.max(1, b.time - a.time);
    return { lat: a.lat + (b.lat - a.lat) * share, lon: a.lon + (b.lon - a.lon) * share };
  }

  #start() {
    if (this.#time === null || this.#time >= this.#end) this.#time = this.#begin;
    const speed = (this.#end - this.#begin) / (SECONDS * 1000);
    let last = null;
    this.#play.textContent = "❚❚";
    this.#play.ariaLabel = t("Pause");
    const step = (now) => {
      this.#show(this.#time + (last === null ? 0 : (now - last) * speed));
      last = now;
      if (this.#time >= this.#end) this.#pause();
      else this.#frame = requestAnimationFrame(step);
    };
    this.#frame = requestAnimationFrame(step);
  }

  #pause() {
    if (this.#frame) cancelAnimationFrame(this.#frame);
    this.#frame = null;
    this.#play.textContent = "▶";
    this.#play.ariaLabel = t("Play");
  }
}
