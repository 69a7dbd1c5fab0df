// A day: where somebody stayed, how they went, and what was left out.

import * as api from "/api.js";
import { element, make } from "/elements.js";
import * as format from "/format.js";
import { MODES } from "/format.js";
import { background } from "/map-background.js";
import { MapView } from "/map-view.js";
import { TimelineMap } from "/timeline-map.js";
import { fromLine } from "/track.js";

const REASONS = {
  spike: "jumped away and back", teleport: "impossibly fast", null_island: "at 0, 0", future: "in the future",
  unconfirmed: "far away, not confirmed yet",
  manual: "hidden by you",
};

const settings = api.settings();
const map = new MapView(element("map"), { settings });
const drawing = new TimelineMap(map, { title: titleOf, opened: (index) => document.querySelectorAll(".visit .entry")[index]?.focus() });
const view = { device: null, day: null, zone: "UTC", mayChange: false, points: [], visits: [], trips: [], marks: [], chosen: null };

// MARK: Texts

const clock = (text) => new Date(text).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", timeZone: view.zone });

// A time of another day has its date.
function when(text) {
  const day = new Date(text).toLocaleDateString("sv-SE", { timeZone: view.zone });
  if (day === view.day) return clock(text);
  return `${new Date(text).toLocaleDateString([], { day: "numeric", month: "short", timeZone: view.zone })}, ${clock(text)}`;
}

const step = (day, days) => format.day(new Date(`${day}T12:00:00`).getTime() + days * 86400000);

const nameOf = (visit) => visit.place?.name ?? visit.address?.name ?? visit.address?.text?.split(", ").slice(0, 2).join(", ")
  ?? (visit.town ? `Near ${visit.town}` : visit.state ?? visit.country ?? undefined);

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
    ...view.visits.map((visit) => ({ at: Date.parse(visit.arrival), make: () => visitEntry(visit) })),
    ...view.trips.map((trip) => ({ at: Date.parse(trip.start), make: () => tripEntry(trip) })),
  ].sort((a, b) => a.at - b.at);
  element("entries").replaceChildren(...entries.map(({ make }) => make()));
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
  popup?.remove();
  await load();
}

// MARK: The map

// What a visit or a hidden point is called under the pointer.
function titleOf(part, index) {
  if (part === "visit") {
    const visit = view.visits[index];
    return `${nameOf(visit) ?? "Unnamed place"}, ${format.duration(visit.duration * 1000)}`;
  }
  const mark = view.marks[index];
  return `Hidden point at ${clock(mark.time)}: ${REASONS[mark.reason]}`;
}

function draw(andFit) {
  drawing.show(view);
  if (andFit) drawing.fit();
}

function choose(entry, button) {
  const isOff = view.chosen === entry;
  view.chosen = isOff ? null : entry;
  for (const other of document.querySelectorAll(".entry")) other.setAttribute("aria-pressed", String(!isOff && other === button));
  drawing.fit(view.chosen);
}

// A click on a point of the track offers to hide it.
let popup = null;
map.on("click", ({ place, point }) => {
  if (!view.mayChange || drawing.under(point)) return;
  const points = view.points.flat();
  const best = points[map.nearest(points, place, 12) ?? -1];
  if (!best) return;
  const out = make("button", { type: "button", className: "plain", textContent: "Hide this point" });
  out.addEventListener("click", () =>
    setMark({ time: new Date(best.time).toISOString(), latitude: best.lat, longitude: best.lon }, true));
  popup = map.popup(best, make("div", {}, `${clock(best.time)} `, out));
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
  map.credit("addresses", visits.map(({ address }) => address?.attribution));
  document.title = `${device}, ${day} – Godwit`;
  document.body.dataset.state = "ready";
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
  const [who, devices] = await Promise.all([api.get("/api/v1/session"), api.devices()]);
  view.mayChange = who.may_change;
  background(map, await settings, devices);
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

try {
  await begin();
} catch (error) {
  if (!api.isSentToDoor(error)) {
    element("summary").textContent = error.message;
    document.body.dataset.state = "failed";
  }
}
