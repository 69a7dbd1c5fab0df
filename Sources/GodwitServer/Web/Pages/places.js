// The page of named places: their positions, the total time spent at each, and its visits.

import * as api from "/api.js";
import { clock, dayName, dayOf } from "/days.js";
import { noticeWithUndo } from "/deletion.js";
import { element, make, named, toast } from "/elements.js";
import * as format from "/format.js";
import { background } from "/map-background.js";
import { stored } from "/map-marker.js";
import { Bounds } from "/map-shapes.js";
import { MapView } from "/map-view.js";
import { changeList, newestOf, undoChange } from "/place-changes.js";
import { PlacesMap } from "/places-map.js";
import { plural, t } from "/texts.js";

const RADII = [20, 5000]; // metres

const view = { places: [], changes: [], zones: new Map(), mayChange: false, chosen: null };
const settings = api.settings();
const base = new MapView(element("map"), { settings });
const map = new PlacesMap(base, (place) => open(place.id));

const zoneOf = (device) => view.zones.get(device) ?? "UTC";
// The time zone of times of several devices: theirs if they have the same, else that in which times are shown.
const commonZone = () => {
  const zones = new Set(view.zones.values());
  return zones.size === 1 ? [...zones][0] : format.timeZone;
};
const button = (textContent, run, properties = {}) => {
  const made = make("button", { type: "button", textContent, ...properties });
  made.addEventListener("click", run);
  return made;
};

// Shows what was done to a place, with an undo if it is possible.
function sayDone(text, id) {
  const item = newestOf(view.changes, id);
  if (item?.can_undo) noticeWithUndo(text, () => undoChange(item), () => go(item.place));
  else toast(text);
}

// Reloads the page after an undo; opens the restored place if there is one.
const undone = (place) => (place ? go(place.id) : load());

// MARK: The list

const ORDERS = {
  time: (a, b) => b.totals.seconds - a.totals.seconds,
  last: (a, b) => Date.parse(b.totals.last ?? 0) - Date.parse(a.totals.last ?? 0),
  name: (a, b) => format.byName(a.name, b.name),
};

const totalsText = ({ visits, seconds }) =>
  visits ? `${plural(visits, "{n} visit", "{n} visits", { n: format.number(visits) })} · ${format.duration(seconds * 1000)}` : t("No visits yet");

function showList() {
  const wanted = format.folded(element("search").value.trim());
  const found = view.places.filter(({ name }) => format.folded(name).includes(wanted)).sort(ORDERS[element("order").value]);
  element("list").replaceChildren(...found.map((place) => {
    const last = place.totals.last ? ` · ${t("last {day}", { day: dayName(dayOf(Date.parse(place.totals.last), commonZone())) })}` : "";
    const open = make("a", { href: `/places?place=${place.id}` },
      make("b", {}, named(place.name)), make("small", { textContent: `${totalsText(place.totals)}${last}` }));
    open.addEventListener("click", (event) => {
      if (event.metaKey || event.ctrlKey || event.shiftKey) return;
      event.preventDefault();
      go(place.id);
    });
    return make("li", {}, open);
  }));
  element("nothing").hidden = view.places.length > 0;
  element("summary").textContent = wanted
    ? plural(view.places.length, "{found} of {n} place", "{found} of {n} places", { n: format.number(view.places.length), found: found.length })
    : view.places.length ? plural(view.places.length, "{n} place", "{n} places", { n: format.number(view.places.length) }) : "";
  map.show(found);
}

// MARK: One place

function detail(place, visits, next) {
  const back = button(`‹ ${t("All places")}`, () => go(null), { className: "plain" });
  const parts = [back, make("h1", {}, named(place.name)), make("p", { className: "quiet", textContent: totalsText(place.totals) })];
  if (view.mayChange) parts.push(form(place), tools(place));
  const list = make("ol", { id: "visits" });
  appendVisits(list, visits);
  parts.push(make("h2", { textContent: t("When I was here") }), list);
  if (!visits.length) parts.push(make("p", { className: "quiet", textContent: t("No visits yet. A visit counts when its position touches the circle.") }));
  if (next) parts.push(more(place, list, next));
  return parts;
}

function form(place) {
  const name = make("input", { name: "name", required: true, maxLength: 100, value: place.name });
  const radius = make("input", { name: "radius", type: "number", min: `${RADII[0]}`, max: `${RADII[1]}`, step: "1", value: `${Math.round(place.radius)}`, required: true });
  const slider = make("input", { type: "range", min: "0", max: "100", ariaLabel: t("Radius"), value: `${toSlider(place.radius)}` });
  const position = make("small", { className: "quiet", textContent: t("Drag the marker on the map to move the place.") });
  const problem = make("p", { className: "problem", role: "alert", hidden: true });
  const made = make("form", {}, make("label", {}, t("Name"), " ", name),
    make("label", {}, t("Radius (m)"), " ", make("span", { className: "radius" }, slider, radius)), position, problem, make("button", { className: "main", textContent: t("Save") }));
  const center = { lat: place.latitude, lon: place.longitude };
  map.choose(place, (moved) => {
    Object.assign(center, moved);
    position.textContent = t("Moved. Save to keep it.");
  });
  slider.addEventListener("input", () => (map.radius = radius.value = fromSlider(slider.value)));
  radius.addEventListener("input", () => {
    slider.value = toSlider(radius.value);
    map.radius = Number(radius.value);
  });
  made.addEventListener("submit", async (event) => {
    event.preventDefault();
    problem.hidden = true;
    try {
      await api.change("PUT", `/api/v1/places/${place.id}`, {
        name: name.value.trim(), ...stored(center), radius: Number(radius.value),
      });
      await load();
      sayDone(t("Saved. Every visit there has it, also past ones."), place.id);
    } catch (error) {
      problem.textContent = error.message;
      problem.hidden = false;
    }
  });
  return made;
}

// A logarithmic slider: small radii need finer steps than large ones.
const toSlider = (radius) => (Math.log(Math.max(RADII[0], radius) / RADII[0]) / Math.log(RADII[1] / RADII[0])) * 100;
const fromSlider = (value) => {
  const radius = RADII[0] * (RADII[1] / RADII[0]) ** (value / 100);
  const step = radius < 200 ? 5 : radius < 1000 ? 25 : 100;
  return Math.round(radius / step) * step;
};

function tools(place) {
  const others = view.places.filter(({ id }) => id !== place.id).sort(ORDERS.name);
  const into = make("select", { ariaLabel: t("Merge with") }, new Option(t("Merge with…"), ""), ...others.map(({ id, name }) => new Option(name, id)));
  into.disabled = !others.length;
  into.addEventListener("change", async () => {
    const other = others.find(({ id }) => id === into.value);
    if (!other) return;
    try {
      await api.change("POST", `/api/v1/places/${place.id}/merge`, { into: other.id });
      window.history.replaceState(null, "", `/places?place=${other.id}`);
      await load();
      sayDone(t("Merged. {name} has a circle around both.", { name: format.isolated(other.name) }), place.id);
    } catch (error) {
      toast(error.message);
    }
  });
  let isAsked = false;
  const remove = button(t("Remove"), async () => {
    if (!isAsked) {
      isAsked = true;
      remove.textContent = t("Click again to remove");
      remove.addEventListener("blur", () => {
        isAsked = false;
        remove.textContent = t("Remove");
      }, { once: true });
      return;
    }
    try {
      await api.change("DELETE", `/api/v1/places/${place.id}`);
      window.history.replaceState(null, "", "/places");
      element("search").value = "";
      await load();
      sayDone(t("Removed. The visits stay."), place.id);
    } catch (error) {
      toast(error.message);
    }
  }, { className: "danger" });
  return make("div", { className: "tools" }, into, remove);
}

function appendVisits(list, visits) {
  for (const visit of visits) {
    const zone = zoneOf(visit.device);
    const [arrival, departure] = [Date.parse(visit.arrival), visit.departure && Date.parse(visit.departure)];
    const day = dayOf(arrival, zone);
    const year = day.slice(0, 4);
    if (list.dataset.year !== year) {
      list.append(make("li", { className: "year" }, make("h3", { textContent: year })));
      list.dataset.year = year;
    }
    const until = departure ? `${dayOf(departure, zone) === day ? "" : `${dayName(dayOf(departure, zone), { day: "numeric", month: "short" })}, `}${clock(departure, zone)}` : t("still there");
    const link = make("a", { href: `/timeline?${new URLSearchParams({ device: visit.device, day })}` },
      make("span", { textContent: dayName(day) }), make("small", { textContent: `${clock(arrival, zone)} – ${until} · ${format.duration(visit.duration * 1000)}` }));
    if (view.zones.size > 1) link.append(make("small", {}, named(visit.device)));
    list.append(make("li", {}, link));
  }
}

function more(place, list, cursor) {
  const made = button(t("Show more"), async () => {
    made.disabled = true;
    try {
      const page = await api.get(`/api/v1/places/${place.id}/visits?${new URLSearchParams({ cursor })}`);
      appendVisits(list, page.visits);
      if (page.next_cursor) made.replaceWith(more(place, list, page.next_cursor));
      else made.remove();
    } catch (error) {
      made.disabled = false;
      toast(error.message);
    }
  });
  return made;
}

// MARK: Reading

function fail(error) {
  if (api.isSentToDoor(error)) return;
  element("failed").firstElementChild.textContent = t("The places could not be loaded. {message}", { message: error.message });
  element("failed").hidden = false;
  element("overview").hidden = element("place").hidden = true;
  document.body.dataset.state = "failed";
}

async function load() {
  document.body.dataset.state = "loading";
  const wanted = new URLSearchParams(location.search).get("place");
  const [{ places }, { changes }, page] = await Promise.all([
    api.get("/api/v1/places?totals=true"),
    api.get("/api/v1/place-changes"),
    wanted ? api.get(`/api/v1/places/${encodeURIComponent(wanted)}/visits`).catch((error) => (error.status === 404 ? null : Promise.reject(error))) : null,
  ]);
  Object.assign(view, { places, changes });
  const place = page && places.find(({ id }) => id === wanted);
  view.chosen = place?.id ?? null;
  element("failed").hidden = true;
  element("overview").hidden = Boolean(place);
  element("place").hidden = !place;
  showList();
  const list = changeList(changes, { mayChange: view.mayChange, done: undone });
  element("past").replaceChildren(...[list].filter(Boolean));
  element("past").hidden = Boolean(place) || !list;
  element("place").replaceChildren(...(place ? detail(place, page.visits, page.next_cursor) : []));
  if (!place) {
    map.choose(null);
    map.fit();
  } else if (!view.mayChange) {
    map.choose(place, null);
  }
  document.title = `${place ? format.isolated(place.name) : t("Places")} – Godwit`;
  document.body.dataset.state = "ready";
}

// Opens a place, or the list (null), as a new entry of the browser's history.
async function go(id) {
  window.history.pushState(null, "", id ? `/places?place=${id}` : "/places");
  await load().catch(fail);
  (id ? element("place").querySelector("button") : element("search")).focus();
}

const open = (id) => go(id);

async function begin() {
  const [known, who, devices] = await Promise.all([settings, api.get("/api/v1/session"), api.devices()]);
  view.mayChange = who.may_change;
  background(base, known, devices);
  const own = devices.filter(({ access }) => access === "all");
  const zones = await Promise.all(own.map(({ name }) =>
    api.get(`/api/v1/devices/${encodeURIComponent(name)}/time-zone`).then(({ time_zone: zone }) => [name, zone])));
  view.zones = new Map(zones);
  await load();
  if (view.places.length) return;
  const positions = own.flatMap(({ last }) => (last ? [{ lat: last.geometry.coordinates[1], lon: last.geometry.coordinates[0] }] : []));
  base.fit(Bounds.of(positions), { maximumZoom: 11 });
}

element("search").addEventListener("input", showList);
element("order").addEventListener("change", showList);
window.addEventListener("popstate", () => load().catch(fail));
api.whenBack(begin);
element("failed").querySelector("button").addEventListener("click", () => begin().catch(fail));

begin().catch(fail);
