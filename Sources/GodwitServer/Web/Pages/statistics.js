// The statistics of a year: days, months, modes and places.

import * as api from "/api.js";
import { element, make, named } from "/elements.js";
import * as format from "/format.js";
import { MODES } from "/format.js";

const MONTHS = Array.from({ length: 12 }, (_, month) =>
  new Date(Date.UTC(2024, month, 15)).toLocaleDateString(format.locale, { month: "short", timeZone: "UTC" }));
const DAY = 86400000;

const view = { device: null, year: new Date().getFullYear(), devices: [] };

function drawing(tag, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

const hours = (seconds) => format.duration(seconds * 1000);

// MARK: Days

function calendar(days) {
  const known = new Map(days.map((day) => [day.day, day]));
  const cell = 17;
  const first = Date.UTC(view.year, 0, 1);
  // Days between the first day of the week and the first of January.
  const shift = (new Date(first).getUTCDay() - format.firstDay + 14) % 7;
  const maximum = Math.max(1, ...days.map(({ distance }) => distance));
  const svg = drawing("svg", { viewBox: `0 0 ${53.5 * cell + 30} ${7 * cell + 22}`, role: "group" });
  svg.setAttribute("aria-label", `Distance of each day of ${view.year}`);
  MONTHS.forEach((name, month) => {
    const index = (Date.UTC(view.year, month, 1) - first) / DAY + shift;
    svg.append(drawing("text", { x: 24 + Math.floor(index / 7) * cell, y: 11 }, name));
  });
  [1, 3, 5].forEach((row) => {
    // The first of January 2024 was a Monday.
    const name = new Date(Date.UTC(2024, 0, format.firstDay + row)).toLocaleDateString(format.locale, { weekday: "short", timeZone: "UTC" });
    svg.append(drawing("text", { x: 0, y: 18 + row * cell + 11 }, name.slice(0, 3)));
  });
  const links = [];
  for (let time = first; new Date(time).getUTCFullYear() === view.year; time += DAY) {
    const date = new Date(time).toISOString().slice(0, 10);
    const index = (time - first) / DAY + shift;
    const place = { x: 24 + Math.floor(index / 7) * cell, y: 18 + (index % 7) * cell, width: cell - 3, height: cell - 3, rx: 3 };
    const day = known.get(date);
    if (!day) {
      svg.append(drawing("rect", { ...place, "fill-opacity": 0.5 }));
      continue;
    }
    // Square roots, so that one long flight does not make all other days white.
    const rect = drawing("rect", { ...place, "fill-opacity": 0.2 + 0.8 * Math.sqrt(day.distance / maximum) });
    const words = `${date}: ${format.distance(day.distance)}, ${hours(day.moving)} on the move`;
    const href = `/timeline?${new URLSearchParams({ device: view.device, day: date })}`;
    const link = drawing("a", { href, "aria-label": words, tabindex: links.length ? -1 : 0, "data-index": index }, drawing("title", {}, words), rect);
    links.push(link);
    svg.append(link);
  }
  svg.addEventListener("keydown", (event) => {
    const step = { ArrowUp: -1, ArrowDown: 1, ArrowLeft: -7, ArrowRight: 7 }[event.key];
    const here = links.indexOf(document.activeElement);
    if (!step || here < 0) return;
    event.preventDefault();
    // The next day in that direction with points.
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
  // On a narrow screen the newest days are in view.
  const newest = links.at(-1)?.getBoundingClientRect();
  if (newest) box.scrollLeft += newest.right - box.getBoundingClientRect().right + 60;
}

// MARK: Months

function months(list) {
  const [width, height, bottom, left] = [900, 210, 24, 58];
  const maximum = Math.max(1, ...list.map(({ distance }) => distance));
  const words = list.map(({ month, distance }) => `${month}: ${format.distance(distance)}`).join("; ");
  const svg = drawing("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": words || "No data" });
  const y = (metres) => (height - bottom - 10) * (1 - metres / maximum) + 10;
  for (const part of [0, 0.5, 1]) {
    svg.append(drawing("line", { x1: left, x2: width, y1: y(maximum * part), y2: y(maximum * part), stroke: "var(--line)" }));
    svg.append(drawing("text", { x: left - 6, y: y(maximum * part) + 4, "text-anchor": "end" }, format.distance(maximum * part)));
  }
  const wide = (width - left) / 12;
  MONTHS.forEach((name, index) => {
    const x = left + index * wide;
    svg.append(drawing("text", { x: x + wide / 2, y: height - 6, "text-anchor": "middle" }, name));
    const month = list.find(({ month }) => Number(month.slice(5)) === index + 1);
    let sum = 0;
    for (const mode of Object.keys(MODES)) {
      const metres = month?.modes[mode]?.distance ?? 0;
      if (!metres) continue;
      const [top, low] = [y(sum + metres), y(sum)];
      sum += metres;
      const bar = drawing("rect", { x: x + 8, width: wide - 16, y: top, height: Math.max(0.5, low - top), fill: `var(--${mode})` });
      bar.append(drawing("title", {}, `${name}, ${MODES[mode]}: ${format.distance(metres)}`));
      svg.append(bar);
    }
  });
  element("months").replaceChildren(svg);
}

// MARK: Countries and towns

function stays(list, rows) {
  const most = Math.max(1, ...rows.map(({ days }) => days));
  element(list).replaceChildren(...rows.map(({ name, days, seconds }) => {
    const bar = make("div");
    bar.style.width = `${(days / most) * 100}%`;
    return make("li", {}, make("bdi", { textContent: name }),
      make("small", { textContent: `${format.count(days, "day")}, ${hours(seconds)}` }), bar);
  }));
  if (!rows.length) element(list).append(make("li", { textContent: "No visits." }));
}

// MARK: All

function show(sums) {
  const { total } = sums;
  element("year").textContent = view.year;
  element("summary").textContent = total.points
    ? `${format.distance(total.distance)} · ${hours(total.moving)} on the move · ${format.count(sums.days.length, "day")} with data · ${format.count(total.points, "point")}`
    : "No data for this year.";
  if (sums.pending) element("summary").textContent += " Still processing…";
  element("totals").replaceChildren(...Object.keys(MODES).filter((mode) => total.modes[mode]).map((mode) => {
    const { distance, moving } = total.modes[mode];
    const item = make("li", {}, make("b", { textContent: format.distance(distance) }),
      make("small", { textContent: `${MODES[mode]}, ${hours(moving)}` }));
    item.style.setProperty("--mode", `var(--${mode})`);
    return item;
  }));
  calendar(sums.days);
  months(sums.months);
  const longest = Math.max(1, ...sums.places.map(({ seconds }) => seconds));
  element("places").replaceChildren(...sums.places.slice(0, 10).map((place) => {
    const name = place.name ?? place.address?.name ?? place.address?.text ?? (place.town ? `Near ${place.town}` : undefined) ?? `${place.latitude.toFixed(4)}, ${place.longitude.toFixed(4)}`;
    const bar = make("div");
    bar.style.width = `${(place.seconds / longest) * 100}%`;
    const visits = `${place.visits} ${place.visits === 1 ? "visit" : "visits"}, ${hours(place.seconds)}`;
    return make("li", {}, named(name), make("small", { textContent: visits }), bar);
  }));
  if (!sums.places.length) element("places").append(make("li", { textContent: "No visits." }));
  stays("countries", sums.countries.map(({ name, days, seconds }) => ({ name, days, seconds })));
  stays("towns", sums.towns.slice(0, 20).map(({ name, state, days, seconds }) => ({ name: state ? `${name}, ${state}` : name, days, seconds })));
  // The source of the addresses is credited.
  element("sources").textContent = [...new Set(sums.places.map(({ address }) => address?.attribution).filter(Boolean))].join(" ");
  document.title = `${view.device}, ${view.year} – Godwit`;
}

// What was shown of another year or device goes.
function clear(text) {
  element("year").textContent = view.year;
  element("summary").textContent = text;
  for (const id of ["totals", "calendar", "months", "places"]) element(id).replaceChildren();
  element("sources").textContent = "";
}

async function load() {
  const { device, year } = view;
  document.body.dataset.state = "loading";
  let sums;
  try {
    sums = await api.get(`/api/v1/statistics?${new URLSearchParams({ device, year })}`);
  } catch (error) {
    if (device !== view.device || year !== view.year) return;
    clear(error.message);
    document.body.dataset.state = "failed";
    return;
  }
  if (device !== view.device || year !== view.year) return; // Something else was chosen meanwhile.
  show(sums);
  document.body.dataset.state = "ready";
  window.history.replaceState(null, "", `/statistics?${new URLSearchParams({ device, year })}`);
  clearTimeout(view.again);
  if (sums.pending) view.again = setTimeout(() => load().catch(() => {}), 5000);
}

const newestYear = (device) =>
  device.last ? new Date(device.last.properties.timestamp).getUTCFullYear() : new Date().getFullYear();

async function begin() {
  view.devices = (await api.devices()).filter(({ access }) => access === "all");
  element("device").replaceChildren(...view.devices.map(({ name }) => new Option(name, name)));
  const wanted = new URLSearchParams(location.search);
  const device = view.devices.find(({ name }) => name === wanted.get("device")) ?? view.devices.find(({ last }) => last) ?? view.devices[0];
  if (!device) {
    element("summary").replaceChildren("No devices yet. ", make("a", { href: "/welcome", textContent: "Add your phone" }), ".");
    document.body.dataset.state = "ready";
    return;
  }
  view.device = device.name;
  element("device").value = device.name;
  view.year = Number(wanted.get("year")) || newestYear(device);
  await load();
}

element("device").addEventListener("change", (event) => {
  view.device = event.target.value;
  view.year = newestYear(view.devices.find(({ name }) => name === view.device));
  load();
});
for (const [id, step] of [["earlier", -1], ["later", 1]]) {
  element(id).addEventListener("click", () => {
    view.year += step;
    load();
  });
}

api.whenBack(() => (view.device ? load() : begin()));

try {
  await begin();
} catch (error) {
  if (!api.isSentToDoor(error)) {
    element("summary").textContent = error.message;
    document.body.dataset.state = "failed";
  }
}
