// The timeline page: the visits and trips of a device, and its hidden points. Each can be corrected.

import * as api from "/api.js";
import { addDays, clock, dayName, dayOf, today, zoneOptions } from "/days.js";
import { deletePoints } from "/deletion.js";
import { element, make, named, toast } from "/elements.js";
import * as format from "/format.js";
import { background } from "/map-background.js";
import { stored } from "/map-marker.js";
import { MapView } from "/map-view.js";
import { boxOf } from "/overview-lines.js";
import { Profile } from "/profile.js";
import { pieces, plural, t } from "/texts.js";
import { onTheme } from "/theme.js";
import { Corrections, correctionItems } from "/timeline-corrections.js";
import { EntryList } from "/timeline-entries.js";
import { TimelineMap } from "/timeline-map.js";
import { endOf, kindOf, modeOf, startOf, titleOf } from "/timeline-names.js";
import { TimelinePhotos } from "/timeline-photos.js";
import { DayRange } from "/timeline-range.js";
import { Replay } from "/timeline-replay.js";
import { fromLine, Track } from "/track.js";

const REASONS = {
  spike: t("jumped away and back"), teleport: t("impossibly fast"), null_island: t("at 0, 0"), future: t("in the future"),
  unconfirmed: t("far away, not confirmed yet"),
  manual: t("hidden by you"),
};
const PENDING = 3000; // milliseconds after which days that are being computed are read again

const NONE = { visits: [], trips: [], marks: [], points: [], corrections: [], roads: [], distance: 0 };
const ROAD_CREDIT = "© <a href=\"https://www.openstreetmap.org/copyright\">OpenStreetMap contributors</a>";
const ROAD_DAYS = 7; // the maximum number of days whose trips are drawn along roads
const view = { device: null, range: null, zone: "UTC", mayChange: false, own: new Set(), newest: new Map(), places: [], chosen: null, again: null, request: 0, ...NONE };

const clockOf = (time) => clock(time, view.zone);
const whenOf = (text) => `${dayName(dayOf(Date.parse(text), view.zone))}, ${clockOf(Date.parse(text))}`;

const settings = api.settings();
const map = new MapView(element("map"), { settings });
const photos = new TimelinePhotos();
const drawing = new TimelineMap(map, {
  title: (part, index) => (part === "visit"
    ? `${titleOf(view.visits[index])}, ${format.duration(view.visits[index].duration * 1000)}`
    : t("Hidden point at {time}: {reason}", { time: clockOf(Date.parse(view.marks[index].time)), reason: REASONS[view.marks[index].reason] })),
  opened: (index) => list.focus(view.visits[index]),
  picked: (point) => view.mayChange && [`${clockOf(point.time)} `, hideButton(point)],
});
const corrections = new Corrections(() => load());
const list = new EntryList(element("entries"), {
  choose,
  openDay: (day) => go(view.device, new DayRange(day)),
  begin: () => view.range.bounds(view.zone).start,
  get places() { return view.places; },
  correct: (entry, action, members) => corrections.correct(view.device, entry, action, members),
  name: (visit, name) => changePlace("POST", "/api/v1/places", { device: view.device, name, latitude: visit.latitude, longitude: visit.longitude }),
  rename: ({ id }, name) => {
    const { latitude, longitude, radius } = view.places.find((place) => place.id === id);
    return changePlace("PUT", `/api/v1/places/${id}`, { name, latitude, longitude, radius });
  },
  move: moveOnMap,
  remove: (entry) => remove({ from: startOf(entry), to: endOf(entry) + 1, label: labelOf(entry) }),
});
const profile = new Profile(element("profile"), (index) => index !== null && replay.show(track.points[index].time));
let track = new Track();
const replay = new Replay(element("replay"), {
  clock: (time) => (view.range.length > 1 ? whenOf(new Date(time).toISOString()) : clockOf(time)),
  at: (time, place, index = null) => {
    drawing.cursor(place);
    list.markTime(time);
    profile.mark(index);
  },
});

// MARK: Choosing

function choose(entry) {
  view.chosen = view.chosen === entry ? null : entry;
  list.mark(view.chosen);
  drawing.fit(view.chosen);
}

// Moves a visit on the map: the user drags the handle or moves it with arrow keys, and then saves.
function moveOnMap(visit) {
  choose(visit);
  if (view.chosen !== visit) choose(visit);
  const handle = drawing.handle({ lat: visit.latitude, lon: visit.longitude }, t("Where the visit was"));
  const end = () => {
    drawing.handle(null);
    bar.remove();
  };
  const save = make("button", { type: "button", className: "main", textContent: t("Save position") });
  save.addEventListener("click", async () => {
    const place = stored(handle.place);
    end();
    try {
      await corrections.correct(view.device, visit, "move", place);
    } catch (error) {
      fail(error);
    }
  });
  const cancel = make("button", { type: "button", textContent: t("Cancel") });
  cancel.addEventListener("click", end);
  const bar = make("div", { id: "moving", role: "group", ariaLabel: t("Move the visit") }, t("Drag the marker to where you were."), " ", save, cancel);
  element("moving")?.remove();
  element("stage").append(bar);
  handle.element.focus();
}

async function changePlace(method, path, body) {
  await api.change(method, path, body);
  view.places = await readPlaces();
  await load();
}

// Deletes points of the device, with a confirmation and an undo.
const remove = (what) => deletePoints(view.device, what, () => load());

// The description of an entry in a confirmation: "Cafe, 12:04 – 12:40".
const labelOf = (entry) => `${kindOf(entry) === "visit" ? titleOf(entry) : modeOf(entry)}, ${clockOf(startOf(entry))} – ${clockOf(endOf(entry))}`;

function hideButton(point) {
  const out = make("button", { type: "button", className: "plain", textContent: t("Hide this point") });
  out.addEventListener("click", () =>
    setMark({ time: new Date(point.time).toISOString(), latitude: point.lat, longitude: point.lon }, true));
  return out;
}

async function setMark({ time, latitude, longitude }, marked) {
  await api.change("PUT", "/api/v1/outliers", { device: view.device, time, latitude, longitude, marked });
  drawing.closePopup();
  await load();
}

// MARK: Showing

// Clears the page, so that data of other days is not visible while the new days are loaded, or if they cannot be loaded.
function clear(text) {
  clearTimeout(view.again);
  Object.assign(view, NONE, { chosen: null });
  element("summary").textContent = text;
  for (const id of ["nothing", "failed", "marks", "corrections"]) element(id).hidden = true;
  element("moving")?.remove();
  drawing.handle(null);
  photos.clear();
  list.clear();
  drawing.show(view);
  showTrack();
  showRoads();
}

function fail(error) {
  if (api.isSentToDoor(error)) return;
  clear("–");
  element("failed").firstElementChild.textContent = t("The timeline could not be loaded. {message}", { message: error.message });
  element("failed").hidden = false;
  document.body.dataset.state = "failed";
}

function showTrack() {
  track = new Track();
  track.add(view.points.flat());
  // The distances of the trips, so that they add up to the distance of the summary.
  profile.show(track, { distances: track.distancesOf(view.trips.map(({ start, end }) => ({ start: Date.parse(start), end: Date.parse(end) }))), total: view.distance });
  element("profile").hidden = track.points.length < 2 || !view.distance;
  replay.load(track.points);
  element("strip").hidden = track.points.length < 2;
  if (track.points.length > 1) profile.draw();
}

function showRoads() {
  const isOnRoads = view.roads.some(({ properties }) => properties.on_roads);
  element("along-roads").hidden = !isOnRoads;
  map.credit("roads", isOnRoads && drawing.isAlongRoads ? [ROAD_CREDIT] : []);
}

function showEntries() {
  const { visits, trips, zone, mayChange, range } = view;
  list.show(visits, trips, { zone, mayChange, days: range.length > 1 ? range.days : [] });
  element("nothing").hidden = visits.length + trips.length > 0;
  if (view.points.length) element("nothing").textContent = t("No visits or trips yet.");
  else element("nothing").replaceChildren(range.length > 1 ? t("No data for these days.") : t("No data for this day."), ...linkToNewest());
  showMarks();
  const items = correctionItems(view.corrections, new Map(view.places.map(({ id, name }) => [id, name])), {
    when: whenOf, undo: mayChange && ((correction) => corrections.undo(correction).catch(fail)),
  });
  element("corrections").hidden = items.length === 0;
  element("corrections").firstElementChild.textContent = plural(items.length, "{n} correction", "{n} corrections");
  element("corrections").querySelector("ul").replaceChildren(...items);
}

// For days without data: a link to the day of the device's newest point.
function linkToNewest() {
  const newest = view.newest.get(view.device);
  const range = newest && new DayRange(dayOf(newest.time, view.zone));
  if (!range || (range.first >= view.range.first && range.first <= view.range.last)) return [];
  const link = make("a", { href: addressOf(view.device, range), textContent: t("Show the newest data") });
  link.addEventListener("click", (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    go(view.device, range);
  });
  return [" ", link];
}

function showMarks() {
  const out = view.marks.filter((mark) => mark.marked);
  element("marks").hidden = out.length === 0;
  element("marks").firstElementChild.textContent = plural(out.length, "{n} point hidden", "{n} points hidden", { n: format.number(out.length) });
  element("marks").querySelector("ul").replaceChildren(...out.map((mark) => {
    const item = make("li", {}, make("span", {}, clockOf(Date.parse(mark.time)), make("small", { textContent: REASONS[mark.reason] })));
    if (view.mayChange) {
      const restore = make("button", { type: "button", className: "plain", textContent: t("Keep this point") });
      restore.addEventListener("click", () => setMark(mark, false).catch(fail));
      item.append(restore);
    }
    return item;
  }));
}

function showRange() {
  const { range } = view;
  element("device").value = view.device;
  element("day").value = range.first;
  element("last-day").value = range.last;
  element("until").hidden = range.length === 1 && element("until").dataset.open !== "true";
  const span = range.length === 1 ? "day" : range.length === 7 && DayRange.week(range.first).first === range.first ? "week" : "range";
  const shown = element("until").hidden || span !== "day" ? span : "range";
  for (const button of document.querySelectorAll("[data-span]")) button.setAttribute("aria-pressed", String(button.dataset.span === shown));
  element("earlier").ariaLabel = { day: t("Earlier day"), week: t("Earlier week"), range: t("Earlier days") }[shown];
  element("later").ariaLabel = { day: t("Later day"), week: t("Later week"), range: t("Later days") }[shown];
  document.title = `${format.isolated(view.device)}, ${range.name} – Godwit`;
  element("title").replaceChildren(named(view.device), `, ${range.name}`);
}

// MARK: Reading

async function all(path, name, query) {
  const found = [];
  let cursor = "";
  do {
    const answer = await api.get(`${path}?${new URLSearchParams({ ...query, ...(cursor ? { cursor } : {}) })}`);
    found.push(...answer[name]);
    cursor = answer.next_cursor;
  } while (cursor);
  return found;
}

// Places of other users cannot be read.
const readPlaces = async () => (await api.get(`/api/v1/places?${new URLSearchParams({ device: view.device })}`).catch(() => ({ places: [] }))).places;

async function read({ device, range }) {
  const days = new URLSearchParams({ device, from: range.first, to: addDays(range.last, 1) });
  const sums = await api.get(`/api/v1/statistics?${days}`);
  const query = { device, from: sums.begins, to: sums.ends };
  const hasRoads = range.length <= ROAD_DAYS && (await settings).roads;
  const [visits, trips, marks, lines, made, roads] = await Promise.all([
    all("/api/v1/visits", "visits", query), all("/api/v1/trips", "trips", query), all("/api/v1/outliers", "outliers", query),
    api.track(device, Date.parse(sums.begins), Date.parse(sums.ends), range.detail), corrections.list(device, sums.begins, sums.ends),
    // If there are too many points, the server returns an error, and the track is drawn without roads.
    hasRoads ? api.get(`/api/v1/trips/roads?${new URLSearchParams(query)}`).then(({ features }) => features, () => []) : [],
  ]);
  return { sums, shown: { visits, trips, marks, points: lines.map(fromLine), corrections: made, roads, distance: sums.total.distance, zone: sums.time_zone } };
}

// Reloads the shown days. `andFit`: fits the map to them.
async function load(andFit = false) {
  const request = (view.request += 1);
  document.body.dataset.state = "loading";
  const { sums, shown } = await read(view);
  if (request !== view.request) return; // Something else was chosen meanwhile.
  Object.assign(view, shown, { chosen: null });
  const { distance, moving, points } = sums.total;
  const text = points
    ? [format.distance(distance), t("{time} on the move", { time: format.duration(moving * 1000) }),
      plural(points, "{n} point", "{n} points", { n: format.number(points) })].join(" · ")
    : !shown.visits.length && !shown.trips.length ? ""
      : view.range.length > 1 ? t("No points on these days.") : t("No points on this day.");
  element("summary").textContent = sums.pending ? t("{text} Still processing…", { text }).trim() : text;
  element("time-zone").replaceChildren(...zoneOptions(view.zone));
  element("failed").hidden = true;
  showEntries();
  drawing.show(view);
  showTrack();
  showRoads();
  if (andFit) drawing.fit();
  // The source of the addresses must be credited.
  map.credit("addresses", view.visits.map(({ address }) => address?.attribution));
  showPhotos(sums);
  document.body.dataset.state = "ready";
  // Pending days are computed within seconds.
  clearTimeout(view.again);
  if (sums.pending) view.again = setTimeout(() => load().catch(fail), PENDING);
}

// Photos are those of the signed-in user, so only that user's own devices show them.
function showPhotos({ begins, ends, time_zone: zone }) {
  if (!view.own.has(view.device)) return photos.clear();
  photos.show({ from: begins, to: ends, zone, items: list.items, place: element("side") }).catch(api.isSentToDoor);
}

// MARK: Going from day to day

async function show(device, range) {
  const isOther = device !== view.device;
  Object.assign(view, { device, range });
  clear(t("Loading…"));
  showRange();
  try {
    if (isOther) view.places = await readPlaces();
    await load(true);
    // Days without data show where the device was last.
    const newest = view.newest.get(device);
    if (isOther && newest && device === view.device && !view.points.length && !view.visits.length) map.look({ ...newest, zoom: 11 });
  } catch (error) {
    fail(error);
  }
}

const addressOf = (device, range) => `/timeline?${new URLSearchParams({ device, ...range.parameters })}`;

// Shows days as a new entry of the browser's history.
function go(device, range) {
  window.history.pushState(null, "", addressOf(device, range));
  return show(device, range);
}

window.addEventListener("popstate", () => {
  const wanted = new URLSearchParams(location.search);
  const range = DayRange.from(wanted);
  if (range && wanted.get("device")) show(wanted.get("device"), range);
});

async function begin() {
  const [known, who, devices] = await Promise.all([settings, api.get("/api/v1/session"), api.devices()]);
  view.mayChange = who.may_change;
  view.own = new Set(devices.filter(({ owner }) => (owner ?? null) === (who.user?.name ?? null)).map(({ name }) => name));
  background(map, known, devices);
  const own = devices.filter(({ access }) => access === "all");
  view.newest = new Map(own.flatMap(({ name, last }) => (last
    ? [[name, { lat: last.geometry.coordinates[1], lon: last.geometry.coordinates[0], time: Date.parse(last.properties.timestamp) }]] : [])));
  element("device").replaceChildren(...own.map(({ name }) => new Option(name, name)));
  element("time-zone").disabled = !view.mayChange;
  element("removal").hidden = !view.mayChange;
  const wanted = new URLSearchParams(location.search);
  const device = own.find(({ name }) => name === wanted.get("device")) ?? api.newestOf(own);
  if (!device) {
    element("summary").replaceChildren(...pieces("No devices yet. {add}.", { add: make("a", { href: "/welcome", textContent: t("Add your phone") }) }));
    document.body.dataset.devices = "none";
    document.body.dataset.state = "ready";
    return;
  }
  const range = DayRange.from(wanted) ?? new DayRange(await newestDay(device));
  window.history.replaceState(null, "", addressOf(device.name, range));
  await show(device.name, range);
}

// The day of the last point, in the device's time zone.
async function newestDay({ name, last }) {
  const { time_zone: zone } = await api.get(`/api/v1/devices/${encodeURIComponent(name)}/time-zone`);
  return last ? dayOf(Date.parse(last.properties.timestamp), zone) : today(zone);
}

// MARK: Controls

element("device").addEventListener("change", ({ target }) => go(target.value, view.range));
element("day").addEventListener("change", ({ target }) => {
  if (!target.value) return;
  go(view.device, element("until").hidden ? new DayRange(target.value) : new DayRange(target.value, element("last-day").value || target.value));
});
element("last-day").addEventListener("change", ({ target }) => target.value && go(view.device, new DayRange(view.range.first, target.value)));
element("earlier").addEventListener("click", () => view.range && go(view.device, view.range.step(-1)));
element("later").addEventListener("click", () => view.range && go(view.device, view.range.step(1)));
element("today").addEventListener("click", () => view.range && go(view.device, new DayRange(today(view.zone))));
for (const button of document.querySelectorAll("[data-span]")) {
  button.addEventListener("click", () => {
    if (!view.range) return;
    const { span } = button.dataset;
    element("until").dataset.open = String(span === "range");
    if (span === "range") return showRange();
    go(view.device, span === "day" ? new DayRange(view.range.last) : DayRange.week(view.range.first));
  });
}
element("along-roads").querySelector("input").addEventListener("change", ({ target }) => {
  drawing.isAlongRoads = target.checked;
  showRoads();
});
element("delete-days").addEventListener("click", () => {
  const { start: from, end: to } = view.range.bounds(view.zone);
  remove({ from, to, label: view.range.name }).catch(fail);
});
element("delete-view").addEventListener("click", () => {
  const { start: from, end: to } = view.range.bounds(view.zone);
  const seen = map.bounds;
  if (!seen) return toast(t("Without a map there is no area."));
  const box = boxOf(seen, 0).map((degrees) => Number(degrees.toFixed(6)));
  remove({ from, to, box, label: t("what is in view of {days}", { days: view.range.name }) }).catch(fail);
});
element("failed").querySelector("button").addEventListener("click", () => (view.range ? show(view.device, view.range) : location.reload()));
element("time-zone").addEventListener("change", async ({ target }) => {
  try {
    await api.change("PUT", `/api/v1/devices/${encodeURIComponent(view.device)}/time-zone`, { time_zone: target.value });
    await load();
  } catch (error) {
    fail(error);
  }
});
window.addEventListener("resize", () => track.points.length > 1 && profile.draw());
onTheme(() => track.points.length > 1 && profile.draw());
api.whenBack(() => (view.range ? load() : begin()));

begin().catch(fail);
