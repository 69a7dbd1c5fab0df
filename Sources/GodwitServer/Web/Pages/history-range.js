// Ranges of days: the day, week, month or year that contains a day, all days, or two chosen days.

import { addDays, momentOf, weekOf } from "/days.js";
import { firstDay } from "/format.js";
import { t } from "/texts.js";

export const RANGES = { day: t("Day"), week: t("Week"), month: t("Month"), year: t("Year"), all: t("All time"), custom: t("Custom") };

// The last day of a month: the one before the first day of the next month.
function lastOfMonth(day) {
  const [year, month] = day.split("-").map(Number);
  return addDays(new Date(Date.UTC(year, month, 1)).toISOString().slice(0, 10), -1);
}

// Returns the first and the last day of a range; null: open. `first`: the first day of the week, 1 is Monday.
export function daysOf({ range, day, from, to }, first = firstDay) {
  switch (range) {
    case "day": return [day, day];
    case "week": return [weekOf(day, first), addDays(weekOf(day, first), 6)];
    case "month": return [`${day.slice(0, 8)}01`, lastOfMonth(day)];
    case "year": return [`${day.slice(0, 4)}-01-01`, `${day.slice(0, 4)}-12-31`];
    // Two chosen days may be in the wrong order.
    case "custom": return from && to && from > to ? [to, from] : [from || null, to || null];
    default: return [null, null];
  }
}

// Returns a range as texts for the API, in a time zone; `to` is exclusive.
export function momentsOf(choice, zone) {
  const [first, last] = daysOf(choice);
  return { from: first && momentOf(first, zone), to: last && momentOf(addDays(last, 1), zone) };
}
