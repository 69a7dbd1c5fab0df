// Ranges of days: one that contains a day, all days, or two days that were chosen. Days are those of the calendar, "2026-11-25".

import { day as dayOf, firstDay } from "/format.js";

export const RANGES = { day: "Day", week: "Week", month: "Month", year: "Year", all: "All time", custom: "Custom" };

// Midnight, whichever length the day has.
const date = (day) => new Date(`${day}T00:00:00`);
const moved = (day, days) => {
  const moment = date(day);
  moment.setDate(moment.getDate() + days);
  return dayOf(moment.getTime());
};

// The first day and the last day of a range; null: open. `first`: the first day of the week, 1 is Monday.
export function daysOf({ range, day, from, to }, first = firstDay) {
  const [year, month] = day.split("-").map(Number);
  switch (range) {
    case "day": return [day, day];
    case "week": {
      const begin = moved(day, -((date(day).getDay() - first + 7) % 7));
      return [begin, moved(begin, 6)];
    }
    case "month": return [dayOf(new Date(year, month - 1, 1).getTime()), dayOf(new Date(year, month, 0).getTime())];
    case "year": return [`${day.slice(0, 4)}-01-01`, `${day.slice(0, 4)}-12-31`];
    // Two days in the wrong order are a range too.
    case "custom": return from && to && from > to ? [to, from] : [from || null, to || null];
    default: return [null, null];
  }
}

// The same as moments for the API; the second one is the end.
export function momentsOf(choice) {
  const [first, last] = daysOf(choice);
  return { from: first && date(first).toISOString(), to: last && date(moved(last, 1)).toISOString() };
}
