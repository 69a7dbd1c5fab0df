// Names and titles of visits and trips.

import * as format from "/format.js";
import { MODES } from "/format.js";
import { t } from "/texts.js";

export const UNNAMED = t("Unnamed place");

// The name of a visit: its own, that of its place, that of the address, or that of the town, state or country; null if it has none.
export function nameOf(visit) {
  const address = visit.address?.name ?? visit.address?.text?.split(", ").slice(0, 2).join(", ");
  return visit.name ?? visit.place?.name ?? address ?? (visit.town ? t("Near {town}", { town: visit.town }) : visit.state ?? format.countryName(visit.country_code, visit.country) ?? null);
}

export const titleOf = (visit) => nameOf(visit) ?? UNNAMED;

export const modeOf = (trip) => MODES[trip.mode];

// Duration in milliseconds; of a visit without a departure, until it was last seen.
export const lengthOf = (entry) => Date.parse(entry.departure ?? entry.end ?? entry.seen) - Date.parse(entry.arrival ?? entry.start);

export const startOf = (entry) => Date.parse(entry.arrival ?? entry.start);
export const endOf = (entry) => Date.parse(entry.departure ?? entry.end ?? entry.seen);

export const kindOf = (entry) => (entry.arrival ? "visit" : "trip");

export const lengthText = (entry) => format.duration(entry.duration * 1000);
