// The statistics of a year or of all years: days, distances, modes, records and places.

import * as api from "/api.js";
import { element, make, named } from "/elements.js";
import * as format from "/format.js";
import { MODES } from "/format.js";
import { MONTHS, calendar, distances, groundOf, hours } from "/statistics-charts.js";
import { placeName, recordCards } from "/statistics-records.js";

// `year`: null for all years.
const view = { device: null, year: new Date().getFullYear(), devices: [], years: [] };

// The modes of travel with their sums.
function showTotals(modes) {
  element("totals").replaceChildren(...Object.keys(MODES).filter((mode) => modes[mode]).map((mode) => {
    const { distance, moving } = modes[mode];
    const item = make("li", {}, make("b", { textContent: format.distance(distance) }),
      make("small", { textContent: `${MODES[mode]}, ${hours(moving)}` }));
    item.style.setProperty("--mode", `var(--${mode})`);
    return item;
  }));
}

function showPlaces(places, device) {
  const longest = Math.max(1, ...places.map(({ seconds }) => seconds));
  element("places").replaceChildren(...places.slice(0, 15).map((place) => {
    const bar = make("div");
    bar.style.width = `${(place.seconds / longest) * 100}%`;
    const visits = `${format.count(place.visits, "visit")}, ${hours(place.seconds)}`;
    const day = new Date(place.last).toISOString().slice(0, 10);
    const link = make("a", { href: `/timeline?${new URLSearchParams({ device, day })}`, title: "Last visit" },
      named(placeName(place)));
    return make("li", {}, link, make("small", { textContent: visits }), bar);
  }));
  if (!places.length) element("places").append(make("li", { textContent: "No visits." }));
  // The source of the addresses is credited.
  element("sources").textContent = [...new Set(places.map(({ address }) => address?.attribution).filter(Boolean))].join(" ");
}

// Countries or towns with their days.
function stays(list, rows) {
  const most = Math.max(1, ...rows.map(({ days }) => days));
  element(list).replaceChildren(...rows.map(({ name, days, seconds }) => {
    const bar = make("div");
    bar.style.width = `${(days / most) * 100}%`;
    return make("li", {}, named(name), make("small", { textContent: `${format.count(days, "day")}, ${hours(seconds)}` }), bar);
  }));
  element(list).closest("section").hidden = !rows.length;
}

function showRecords(records) {
  const cards = recordCards(records);
  element("records").replaceChildren(...cards);
  element("records").closest("section").hidden = !cards.length;
}

const summary = (text, pending) => (element("summary").textContent = pending ? `${text} Still processing…` : text);

// MARK: A year

function showYear(sums, records) {
  const { total } = sums;
  element("year").textContent = view.year;
  summary(total.points
    ? `${format.distance(groundOf(total.modes))} on the ground${total.modes.plane ? ` · ${format.distance(total.modes.plane.distance)} flown` : ""} · ${hours(total.moving)} on the move · ${format.count(sums.days.length, "day")} with data · ${format.count(total.points, "point")}`
    : "No data for this year.", sums.pending);
  showTotals(total.modes);
  calendar(sums.days, view.year, view.device);
  element("distances-title").textContent = "Months";
  distances(element("months"), MONTHS.map((label, index) => ({
    label, modes: sums.months.find(({ month }) => Number(month.slice(5)) === index + 1)?.modes ?? {},
  })));
  showRecords(records);
  stays("countries", sums.countries);
  stays("towns", sums.towns.slice(0, 20).map(({ name, state, ...more }) => ({ name: state ? `${name}, ${state}` : name, ...more })));
  showPlaces(sums.places, view.device);
  element("to-review").href = `/review?${new URLSearchParams({ device: view.device, year: view.year })}`;
  element("to-review").hidden = !total.points;
}

// MARK: All years

function showAll(years, records) {
  element("year").textContent = "All years";
  const modes = {};
  for (const year of years) {
    for (const [mode, { distance, moving }] of Object.entries(year.modes)) {
      modes[mode] ??= { distance: 0, moving: 0 };
      modes[mode].distance += distance;
      modes[mode].moving += moving;
    }
  }
  const sum = (value) => years.reduce((total, year) => total + value(year), 0);
  summary(years.length
    ? `${format.distance(groundOf(modes))} on the ground${modes.plane ? ` · ${format.distance(modes.plane.distance)} flown` : ""} · ${hours(sum(({ moving }) => moving))} on the move · ${format.count(sum(({ days }) => days), "day")} with data · ${format.count(sum(({ points }) => points), "point")}`
    : "No data yet.", records.pending);
  showTotals(modes);
  element("distances-title").textContent = "Years";
  distances(element("months"), years.map(({ year, modes }) => ({
    label: years.length > 16 ? `’${String(year).slice(2)}` : `${year}`, modes,
    href: `/statistics?${new URLSearchParams({ device: view.device, year })}`,
  })));
  showRecords(records);
  stays("countries", []);
  stays("towns", []);
  showPlaces(records.places, view.device);
  element("to-review").hidden = true;
}

// MARK: All

async function load() {
  const { device, year } = view;
  document.body.dataset.state = "loading";
  element("problem").hidden = true;
  const isAll = year === null;
  const query = new URLSearchParams({ device, ...(isAll ? {} : { year }) });
  let pending = 0;
  if (isAll) {
    const [{ years }, records] = await Promise.all([
      api.get(`/api/v1/statistics/years?${query}`), api.get(`/api/v1/statistics/records?${query}`),
    ]);
    if (device !== view.device || year !== view.year) return; // Something else was chosen meanwhile.
    showAll(years, records);
    ({ pending } = records);
  } else {
    const [sums, records] = await Promise.all([
      api.get(`/api/v1/statistics?${query}`), api.get(`/api/v1/statistics/records?${query}`),
    ]);
    if (device !== view.device || year !== view.year) return;
    showYear(sums, records);
    ({ pending } = sums);
  }
  element("days").hidden = isAll;
  element("all").textContent = isAll ? "One year" : "All years";
  for (const id of ["earlier", "later"]) element(id).hidden = isAll;
  document.title = `${device}, ${isAll ? "all years" : year} – Godwit`;
  document.body.dataset.state = "ready";
  window.history.replaceState(null, "", `/statistics?${new URLSearchParams({ device, year: year ?? "all" })}`);
  clearTimeout(view.again);
  if (pending) view.again = setTimeout(reload, 5000);
}

// What is shown is gone before other years' figures would stand under a new title.
async function reload() {
  try {
    await load();
  } catch (error) {
    if (error.status === 401) return;
    element("year").textContent = view.year ?? "All years";
    for (const id of ["totals", "calendar", "months", "records", "countries", "towns", "places"]) element(id).replaceChildren();
    element("summary").textContent = "–";
    element("problem").textContent = error.message;
    element("problem").hidden = false;
    document.body.dataset.state = "failed";
  }
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
  view.year = wanted.get("year") === "all" ? null : Number(wanted.get("year")) || newestYear(device);
  await reload();
}

element("device").addEventListener("change", (event) => {
  view.device = event.target.value;
  if (view.year !== null) view.year = newestYear(view.devices.find(({ name }) => name === view.device));
  reload();
});
for (const [id, step] of [["earlier", -1], ["later", 1]]) {
  element(id).addEventListener("click", () => {
    view.year += step;
    reload();
  });
}
element("all").addEventListener("click", () => {
  view.year = view.year === null ? newestYear(view.devices.find(({ name }) => name === view.device)) : null;
  reload();
});

api.whenBack(() => (view.device ? reload() : begin()));

try {
  await begin();
} catch (error) {
  if (!api.isSentToDoor(error)) {
    element("summary").textContent = error.message;
    document.body.dataset.state = "failed";
  }
}
