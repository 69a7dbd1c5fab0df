// The page of statistics of a year or of all years: days, distances, modes, records and places.

import * as api from "/api.js";
import { dayOf, newestYear } from "/days.js";
import { element, make, named } from "/elements.js";
import * as format from "/format.js";
import { MODES } from "/format.js";
import { MONTHS, calendar, distances, groundOf, hours } from "/statistics-charts.js";
import { placeNames, recordCards } from "/statistics-records.js";
import { pieces, plural, t } from "/texts.js";

// `year`: null for all years.
const view = { device: null, year: new Date().getFullYear(), devices: [], years: [] };

// Shows the modes of transport with their totals.
function showTotals(modes) {
  element("totals").replaceChildren(...Object.keys(MODES).filter((mode) => modes[mode]).map((mode) => {
    const { distance, moving } = modes[mode];
    const item = make("li", {}, make("b", { textContent: format.distance(distance) }),
      make("small", { textContent: `${MODES[mode]}, ${hours(moving)}` }));
    item.style.setProperty("--mode", `var(--${mode})`);
    return item;
  }));
}

function showPlaces(places, device, zone) {
  const longest = Math.max(1, ...places.map(({ seconds }) => seconds));
  const shown = places.slice(0, 15);
  const names = placeNames(shown);
  element("places").replaceChildren(...shown.map((place, index) => {
    const bar = make("div");
    bar.style.width = `${(place.seconds / longest) * 100}%`;
    const visits = [plural(place.visits, "{n} visit", "{n} visits", { n: format.number(place.visits) }), hours(place.seconds)].join(", ");
    const day = dayOf(Date.parse(place.last), zone);
    const link = make("a", { href: `/timeline?${new URLSearchParams({ device, day })}`, title: t("Last visit") },
      named(names[index]));
    return make("li", {}, link, make("small", { textContent: visits }), bar);
  }));
  if (!places.length) element("places").append(make("li", { textContent: t("No visits.") }));
  // The source of the addresses must be credited.
  element("sources").textContent = [...new Set(places.map(({ address }) => address?.attribution).filter(Boolean))].join(" ");
}

// Shows countries or towns with their numbers of days.
function stays(list, rows) {
  const most = Math.max(1, ...rows.map(({ days }) => days));
  element(list).replaceChildren(...rows.map(({ name, days, seconds }) => {
    const bar = make("div");
    bar.style.width = `${(days / most) * 100}%`;
    return make("li", {}, named(name), make("small", { textContent: [plural(days, "{n} day", "{n} days", { n: format.number(days) }), hours(seconds)].join(" · ") }), bar);
  }));
  element(list).closest("section").hidden = !rows.length;
}

function showRecords(records) {
  const cards = recordCards(records);
  element("records").replaceChildren(...cards);
  element("records").closest("section").hidden = !cards.length;
}

// The totals below the year.
const summaryText = (modes, { moving, days, points }) => [
  t("{distance} on the ground", { distance: format.distance(groundOf(modes)) }),
  modes.plane ? t("{distance} flown", { distance: format.distance(modes.plane.distance) }) : null,
  t("{time} on the move", { time: hours(moving) }),
  plural(days, "{n} day with data", "{n} days with data", { n: format.number(days) }),
  plural(points, "{n} point", "{n} points", { n: format.number(points) }),
].filter(Boolean).join(" · ");

const summary = (text, pending) => (element("summary").textContent = pending ? t("{text} Still processing…", { text }) : text);

// MARK: A year

function showYear(sums, records) {
  const { total } = sums;
  element("year").textContent = view.year;
  summary(total.points
    ? summaryText(total.modes, { moving: total.moving, days: sums.days.length, points: total.points })
    : t("No data for this year."), sums.pending);
  showTotals(total.modes);
  calendar(sums.days, view.year, view.device);
  element("distances-title").textContent = t("Months");
  distances(element("months"), MONTHS.map((label, index) => ({
    label, modes: sums.months.find(({ month }) => Number(month.slice(5)) === index + 1)?.modes ?? {},
  })));
  showRecords(records);
  stays("countries", sums.countries.map(({ code, name, ...more }) => ({ name: format.countryName(code, name), ...more })));
  stays("towns", sums.towns.slice(0, 20).map(({ name, state, ...more }) => ({ name: state && state !== name ? `${name}, ${state}` : name, ...more })));
  showPlaces(sums.places, view.device, sums.time_zone);
  element("to-review").href = `/review?${new URLSearchParams({ device: view.device, year: String(view.year) })}`;
  element("to-review").hidden = !total.points;
}

// MARK: All years

function showAll(years, records) {
  element("year").textContent = t("All years");
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
    ? summaryText(modes, { moving: sum(({ moving }) => moving), days: sum(({ days }) => days), points: sum(({ points }) => points) })
    : t("No data yet."), records.pending);
  showTotals(modes);
  element("distances-title").textContent = t("Years");
  distances(element("months"), years.map(({ year, modes }) => ({
    label: years.length > 16 ? `’${String(year).slice(2)}` : `${year}`, modes,
    href: `/statistics?${new URLSearchParams({ device: view.device, year })}`,
  })));
  showRecords(records);
  stays("countries", []);
  stays("towns", []);
  showPlaces(records.places, view.device, records.time_zone);
  element("to-review").hidden = true;
}

// MARK: All

async function load() {
  const { device, year } = view;
  document.body.dataset.state = "loading";
  element("problem").hidden = true;
  const isAll = year === null;
  const query = new URLSearchParams({ device, ...(isAll ? {} : { year: String(year) }) });
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
  element("all").textContent = isAll ? t("One year") : t("All years");
  for (const id of ["earlier", "later"]) element(id).hidden = isAll;
  document.title = `${device}, ${isAll ? t("All years") : year} – Godwit`;
  document.body.dataset.state = "ready";
  window.history.replaceState(null, "", `/statistics?${new URLSearchParams({ device, year: String(year ?? "all") })}`);
  clearTimeout(view.again);
  if (pending) view.again = setTimeout(reload, 5000);
}

// After an error the page is cleared, so that it does not show another year's figures.
async function reload() {
  const { device, year } = view;
  try {
    await load();
  } catch (error) {
    if (error.status === 401 || device !== view.device || year !== view.year) return;
    element("year").textContent = view.year ?? t("All years");
    for (const id of ["totals", "calendar", "months", "records", "countries", "towns", "places"]) element(id).replaceChildren();
    element("summary").textContent = "–";
    element("problem").textContent = error.message;
    element("problem").hidden = false;
    document.body.dataset.state = "failed";
  }
}

async function begin() {
  view.devices = (await api.devices()).filter(({ access }) => access === "all");
  element("device").replaceChildren(...view.devices.map(({ name }) => new Option(name, name)));
  const wanted = new URLSearchParams(location.search);
  const device = view.devices.find(({ name }) => name === wanted.get("device")) ?? api.newestOf(view.devices);
  if (!device) {
    element("summary").replaceChildren(...pieces("No devices yet. {add}.", { add: make("a", { href: "/welcome", textContent: t("Add your phone") }) }));
    document.body.dataset.devices = "none";
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
for (const [id, step] of Object.entries({ earlier: -1, later: 1 })) {
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
