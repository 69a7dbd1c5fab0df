// A day: where somebody stayed, how they went, and what was left out.

import * as api from "/api.js";
import { element, make } from "/elements.js";
import * as format from "/format.js";
import { MODES } from "/format.js";
import { graticule } from "/graticule.js";
import { TimelinePhotos } from "/timeline-photos.js";
import { fromLine } from "/track.js";

const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const REASONS = {
  spike: "jumped away and back", teleport: "impossibly fast", null_island: "at 0, 0", future: "in the future",
  unconfirmed: "far away, not confirmed yet",
  manual: "hidden by you",
};

const map = L.map("map", { preferCanvas: true, worldCopyJump: true }).setView([30, 10], 3);
L.control.scale({ imperial: false }).addTo(map);
map.attributionControl.setPrefix(false);
map.graticuleRenderer = L.svg({ pane: "tilePane" });
const layer = L.layerGroup().addTo(map);
const view = { device: null, day: null, zone: "UTC", mayChange: false, points: [], visits: [], trips: [], marks: [], chosen: null, sources: [] };

// MARK: Texts

const clock = (text) => new Date(text).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", timeZone: view.zone });

// A time of another day has its date.
function when(text) {
  const day = new Date(text).toLocaleDateString("sv-SE", { timeZone: view.zone });
  if (day === view.day) return clock(text);
  return `${new Date(text).toLocaleDateString([], { day: "numeric", month: "short", timeZone: view.zone })}, ${clock(text)}`;
}

const step = (day, days) => format.day(new Date(`${day}T12:00:00`).getTime() + days * 86400000);

const escaped = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

const nameOf = (visit) => visit.place?.name ?? visit.address?.name ?? visit.address?.text?.split(", ").slice(0, 2).join(", ");

// MARK: The list

function visitEntry(visit) {
  const button = make("button", { type: "button", className: "entry" });
  const name = nameOf(visit);
  button.append(make("b", { textContent: name ?? "Unnamed place" }));
  const until = visit.departure ? when(visit.departure) : "still there";
  const sure = visit.confidence < 0.7 ? " · partly estimated" : "";
  button.append(make("small", { textContent: `${when(visit.arrival)} – ${until}, ${format.duration(visit.duration * 1000)}${sure}` }));
  const item = make("li", { className: "visit" }, button);
  button.addEventListener("click", () => choose(visit, button));
  if (view.mayChange) item.append(naming(visit));
  return item;
}

// Names or renames a place.
function naming(visit) {
  const box = make("div", { className: visit.place ? "more named" : "more" });
  const open = make("button", { type: "button", className: "plain", textContent: visit.place ? "Rename" : "Name this place" });
  const show = () => {
    const form = make("form", { className: "more" });
    const name = make("input", { name: "name", required: true, maxLength: 100, value: visit.place?.name ?? "", ariaLabel: "Name" });
    const radius = make("input", { name: "radius", type: "number", min: 20, max: 5000, value: 100, required: true });
    const save = make("button", { textContent: "Save" });
    const cancel = make("button", { type: "button", textContent: "Cancel" });
    form.append(name, ...(visit.place ? [] : [make("label", {}, "Radius (m) ", radius)]), save, cancel);
    cancel.addEventListener("click", () => {
      form.replaceWith(box);
      open.focus();
    });
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      try {
        if (visit.place) {
          const { places } = await api.get(`/api/v1/places?${new URLSearchParams({ device: view.device })}`);
          const { latitude, longitude, radius } = places.find(({ id }) => id === visit.place.id);
          await api.change("PUT", `/api/v1/places/${visit.place.id}`, { name: name.value, latitude, longitude, radius });
        } else {
          const { latitude, longitude } = visit;
          await api.change("POST", "/api/v1/places", {
            device: view.device, name: name.value, latitude, longitude, radius: Number(radius.value),
          });
        }
        await load();
      } catch (error) {
        form.querySelector("p")?.remove();
        form.append(make("p", { role: "alert", textContent: error.message }));
      }
    });
    box.replaceWith(form);
    name.focus();
  };
  open.addEventListener("click", show);
  box.append(open);
  return box;
}

function tripEntry(trip) {
  const button = make("button", { type: "button", className: "entry" });
  const item = make("li", { className: "trip" }, button);
  item.style.setProperty("--mode", `var(--${trip.mode})`);
  button.append(make("i", { textContent: MODES[trip.mode] }), ` ${format.distance(trip.distance)}`);
  const speed = trip.speed ? `, ${format.speed(trip.speed)} ${format.speedUnit}` : "";
  button.append(
    make("small", { textContent: `${when(trip.start)} – ${when(trip.end)}, ${format.duration(trip.duration * 1000)}${speed}` }));
  if (trip.segments.length > 1) {
    const parts = trip.segments.map((segment) => {
      const part = make("span", { title: `${MODES[segment.mode]}, ${format.distance(segment.distance)}` });
      part.style.background = `var(--${segment.mode})`;
      part.style.flexGrow = Math.max(1, Date.parse(segment.end) - Date.parse(segment.start));
      return part;
    });
    button.append(make("span", { className: "segments", ariaHidden: "true" }, ...parts));
    const words = trip.segments.map((segment) => `${MODES[segment.mode]} ${format.distance(segment.distance)}`).join(", ");
    button.append(make("small", { textContent: words }));
  }
  button.addEventListener("click", () => choose(trip, button));
  return item;
}

function list() {
  const entries = [
    ...view.visits.map((visit) => ({ start: visit.arrival, end: visit.departure, make: () => visitEntry(visit) })),
    ...view.trips.map((trip) => ({ start: trip.start, end: trip.end, make: () => tripEntry(trip) })),
  ].sort((a, b) => Date.parse(a.start) - Date.parse(b.start));
  view.items = entries.map(({ start, end, make }) => ({ element: make(), start, end }));
  element("entries").replaceChildren(...view.items.map(({ element }) => element));
  element("nothing").hidden = entries.length > 0;
  const out = view.marks.filter((mark) => mark.marked);
  element("marks").hidden = out.length === 0;
  element("marks").firstElementChild.textContent = `${format.count(out.length, "point")} hidden`;
  element("marks").querySelector("ul").replaceChildren(...out.map((mark) => {
    const item = make("li", {}, make("span", {}, clock(mark.time), make("small", { textContent: REASONS[mark.reason] })));
    if (view.mayChange) {
      const restore = make("button", { type: "button", className: "plain", textContent: "Keep this point" });
      restore.addEventListener("click", () => setMark(mark, false));
      item.append(restore);
    }
    return item;
  }));
}

async function setMark({ time, latitude, longitude }, marked) {
  await api.change("PUT", "/api/v1/outliers", { device: view.device, time, latitude, longitude, marked });
  map.closePopup();
  await load();
}

// MARK: The map

function modeAt(time) {
  for (const trip of view.trips) {
    for (const { start, end, mode } of trip.segments) if (time >= Date.parse(start) && time < Date.parse(end)) return mode;
  }
  return null;
}

function draw(andFit) {
  layer.clearLayers();
  for (const line of view.points) {
    let stretch = [];
    let mode;
    const flush = () => {
      if (stretch.length < 2) return;
      const style = mode ? { color: color(`--${mode}`), weight: 4 } : { color: color("--quiet"), weight: 2, opacity: 0.6 };
      L.polyline(stretch, { ...style, lineJoin: "round", interactive: false }).addTo(layer);
    };
    for (const point of line) {
      const now = modeAt(point.time);
      if (stretch.length && now !== mode) {
        stretch.push([point.lat, point.lon]);
        flush();
        stretch = [];
      }
      mode = now;
      stretch.push([point.lat, point.lon]);
    }
    flush();
  }
  for (const visit of view.visits) {
    const marker = L.circleMarker([visit.latitude, visit.longitude], {
      radius: 8, weight: 4, color: color("--track"), fillColor: color("--paper"), fillOpacity: 1,
    });
    marker.bindTooltip(escaped(`${nameOf(visit) ?? "Unnamed place"}, ${format.duration(visit.duration * 1000)}`)).addTo(layer);
    marker.on("click", () => document.querySelectorAll(".visit .entry")[view.visits.indexOf(visit)]?.focus());
  }
  for (const mark of view.marks.filter(({ marked }) => marked)) {
    L.circleMarker([mark.latitude, mark.longitude], { radius: 4, weight: 2, color: color("--accent"), fillOpacity: 0, dashArray: "2 3" })
      .bindTooltip(`Hidden point at ${clock(mark.time)}: ${REASONS[mark.reason]}`).addTo(layer);
  }
  if (andFit) fit(boundsOf(null));
}

function boundsOf(entry) {
  if (entry?.arrival) return L.latLng(entry.latitude, entry.longitude).toBounds(400);
  const inside = (point) => !entry || (point.time >= Date.parse(entry.start) && point.time <= Date.parse(entry.end));
  const places = view.points.flat().filter(inside).map(({ lat, lon }) => [lat, lon]);
  if (entry) for (const end of [entry.from, entry.to]) places.push([end.latitude, end.longitude]);
  else for (const visit of view.visits) places.push([visit.latitude, visit.longitude]);
  return L.latLngBounds(places);
}

function fit(bounds) {
  if (bounds.isValid()) map.fitBounds(bounds, { maxZoom: 17, padding: [30, 30], animate: false });
}

function choose(entry, button) {
  const isOff = view.chosen === entry;
  view.chosen = isOff ? null : entry;
  for (const other of document.querySelectorAll(".entry")) other.setAttribute("aria-pressed", String(!isOff && other === button));
  fit(boundsOf(view.chosen));
}

// A click on a point of the track offers to hide it.
map.on("click", (event) => {
  if (!view.mayChange) return;
  let best = null;
  let nearest = 12 * 12;
  for (const point of view.points.flat()) {
    const place = map.latLngToContainerPoint([point.lat, point.lon]);
    const distance = (place.x - event.containerPoint.x) ** 2 + (place.y - event.containerPoint.y) ** 2;
    if (distance < nearest) [nearest, best] = [distance, point];
  }
  if (!best) return;
  const out = make("button", { type: "button", className: "plain", textContent: "Hide this point" });
  out.addEventListener("click", () =>
    setMark({ time: new Date(best.time).toISOString(), latitude: best.lat, longitude: best.lon }, true));
  L.popup().setLatLng([best.lat, best.lon]).setContent(make("div", {}, `${clock(best.time)} `, out)).openOn(map);
});

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

// The page is whole without photos.
const shownPhotos = new TimelinePhotos();
function showPhotos({ begins: from, ends: to, time_zone: zone }) {
  // Photos of the reader beside the days of another user would mislead.
  if (!view.own.has(view.device)) return shownPhotos.clear();
  shownPhotos.show({ from, to, zone, items: view.items, place: element("side") }).catch(api.isSentToDoor);
}

async function load(andFit = false) {
  const { device, day } = view;
  document.body.dataset.state = "loading";
  const days = new URLSearchParams({ device, from: day, to: step(day, 1) });
  const sums = await api.get(`/api/v1/statistics?${days}`);
  const query = { device, from: sums.begins, to: sums.ends };
  const [visits, trips, marks, lines] = await Promise.all([
    all("/api/v1/visits", "visits", query), all("/api/v1/trips", "trips", query), all("/api/v1/outliers", "outliers", query),
    api.track(device, Date.parse(sums.begins), Date.parse(sums.ends)),
  ]);
  if (device !== view.device || day !== view.day) return; // Something else was chosen meanwhile.
  Object.assign(view, { visits, trips, marks, points: lines.map(fromLine), zone: sums.time_zone, chosen: null });
  const { distance, moving, points } = sums.total;
  const pending = sums.pending ? " Still processing…" : "";
  element("summary").textContent = points
    ? `${format.distance(distance)} · ${format.duration(moving * 1000)} on the move · ${format.count(points, "point")}${pending}`
    : `No points on this day.${pending}`;
  element("time-zone").value = sums.time_zone;
  list();
  draw(andFit);
  // The source of the addresses is credited.
  for (const source of view.sources) map.attributionControl.removeAttribution(source);
  view.sources = [...new Set(visits.map(({ address }) => address?.attribution).filter(Boolean))].map(escaped);
  for (const source of view.sources) map.attributionControl.addAttribution(source);
  document.title = `${device}, ${day} – Godwit`;
  document.body.dataset.state = "ready";
  showPhotos(sums);
  window.history.replaceState(null, "", `/timeline?${new URLSearchParams({ device, day })}`);
  // Pending days are computed within seconds.
  clearTimeout(view.again);
  if (sums.pending) view.again = setTimeout(() => load(false).catch(() => {}), 3000);
}

function show(device, day) {
  Object.assign(view, { device, day });
  element("device").value = device;
  element("day").value = day;
  return load(true);
}

async function begin() {
  const [settings, who, devices] = await Promise.all([api.settings(), api.get("/api/v1/session"), api.devices()]);
  view.mayChange = who.may_change;
  view.own = new Set(devices.filter(({ owner }) => (owner ?? null) === (who.user?.name ?? null)).map(({ name }) => name));
  if (settings.tiles) {
    L.tileLayer(settings.tiles.url, { attribution: settings.tiles.attribution, maxZoom: settings.tiles.max_zoom }).addTo(map);
  } else {
    const lines = graticule(map, () => color("--graticule"));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => lines.redraw());
  }
  const own = devices.filter(({ access }) => access === "all");
  element("device").replaceChildren(...own.map(({ name }) => new Option(name, name)));
  const zones = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")];
  element("time-zone").replaceChildren(...zones.map((zone) => new Option(zone, zone)));
  element("time-zone").disabled = !view.mayChange;
  const wanted = new URLSearchParams(location.search);
  const device = own.find(({ name }) => name === wanted.get("device")) ?? own.find(({ last }) => last) ?? own[0];
  if (!device) {
    element("summary").textContent = "No devices yet. Add one on the page Devices.";
    document.body.dataset.state = "ready";
    return;
  }
  const newest = device.last ? Date.parse(device.last.properties.timestamp) : Date.now();
  await show(device.name, wanted.get("day") || format.day(newest));
}

element("device").addEventListener("change", (event) => show(event.target.value, view.day));
element("day").addEventListener("change", (event) => event.target.value && show(view.device, event.target.value));
element("earlier").addEventListener("click", () => show(view.device, step(view.day, -1)));
element("later").addEventListener("click", () => show(view.device, step(view.day, 1)));
element("time-zone").addEventListener("change", async (event) => {
  await api.change("PUT", `/api/v1/devices/${encodeURIComponent(view.device)}/time-zone`, { time_zone: event.target.value });
  await load();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => draw(false));

try {
  await begin();
} catch (error) {
  if (!api.isSentToDoor(error)) {
    element("summary").textContent = error.message;
    document.body.dataset.state = "failed";
  }
}
