// The days that the timeline shows, and their form in the URL: one day, or a range of days.

import { addDays, boundsOf, dayName, daysBetween, isDay, weekOf } from "/days.js";

export const MAXIMUM_DAYS = 366;

export class DayRange {
  // `last` is inclusive.
  constructor(first, last = first) {
    this.first = first <= last ? first : last;
    this.last = first <= last ? last : first;
    if (this.length > MAXIMUM_DAYS) this.last = addDays(this.first, MAXIMUM_DAYS - 1);
  }

  static week(day) {
    const first = weekOf(day);
    return new DayRange(first, addDays(first, 6));
  }

  // The days of a URL's query; null if it has none.
  static from(parameters) {
    const [day, from, to] = ["day", "from", "to"].map((name) => parameters.get(name));
    if (isDay(day)) return new DayRange(day);
    return isDay(from) && isDay(to) ? new DayRange(from, to) : null;
  }

  get parameters() { return this.length === 1 ? { day: this.first } : { from: this.first, to: this.last }; }
  get length() { return daysBetween(this.first, this.last) + 1; }
  get days() { return Array.from({ length: this.length }, (_, index) => addDays(this.first, index)); }
  get name() { return this.length === 1 ? dayName(this.first) : `${dayName(this.first)} – ${dayName(this.last)}`; }

  // The range before (-1) or after (1).
  step(direction) { return new DayRange(addDays(this.first, direction * this.length), addDays(this.last, direction * this.length)); }

  bounds(zone) { return boundsOf(this.first, zone, this.last); }

  // The tolerance of the lines in metres, so that a month is drawn as fast as a day.
  get detail() { return this.length <= 2 ? 0 : this.length <= 14 ? 10 : this.length <= 62 ? 40 : 100; }
}
