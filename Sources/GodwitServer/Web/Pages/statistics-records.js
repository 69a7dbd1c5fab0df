// The records of a year or of all years, as cards with links to their days.

import { dayOf } from "/days.js";
import { make, named } from "/elements.js";
import * as format from "/format.js";
import { MODES } from "/format.js";
import { plural, t } from "/texts.js";

const coordinates = ({ latitude, longitude }) => `${latitude.toFixed(3)}, ${longitude.toFixed(3)}`;

export const placeName = ({ place, name, address, town, country: english, country_code: code, latitude, longitude }) => {
  const country = format.countryName(code, english);
  return place?.name ?? name ?? address?.name ?? address?.text?.split(", ").slice(0, 2).join(", ")
    ?? (town ? (country && country !== town ? `${town}, ${country}` : town) : country) ?? coordinates({ latitude, longitude });
};

// The names of the places of a list. Places with the same name, such as those of one town, also have their coordinates.
/** @type {(places: any[]) => string[]} */
export function placeNames(places) {
  const names = places.map(placeName);
  return names.map((name, index) => {
    const place = coordinates(places[index]);
    return names.indexOf(name) === names.lastIndexOf(name) || name === place ? name : `${name} (${place})`;
  });
}

const shownDay = (day) => new Date(`${day}T12:00:00Z`).toLocaleDateString(format.locale, { dateStyle: "long", timeZone: "UTC" });

function card(title, value, text, device, day) {
  const link = make("a", { className: "record", href: `/timeline?${new URLSearchParams({ device, day })}` },
    make("small", { textContent: title }), make("b", { textContent: value }), make("span", {}, ...text), make("time", { textContent: shownDay(day), dateTime: day }));
  return make("li", {}, link);
}

// The list items of the records.
export function recordCards(records) {
  const { device, time_zone: zone, furthest, longest_day: longestDay, active_streak: streak, modes } = records;
  const cards = [];
  if (furthest && furthest.distance > 1000) {
    cards.push(card(t("Furthest from home"), format.distance(furthest.distance),
      [named(placeName(furthest.visit))], device, dayOf(Date.parse(furthest.visit.arrival), zone)));
  }
  if (longestDay) cards.push(card(t("Longest day"), format.distance(longestDay.distance), [t("without flights")], device, longestDay.day));
  if (streak && streak.days > 1) {
    cards.push(card(t("Most days in a row"), plural(streak.days, "{n} day", "{n} days"), [t("with {distance} on foot or by bicycle", { distance: format.distance(1000) })], device, streak.first));
  }
  for (const mode of Object.keys(MODES)) {
    const best = modes.find((record) => record.mode === mode);
    if (!best || mode === "unknown") continue;
    if (best.longest) {
      const { distance, duration, start } = best.longest;
      cards.push(card(t("Longest trip: {mode}", { mode: MODES[mode] }), format.distance(distance), [format.duration(duration * 1000)], device, dayOf(Date.parse(start), zone)));
    }
    if (best.fastest) {
      cards.push(card(t("Fastest: {mode}", { mode: MODES[mode] }), `${format.speed(best.top_speed)}\u00a0${format.speedUnit}`, [format.distance(best.fastest.distance)], device,
        dayOf(Date.parse(best.fastest.start), zone)));
    }
  }
  return cards;
}
