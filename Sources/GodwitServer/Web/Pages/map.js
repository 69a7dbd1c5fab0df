// The map: the chosen device and day, the track, and the values beside it.

import * as api from "/api.js";
import * as format from "/format.js";
import { graticule } from "/graticule.js";
import { History } from "/history.js";
import { Profile } from "/profile.js";
import { Track, fromFeature, fromLine } from "/track.js";

const element = (id) => document.getElementById(id);
const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const DAY = 86400000;

const map = L.map("map", { zoomControl: false, preferCanvas: true, worldCopyJump: true }).setView([30, 10], 3);
L.control.zoom({ position: "bottomright" }).addTo(map);
L.control.scale({ imperial: false, position: "bottomright" }).addTo(map);
map.attributionControl.setPrefix(false);
map.graticuleRenderer = L.svg({ pane: "tilePane" });

const view = { device: null, day: null, track: new Track(), devices: [], lines: L.layerGroup().addTo(map), under: null };
const here = L.marker([0, 0], { interactive: false, keyboard: false, icon: icon(null) });
const circle = L.circle([0, 0], { radius: 0, interactive: false, weight: 1, fillOpacity: 0.1 });
const start = L.circleMarker([0, 0], { radius: 5, interactive: false, weight: 2, fillOpacity: 1 });
const pointer = L.circleMarker([0, 0], { radius: 6, interactive: false, weight: 2, fillOpacity: 1 });
const history = new History(map, color);
const profile = new Profile(element("profile"), pointAt);

// MARK: Drawing

function icon(course) {
  const arrow = course == null ? "" : `<b style="transform: rotate(${Number(course)}deg)"></b>`;
  const live = document.body.dataset.state === "live" ? " live" : "";
  return L.divIcon({ className: "", html: `<div class="here${live}" style="width:20px;height:20px">${arrow}<i></i></div>`, iconSize: [20, 20] });
}

let scheduled = false;
function draw() {
  if (scheduled) return;
  scheduled = true;
  // Not an animation frame: those stop in hidden pages, and the count of points must not.
  setTimeout(() => {
    scheduled = false;
    drawNow();
  }, 50);
}

function drawNow() {
  const { track, lines } = view;
  const { pieces, gaps } = track.pieces();
  lines.clearLayers();
  const places = (points) => points.map((point) => [point.lat, point.lon]);
  for (const gap of gaps) {
    L.polyline(places(gap), { color: color("--quiet"), weight: 1.5, dashArray: "2 7", interactive: false }).addTo(lines);
  }
  for (const piece of pieces) {
    L.polyline(places(piece), { color: color("--casing"), weight: 8, opacity: 0.9, interactive: false }).addTo(lines);
  }
  for (const piece of pieces) {
    L.polyline(places(piece), { color: color("--track"), weight: 4, lineJoin: "round", interactive: false }).addTo(lines);
  }
  const last = track.last;
  if (last) {
    here.setLatLng([last.lat, last.lon]).setIcon(icon(last.course)).addTo(map);
    circle.setLatLng([last.lat, last.lon]).setRadius(last.accuracy || 0).setStyle({ color: color("--track") }).addTo(map);
    start.setLatLng([track.points[0].lat, track.points[0].lon])
      .setStyle({ color: color("--track"), fillColor: color("--casing") }).addTo(map);
  } else {
    for (const layer of [here, circle, start]) layer.remove();
  }
  document.body.dataset.points = track.points.length;
  profile.show(track);
  describe();
}

function describe() {
  const { track, device } = view;
  const last = track.last;
  const newest = view.devices.find((candidate) => candidate.name === device);
  element("speed").textContent = format.speed(track.speedAt(track.points.length - 1));
  element("accuracy").textContent = last && last.accuracy != null ? `± ${format.meters(last.accuracy)}` : "–";
  element("altitude").textContent = format.meters(last && last.altitude);
  element("battery").textContent = last ? format.battery(last.battery, last.batteryState) : "–";
  const distances = track.distances();
  element("summary").textContent = last
    ? `${format.distance(distances[distances.length - 1])} in ${format.duration(last.time - track.points[0].time)} · ${format.count(track.points.length, "point")}`
    : "No points on this day";
  const newestDay = newest && newest.last ? format.day(Date.parse(newest.last.properties.timestamp)) : null;
  element("later").disabled = !newestDay || view.day >= newestDay;
  element("earlier").disabled = !(newest && newest.first) || view.day <= format.day(Date.parse(newest.first));
  document.title = device ? `${device} – Godwit` : "Godwit";
  tick();
}

function tick() {
  const last = view.track.last;
  element("age").textContent = last ? format.age(Date.now() - last.time) ?? format.time(last.time) : "–";
}

function fit() {
  const { points } = view.track;
  if (!points.length) return;
  around(L.latLngBounds(points.map((point) => [point.lat, point.lon])));
}

// Shows a part of the world beside the card.
function around(bounds) {
  const card = element("card").getBoundingClientRect();
  const isSheet = card.width > window.innerWidth * 0.8;
  map.fitBounds(bounds, {
    maxZoom: 17,
    paddingTopLeft: isSheet ? [30, 30] : [card.right + 30, 40],
    paddingBottomRight: isSheet ? [30, card.height + 30] : [60, 50],
    animate: false,
  });
}

// MARK: Pointing at the track

function pointAt(index) {
  view.under = index;
  profile.mark(index);
  const point = index == null ? null : view.track.points[index];
  if (!point) {
    pointer.remove();
    element("under-pointer").textContent = "\u00a0";
    return;
  }
  pointer.setLatLng([point.lat, point.lon]).setStyle({ color: color("--casing"), fillColor: color("--accent") }).addTo(map);
  const parts = [format.time(point.time), `${format.speed(view.track.speedAt(index))} ${format.speedUnit}`];
  if (point.altitude != null) parts.push(format.meters(point.altitude));
  element("under-pointer").textContent = parts.join("  ·  ");
}

map.on("mousemove click", (event) => {
  // The nearest point within 24 pixels.
  const { points } = view.track;
  let best = null;
  let nearest = 24 * 24;
  const step = Math.max(1, Math.floor(points.length / 20000));
  for (let index = 0; index < points.length; index += step) {
    const place = map.latLngToContainerPoint([points[index].lat, points[index].lon]);
    const distance = (place.x - event.containerPoint.x) ** 2 + (place.y - event.containerPoint.y) ** 2;
    if (distance < nearest) [nearest, best] = [distance, index];
  }
  if (best !== view.under) pointAt(best);
});
map.on("dragstart", () => (element("follow").checked = false));

// MARK: Choosing

async function choose(device, day) {
  const list = view.devices;
  const chosen = list.find((candidate) => candidate.name === device) || list.find((candidate) => candidate.last) || list[0];
  document.body.classList.toggle("waiting", !chosen);
  element("empty").hidden = Boolean(chosen && chosen.last);
  if (!chosen) return;
  view.device = chosen.name;
  view.day = day || format.day(chosen.last ? Date.parse(chosen.last.properties.timestamp) : Date.now());
  element("device").replaceChildren(...list.map(({ name }) => new Option(name, name, false, name === chosen.name)));
  element("day").value = view.day;
  if (element("history").checked) history.show(view.device);
  await reload(true);
}

async function reload(andFit) {
  const { device, day } = view;
  if (!device) return;
  const from = new Date(`${day}T00:00:00`).getTime();
  let features;
  try {
    features = await api.track(device, from, from + DAY);
  } catch (error) {
    // The points of another day do not stay under this one.
    if (andFit && device === view.device && day === view.day) {
      view.track = new Track();
      drawNow();
    }
    throw error;
  }
  if (device !== view.device || day !== view.day) return; // Something else was chosen meanwhile.
  const track = new Track();
  track.add(features.flatMap(fromLine));
  const newest = view.devices.find((candidate) => candidate.name === device);
  // The line knows less of its last point than the device does.
  if (newest && newest.last && track.last && track.last.time === Date.parse(newest.last.properties.timestamp)) {
    track.points[track.points.length - 1] = fromFeature(newest.last);
  }
  view.track = track;
  pointAt(null);
  drawNow();
  if (andFit) fit();
}

async function arrived(device, features) {
  const points = features.map(fromFeature);
  const isNew = !view.devices.some((candidate) => candidate.name === device && candidate.last);
  const newest = points.reduce((a, b) => (a.time > b.time ? a : b));
  if (isNew) {
    view.devices = await api.devices();
    if (!view.track.points.length) return choose(device);
  }
  const known = view.devices.find((candidate) => candidate.name === device);
  if (known && (!known.last || Date.parse(known.last.properties.timestamp) < newest.time)) {
    known.last = features[points.indexOf(newest)];
  }
  if (device !== view.device) return;
  const day = format.day(newest.time);
  if (day > view.day && element("follow").checked) return choose(device, day);
  const wasEmpty = view.track.points.length < 2;
  view.track.add(points.filter((point) => format.day(point.time) === view.day));
  draw();
  if (wasEmpty) setTimeout(fit, 80);
  else if (element("follow").checked) grow();
}

// Zooms out, while following, when the track leaves the picture.
let growing = null;
function grow() {
  if (growing) return;
  growing = setTimeout(() => {
    growing = null;
    const last = view.track.last;
    if (!last || !element("follow").checked) return;
    const place = map.latLngToContainerPoint([last.lat, last.lon]);
    const size = map.getSize();
    const card = element("card").getBoundingClientRect();
    const left = card.width > window.innerWidth * 0.8 ? 0 : card.right;
    if (place.x < left + 20 || place.x > size.x - 40 || place.y < 30 || place.y > size.y - 40) fit();
  }, 400);
}

function state(name) {
  document.body.dataset.state = name;
  element("state").lastElementChild.textContent = format.STATES[name] ?? name;
  draw();
}

element("device").addEventListener("change", (event) => choose(event.target.value));
element("day").addEventListener("change", (event) => event.target.value && choose(view.device, event.target.value));
async function showHistory(isOn) {
  const bounds = await history.show(isOn ? view.device : null);
  if (!bounds) return;
  element("follow").checked = false;
  around(bounds);
}

element("history").addEventListener("change", (event) => showHistory(event.target.checked));
element("fit").addEventListener("click", fit);
element("follow").addEventListener("change", (event) => event.target.checked && fit());
for (const [id, step] of [["earlier", -1], ["later", 1]]) {
  element(id).addEventListener("click", () => {
    element("follow").checked = false;
    const noon = new Date(`${view.day}T12:00:00`).getTime() + step * DAY;
    choose(view.device, format.day(noon));
  });
}
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => drawNow());
setInterval(tick, 1000);

// MARK: Beginning

// Without any point the first steps are more use than an empty map, which the bar still leads to.
function isFirstVisit() {
  const from = document.referrer ? new URL(document.referrer) : null;
  const isFromPage = from?.origin === location.origin && !["/login", "/sign-in"].includes(from.pathname);
  if (document.documentElement.dataset.demo) return false;
  return !view.devices.some(({ last }) => last) && !isFromPage && !location.search;
}

try {
  const settings = await api.settings();
  if (settings.tiles) {
    L.tileLayer(settings.tiles.url, { attribution: settings.tiles.attribution, maxZoom: settings.tiles.max_zoom }).addTo(map);
  } else {
    const lines = graticule(map, () => color("--graticule"));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => lines.redraw());
  }
  view.devices = await api.devices();
  if (isFirstVisit()) location.replace("/welcome");
  const wanted = new URLSearchParams(location.search);
  await choose(wanted.get("device"));
  // "/?history=on" begins with all days.
  if (wanted.get("history") === "on") {
    element("history").checked = true;
    await showHistory(true);
  }
  const refresh = async () => {
    view.devices = await api.devices();
    await (view.device ? reload(false) : choose());
  };
  // "/?live=off" shows the stored points without updates.
  if (wanted.get("live") === "off") state("still");
  else api.events({ points: arrived, resync: refresh, state });
} catch (error) {
  document.body.classList.toggle("waiting", api.isSentToDoor(error));
  state("offline");
  api.whenBack(() => location.reload());
  if (!error.isFromServer) throw error;
}
