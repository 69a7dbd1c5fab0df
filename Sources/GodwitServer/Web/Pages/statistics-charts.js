// Charts of the statistics: the days of a year, and the distances of months or years by mode.

import { element } from "/elements.js";
import * as format from "/format.js";
import { MODES } from "/format.js";
import { t } from "/texts.js";

const DAY = 86400000;

export const MONTHS = Array.from({ length: 12 }, (_, month) =>
  new Date(Date.UTC(2024, month, 15)).toLocaleDateString(format.locale, { month: "short", timeZone: "UTC" }));

export const hours = (seconds) => format.duration(seconds * 1000);

// Modes on the ground. A flight is longer than all other trips of a month, so flights have a separate scale.
export const GROUND = Object.keys(MODES).filter((mode) => mode !== "plane");
export const groundOf = (modes) => GROUND.reduce((sum, mode) => sum + (modes[mode]?.distance ?? 0), 0);

export function drawing(tag, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

// A round number at or above a distance, for the upper end of a scale.
export function roundedUp(metres) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, metres)));
  return [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((value) => value >= metres);
}

// MARK: Days

// The days of a year as a calendar with links to the timeline. Arrow keys move between days.
export function calendar(days, year, device) {
  const known = new Map(days.map((day) => [day.day, day]));
  const cell = 17;
  const first = Date.UTC(year, 0, 1);
  // Days between the first day of the week and the first of January.
  const shift = (new Date(first).getUTCDay() - format.firstDay + 14) % 7;
  // Flights are excluded, because a long flight would make all other days pale.
  const ground = (day) => groundOf(day.modes);
  const maximum = Math.max(1, ...days.map(ground));
  const svg = drawing("svg", { viewBox: `0 0 ${53.5 * cell + 30} ${7 * cell + 22}`, role: "group" });
  svg.setAttribute("aria-label", t("Distance of each day of {year}", { year }));
  MONTHS.forEach((name, month) => {
    const index = (Date.UTC(year, month, 1) - first) / DAY + shift;
    svg.append(drawing("text", { x: 24 + Math.floor(index / 7) * cell, y: 11 }, name));
  });
  // Monday, Wednesday and Friday have a label.
  [0, 1, 2, 3, 4, 5, 6].filter((row) => [1, 3, 5].includes((format.firstDay + row) % 7)).forEach((row) => {
    // The first of January 2024 was a Monday.
    const name = new Date(Date.UTC(2024, 0, format.firstDay + row)).toLocaleDateString(format.locale, { weekday: "short", timeZone: "UTC" });
    svg.append(drawing("text", { x: 0, y: 18 + row * cell + 11 }, name.slice(0, 3)));
  });
  const links = [];
  for (let time = first; new Date(time).getUTCFullYear() === year; time += DAY) {
    const date = new Date(time).toISOString().slice(0, 10);
    const index = (time - first) / DAY + shift;
    const place = { x: 24 + Math.floor(index / 7) * cell, y: 18 + (index % 7) * cell, width: cell - 3, height: cell - 3, rx: 3 };
    const day = known.get(date);
    if (!day) {
      svg.append(drawing("rect", { ...place, "fill-opacity": 0.5 }));
      continue;
    }
    const isFlight = Boolean(day.modes.plane);
    const rect = drawing("rect", {
      ...place, ...(isFlight ? { fill: "var(--plane)", class: "flight" } : { "fill-opacity": 0.2 + 0.8 * Math.sqrt(ground(day) / maximum) }),
    });
    const words = isFlight
      ? t("{date}: {distance}, {time} on the move, with a flight", { date, distance: format.distance(day.distance), time: hours(day.moving) })
      : t("{date}: {distance}, {time} on the move", { date, distance: format.distance(day.distance), time: hours(day.moving) });
    const href = `/timeline?${new URLSearchParams({ device, day: date })}`;
    const link = drawing("a", { href, "aria-label": words, tabindex: links.length ? -1 : 0, "data-index": index }, drawing("title", {}, words), rect);
    links.push(link);
    svg.append(link);
  }
  svg.addEventListener("keydown", (event) => {
    const step = { ArrowUp: -1, ArrowDown: 1, ArrowLeft: -7, ArrowRight: 7 }[event.key];
    const here = links.indexOf(document.activeElement);
    if (!step || here < 0) return;
    event.preventDefault();
    // The next day with data in that direction.
    const wanted = Number(links[here].dataset.index) + step;
    const next = step > 0
      ? links.find((link) => Number(link.dataset.index) >= wanted)
      : links.findLast((link) => Number(link.dataset.index) <= wanted);
    if (!next) return;
    links[here].setAttribute("tabindex", -1);
    next.setAttribute("tabindex", 0);
    next.focus();
  });
  const box = element("calendar");
  box.replaceChildren(svg);
  // On a narrow screen, the newest days are scrolled into view.
  const newest = links.at(-1)?.getBoundingClientRect();
  if (newest) box.scrollLeft += newest.right - box.getBoundingClientRect().right + 60;
}

// MARK: Distances

// Bars of some periods, stacked by mode. Flights are above them on a separate scale. `bars` have `label`, `modes` and, optionally, `href`
// for the period's link.
export function distances(place, bars) {
  const flown = bars.map(({ modes }) => modes.plane?.distance ?? 0);
  const hasFlights = flown.some((metres) => metres > 0);
  const [width, left, bottom, gap] = [900, 66, 24, hasFlights ? 26 : 0];
  const [groundHeight, flightHeight] = [170, hasFlights ? 70 : 0];
  const height = 12 + flightHeight + gap + groundHeight + bottom;
  const words = bars.filter(({ modes }) => Object.keys(modes).length).map(({ label, modes }) =>
    (modes.plane
      ? t("{label}: {distance} and {flown} by plane", { label, distance: format.distance(groundOf(modes)), flown: format.distance(modes.plane.distance) })
      : `${label}: ${format.distance(groundOf(modes))}`)).join("; ");
  const svg = drawing("svg", { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": words || t("No data") });
  const wide = (width - left) / bars.length;
  const inset = Math.min(8, wide / 6);

  const scale = (top, size, maximum, ticks) => {
    const y = (metres) => top + size * (1 - metres / maximum);
    for (const part of ticks) {
      svg.append(drawing("line", { x1: left, x2: width, y1: y(maximum * part), y2: y(maximum * part), stroke: "var(--line)" }));
      svg.append(drawing("text", { x: left - 8, y: y(maximum * part) + 4, "text-anchor": "end" }, format.distance(maximum * part)));
    }
    return y;
  };
  const bar = (index, y, from, to, mode) => {
    const [top, low] = [y(to), y(from)];
    const rect = drawing("rect", {
      x: left + index * wide + inset, width: wide - 2 * inset, y: top, height: Math.max(0.5, low - top), fill: `var(--${mode})`,
    });
    rect.append(drawing("title", {}, `${bars[index].label}, ${MODES[mode]}: ${format.distance(to - from)}`));
    return rect;
  };

  const base = 12 + flightHeight + gap;
  const ground = scale(base, groundHeight, roundedUp(Math.max(1000, ...bars.map(({ modes }) => groundOf(modes)))), [0, 0.5, 1]);
  const flight = hasFlights ? scale(12, flightHeight, roundedUp(Math.max(...flown)), [0, 1]) : null;
  if (hasFlights) svg.append(drawing("text", { x: left, y: 12 + flightHeight + 15, class: "axis" }, `↑ ${t("Flights, on their own scale")}`));
  bars.forEach(({ label, modes, href }, index) => {
    const group = href ? drawing("a", { href, "aria-label": label }) : drawing("g");
    // The whole column is the link to its period.
    if (href) group.append(drawing("rect", { x: left + index * wide, width: wide, y: 0, height, fill: "transparent", class: "column" }));
    let sum = 0;
    for (const mode of GROUND) {
      const metres = modes[mode]?.distance ?? 0;
      if (!metres) continue;
      group.append(bar(index, ground, sum, sum + metres, mode));
      sum += metres;
    }
    if (flight && flown[index]) group.append(bar(index, flight, 0, flown[index], "plane"));
    group.append(drawing("text", { x: left + (index + 0.5) * wide, y: height - 6, "text-anchor": "middle" }, label));
    svg.append(group);
  });
  place.replaceChildren(svg);
}
