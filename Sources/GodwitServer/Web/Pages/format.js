// Formats of numbers and times, in the language, units and time zone that the user chose. They are data attributes of the page's root
// element; without them: metric units, and the browser's language and time zone.

import { plural, t } from "/texts.js";

const chosen = document.documentElement.dataset;
const language = document.documentElement.lang || "en";

// The browser's variant of the language of the texts, which determines 24 or 12 hours and the order of day and month.
export const locale = navigator.languages.find((tag) => tag.split("-")[0] === language) ?? (language === "en" ? "en-GB" : language);
// The time zone of times without a time zone of their own; undefined: the browser's.
export const timeZone = isKnown(chosen.timeZone) ? chosen.timeZone : undefined;

// Whether the browser knows a time zone. Older browsers lack the newest ones.
export function isKnown(zone) {
  if (!zone) return false;
  try {
    return Boolean(new Intl.DateTimeFormat("en", { timeZone: zone }));
  } catch {
    return false;
  }
}

// The first day of the week: 1 is Monday, 7 is Sunday.
export const firstDay = { monday: 1, saturday: 6, sunday: 7 }[chosen.firstDay] ?? weekOf(locale);

function weekOf(tag) {
  const known = /** @type {any} */ (new Intl.Locale(tag));
  return (known.getWeekInfo?.() ?? known.weekInfo)?.firstDay ?? 1;
}

// Factors of the units: metres of the short and the long unit of length, and metres per second of the unit of speed.
const UNITS = {
  metric: { short: [1, "m"], long: [1000, "km"], speed: [1 / 3.6, "km/h"] },
  imperial: { short: [0.3048, "ft"], long: [1609.344, "mi"], speed: [0.44704, "mph"] },
  nautical: { short: [1, "m"], long: [1852, "nmi"], speed: [1852 / 3600, "kn"] },
};
export const unitSystem = chosen.units in UNITS ? chosen.units : "metric";
const units = UNITS[unitSystem];

const digits = [0, 1, 2].map((places) => new Intl.NumberFormat(locale, { minimumFractionDigits: places, maximumFractionDigits: places }));

// A number with thousands separators.
export const number = (value, places = 0) => digits[places].format(value);

// A speed without its unit, which is `speedUnit`.
export const speedUnit = units.speed[1];
// Metres per second of that unit.
export const speedFactor = units.speed[0];
export function speed(metersPerSecond) {
  return metersPerSecond == null ? "–" : number(metersPerSecond / units.speed[0], metersPerSecond < 2.75 ? 1 : 0);
}

// Joins a number and its unit with a no-break space.
const of = (number, unit) => `${number}\u00a0${unit}`;

// The states of a live connection.
export const STATES = {
  connecting: t("Connecting…"), live: t("Live"), reconnecting: t("Reconnecting…"), offline: t("Offline"), still: t("Paused"), ended: t("Ended"), loading: t("Loading…"),
};

// An altitude or an accuracy, in the short unit.
export const meters = (value) => (value == null ? "–" : of(number(value / units.short[0]), units.short[1]));

// A distance; short distances are in the short unit.
export function distance(value) {
  const long = value / units.long[0];
  if (long < (units.long[0] > 1000 ? 0.2 : 1)) return of(number(value / units.short[0]), units.short[1]);
  return of(number(long, long < 100 ? 1 : 0), units.long[1]);
}

export function duration(milliseconds) {
  const minutes = Math.round(milliseconds / 60000);
  const hours = Math.floor(minutes / 60);
  if (minutes < 60) return of(minutes, "min");
  if (hours < 48) return of(`${of(hours, "h")}\u00a0${String(minutes % 60).padStart(2, "0")}`, "min");
  const days = plural(Math.floor(hours / 24), "{n} day", "{n} days");
  return hours % 24 ? `${days}\u00a0${of(hours % 24, "h")}` : days;
}

export function age(milliseconds) {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return t("{n} s ago", { n: seconds });
  if (seconds < 3600) return t("{n} min ago", { n: Math.floor(seconds / 60) });
  if (seconds < 86400) return t("{n} h ago", { n: Math.floor(seconds / 3600) });
  if (seconds < 86400 * 60) return plural(Math.floor(seconds / 86400), "{n} day ago", "{n} days ago");
  return null; // The caller shows the date.
}

const moment = (options) => {
  const format = new Intl.DateTimeFormat(locale, { timeZone, ...options });
  return (value) => format.format(new Date(value));
};

// The hour of a time of day: "14", and "2" on a clock of 12 hours.
export const hourDigits = new Intl.DateTimeFormat(locale, { hour: "numeric" }).resolvedOptions().hour12 ? "numeric" : "2-digit";

// Formats of times, given in milliseconds or as a text: "14:05:09", "14:05", "5 Oct 2026", "5 Oct 2026, 14:05", "5 Oct".
export const time = moment({ hour: hourDigits, minute: "2-digit", second: "2-digit" });
export const clock = moment({ hour: hourDigits, minute: "2-digit" });
export const date = moment({ dateStyle: "medium" });
const dateAndTime = moment({ dateStyle: "medium", timeStyle: "short" });
export const when = (value) => (value ? dateAndTime(value) : "–");
export const dayAndMonth = moment({ day: "numeric", month: "short" });

// A name chosen by a user or a device, for use inside a sentence: without characters that change the text direction, and isolated from the
// surrounding text (Unicode Standard Annex #9).
export const isolated = (name) => `\u2068${String(name).replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "")}\u2069`;

// Compares two names in the order of the language; numbers in them count by their value: "van 2" is before "van 10".
export const byName = new Intl.Collator(locale, { numeric: true }).compare;

// A text for a search that ignores case and accents, in whatever form the accents are encoded (Unicode Standard Annex #15).
export const folded = (text) => text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").toLocaleLowerCase(locale);

// A name of at most `length` characters; a longer one is cut and ends with "…". An emoji of two UTF-16 code units is not divided.
export function shortened(name, length) {
  const characters = [...name];
  return characters.length > length ? `${characters.slice(0, length - 1).join("").trimEnd()}…` : name;
}

export function battery(level, state) {
  if (level == null) return "–";
  const sign = state === "charging" ? "\u00a0⚡" : state === "full" ? "\u00a0✓" : "";
  return of(Math.round(level * 100), `%${sign}`);
}

const regions = new Intl.DisplayNames(locale, { type: "region", fallback: "none" });

// The name of a country by its two-letter code (ISO 3166-1); `name` if the browser does not know the code.
export function countryName(code, name) {
  try {
    return (code && regions.of(code)) || name;
  } catch {
    return name; // No code of a country.
  }
}

// Modes of transport, in the order in which they are shown.
export const MODES = {
  walk: t("On foot"), run: t("Running"), cycle: t("Bicycle"), car: t("Car or bus"), train: t("Train"), plane: t("Plane"), boat: t("Boat"),
  unknown: t("Unknown"),
};

// Degrees, with minutes and seconds if the distance between two grid lines requires them.
export function degrees(value, step, isLatitude) {
  const side = isLatitude ? (value < 0 ? "S" : "N") : value < 0 ? "W" : "E";
  const seconds = Math.round(Math.abs(value) * 3600);
  const [d, m, s] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), seconds % 60];
  let text = `${d}°`;
  if (step < 1) text += `${String(m).padStart(2, "0")}′`;
  if (step < 1 / 60 - 1e-9) text += `${String(s).padStart(2, "0")}″`;
  return value === 0 ? text : text + side;
}

// The program in a User-Agent header: "Firefox 140 on Android"; for other programs the product name and version, such as "curl 8.5".
export function program(agent) {
  if (!agent) return "–";
  const browser = [
    [/Edg(?:A|iOS)?\/(\d+)/, "Edge"], [/OPR\/(\d+)/, "Opera"], [/SamsungBrowser\/(\d+)/, "Samsung Internet"],
    [/(?:Firefox|FxiOS)\/(\d+)/, "Firefox"], [/(?:Chrome|CriOS|Chromium)\/(\d+)/, "Chrome"],
    [/Version\/(\d+)[\d.]* .*Safari\//, "Safari"],
  ].map(([pattern, name]) => [agent.match(pattern), name]).find(([found]) => found);
  const system = /** @type {[RegExp, string][]} */ ([
    [/iPhone|iPad|iPod/, "iOS"], [/Android/, "Android"], [/Windows/, "Windows"], [/Mac OS X|Macintosh/, "macOS"],
    [/CrOS/, "ChromeOS"], [/Linux/, "Linux"],
  ]).find(([pattern]) => pattern.test(agent))?.[1];
  if (browser) return system ? t("{browser} on {system}", { browser: `${browser[1]} ${browser[0][1]}`, system }) : `${browser[1]} ${browser[0][1]}`;
  const [, name, version] = agent.match(/^([^\s/(]+)(?:\/(\d+(?:\.\d+)?))?/) ?? [];
  return name ? `${name}${version ? ` ${version}` : ""}`.slice(0, 40) : agent.slice(0, 40);
}
