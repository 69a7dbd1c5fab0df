// Days in the time zone of a device, not of the browser. A day is a text such as 2026-10-25; a time is in milliseconds since 1970.

import { firstDay, hourDigits, isKnown, locale, timeZone } from "/format.js";

const MINUTE = 60000;
const HOUR = 3600000;
const DAY = 86400000;
const formats = new Map();

// A time zone that the browser does not know is replaced by the one in which times are shown.
function formatter(zone, options) {
  const key = `${zone} ${JSON.stringify(options)}`;
  if (!formats.has(key)) {
    formats.set(key, new Intl.DateTimeFormat(options.locale ?? locale, { ...options, timeZone: isKnown(zone) ? zone : timeZone }));
  }
  return formats.get(key);
}

// The names of time zones: UTC, those of the browser, and `chosen`, which the browser may list by an older name. Chromium lists
// Asia/Calcutta instead of Asia/Kolkata.
export const zoneNames = (chosen = null) =>
  [...new Set(["UTC", ...[...Intl.supportedValuesOf("timeZone"), ...(chosen ? [chosen] : [])].sort()])];

// The options of a field for a time zone.
export const zoneOptions = (chosen = null) =>
  zoneNames(chosen).map((zone) => new Option(zone.replaceAll("_", " "), zone, false, zone === chosen));

// Whether two names are of the same time zone, as far as the browser knows.
export const isSameZone = (one, other) =>
  one === other || [one, other].every(isKnown) && new Set([one, other].map((zone) => formatter(zone, { locale: "en" }).resolvedOptions().timeZone)).size === 1;

// The day that contains a time.
export const dayOf = (time, zone) =>
  formatter(zone, { locale: "sv-SE", year: "numeric", month: "2-digit", day: "2-digit" }).format(time);

export const today = (zone) => dayOf(Date.now(), zone);

// The year of the newest point of a device, or the current one, in the time zone in which times are shown.
export const newestYear = (device, zone = timeZone) =>
  Number(dayOf(device.last ? Date.parse(device.last.properties.timestamp) : Date.now(), zone).slice(0, 4));

// Adds a number of days, which may be negative. Calendar days need no time zone.
export const addDays = (day, days) => new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY).toISOString().slice(0, 10);

// The number of days from one day to another.
export const daysBetween = (from, to) => Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY);

export const isDay = (text) => /^\d{4}-\d{2}-\d{2}$/.test(text ?? "") && !Number.isNaN(Date.parse(`${text}T00:00:00Z`)) && addDays(text, 0) === text;

// The first time of a day; where the clocks skip midnight, the first time after it.
export function startOf(day, zone) {
  const noon = Date.parse(`${day}T00:00:00Z`);
  // UTC offsets are below 24 h.
  let [before, after] = [noon - DAY, noon + DAY];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (dayOf(middle, zone) < day) before = middle;
    else after = middle;
  }
  return after;
}

// The start of a day as a text for the API.
export const momentOf = (day, zone) => new Date(startOf(day, zone)).toISOString();

// The start and end of a day, or of all days up to `last`: a day has 23 or 25 hours when the clocks change. `end` is exclusive.
export const boundsOf = (day, zone, last = day) => ({ start: startOf(day, zone), end: startOf(addDays(last, 1), zone) });

// The first day of the week that contains a day. `first`: 1 is Monday, 7 Sunday.
export function weekOf(day, first = firstDay) {
  const number = new Date(`${day}T00:00:00Z`).getUTCDay() || 7;
  return addDays(day, -((number - first + 7) % 7));
}

// The hours of a day as the server counts them: in whole hours of UTC. Returns their starts by the hour of the day in which they begin; null
// for an hour that the clocks skip. Of an hour that occurs twice, the first one.
export function hoursOf(day, zone) {
  const { start, end } = boundsOf(day, zone);
  const hours = Array(24).fill(null);
  for (let time = Math.ceil(start / HOUR) * HOUR; time < end; time += HOUR) {
    hours[Number(formatter(zone, { locale: "en-GB", hour: "2-digit", minute: "2-digit" }).format(time).slice(0, 2))] ??= time;
  }
  return hours;
}

const wall = (time, zone) => `${dayOf(time, zone)} ${formatter(zone, { locale: "en-GB", hour: "2-digit", minute: "2-digit" }).format(time)}`;

// Whether the time of day occurs twice on this day.
const isTwice = (time, zone) => [30, 60, 120].some((minutes) =>
  [time - minutes * MINUTE, time + minutes * MINUTE].some((other) => wall(other, zone) === wall(time, zone)));

// The UTC offset at a time: "UTC+2".
export function offset(time, zone) {
  const part = formatter(zone, { locale: "en", timeZoneName: "shortOffset" }).formatToParts(time).find(({ type }) => type === "timeZoneName");
  return (part?.value ?? "UTC").replace("GMT", "UTC");
}

// The time of day: "14:05", or "02:30 (UTC+1)" if it occurs twice.
export function clock(time, zone) {
  const text = formatter(zone, { hour: hourDigits, minute: "2-digit" }).format(time);
  return isTwice(time, zone) ? `${text} (${offset(time, zone)})` : text;
}

// "Mon, 4 May", with the year if it is not this one.
/** @type {(day: string, options?: Intl.DateTimeFormatOptions) => string} */
export function dayName(day, options = { weekday: "short", day: "numeric", month: "short" }) {
  const isOther = day.slice(0, 4) !== String(new Date().getFullYear());
  return formatter("UTC", { ...options, ...(isOther ? { year: "numeric" } : {}) }).format(Date.parse(`${day}T12:00:00Z`));
}

// The value of a field `datetime-local`, and its inverse. For a time that occurs twice, the first one, or the one closest to `near`. null
// for a text that is not a time, or a time that the clocks skip.
export const toField = (time, zone) => wall(time, zone).replace(" ", "T");

export function fromField(text, zone, near = null) {
  const [day, clockTime] = text.split("T");
  if (!isDay(day) || !/^\d{2}:\d{2}/.test(clockTime ?? "")) return null;
  const wanted = `${day} ${clockTime.slice(0, 5)}`;
  const asUTC = Date.parse(`${day}T${clockTime.slice(0, 5)}:00Z`);
  const found = [];
  // UTC offsets are multiples of a quarter of an hour. Historical ones are not, and are rounded to the minute.
  for (const time of [...offsetsAround(asUTC, zone)].map((minutes) => asUTC - minutes * MINUTE)) if (wall(time, zone) === wanted) found.push(time);
  if (!found.length) return null;
  const sorted = [...new Set(found)].sort((a, b) => a - b);
  return near === null ? sorted[0] : sorted.reduce((best, time) => (Math.abs(time - near) < Math.abs(best - near) ? time : best));
}

// The UTC offsets, in minutes, that are in effect within a day of a time.
function offsetsAround(time, zone) {
  const offsets = new Set();
  for (let other = time - DAY; other <= time + DAY; other += DAY / 2) {
    offsets.add(Math.round((Date.parse(`${wall(other, zone).replace(" ", "T")}:00Z`) - Math.floor(other / MINUTE) * MINUTE) / MINUTE));
  }
  return offsets;
}
