// The map page: the selected device and day, the track, and its values.

import * as api from "/api.js";
import { addDays, boundsOf, dayOf, isDay } from "/days.js";
import { make } from "/elements.js";
import * as format from "/format.js";
import { choiceOf, write } from "/history-choice.js";
import { History } from "/history.js";
import { background } from "/map-background.js";
import { Bounds } from "/map-shapes.js";
import { MapView, cardInsets } from "/map-view.js";
import { People } from "/people.js";
import { Profile } from "/profile.js";
import { plural, t } from "/texts.js";
import { onTheme } from "/theme.js";
import { TrackLayer } from "/track-layer.js";
import { Track, fromFeature, fromLine } from "/track.js";

const element = (id) => document.getElementById(id);

const settings = api.settings();
// Called when the values of the day are shown.
let isShown = () => {};
const map = new MapView(element("map"), { settings, insets, first: new Promise((done) => (isShown = () => done(null))) });
const view = { device: null, day: null, zone: format.timeZone, choice: 0, track: new Track(), devices: [], under: null };
const history = new History(map, element("history-panel"), choiceOf(location.search), chose);
const drawing = new TrackLayer(map);
const pointer = map.marker(make("i", { className: "pointer" }), { lat: 0, lon: 0 }).show(false);
const people = new People(map, element("people"), (device) => {
  const [lon, lat] = device.last.geometry.coordinates;
  element("follow").checked = false;
  if (device.name !== view.device) choose(device.name, null, false);
  map.look({ lat, lon, zoom: Math.max(map.zoom, 14) });
});
const profile = new Profile(element("profile"), pointAt);

// MARK: Drawing

let scheduled = false;
function draw() {
  if (scheduled) return;
  scheduled = true;
  // A timer and not an animation frame: those stop in hidden pages, and the count of points must be updated there too.
  setTimeout(() => {
    scheduled = false;
    drawNow();
  }, 50);
}

function drawNow() {
  drawing.show(view.track);
  document.body.dataset.points = String(view.track.points.length);
  // A device that did not move has no profile.
  element("profile").hidden = !view.track.distances().at(-1);
  profile.show(view.track);
  describe();
  isShown();
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
    ? [
      t("{distance} in {duration}", { distance: format.distance(distances[distances.length - 1]), duration: format.duration(last.time - track.points[0].time) }),
      plural(track.points.length, "{n} point", "{n} points", { n: format.number(track.points.length) }),
    ].join(" · ")
    : t("No points on this day");
  const newestDay = newest && newest.last ? dayAt(Date.parse(newest.last.properties.timestamp)) : null;
  element("later").disabled = !newestDay || view.day >= newestDay;
  element("earlier").disabled = !(newest && newest.first) || view.day <= dayAt(Date.parse(newest.first));
  document.title = device ? `${device} – Godwit` : "Godwit";
  tick();
}

function tick() {
  const last = view.track.last;
  people.tick();
  element("age").textContent = last ? format.age(Date.now() - last.time) ?? format.date(last.time) : "–";
}

function fit() {
  map.fit(Bounds.of(view.track.points));
}

// MARK: Pointing at the track

function pointAt(index) {
  view.under = index;
  profile.mark(index);
  const point = index == null ? null : view.track.points[index];
  if (!point) {
    pointer.show(false);
    element("under-pointer").textContent = "\u00a0";
    return;
  }
  pointer.place = point;
  pointer.show();
  const parts = [format.time(point.time), `${format.speed(view.track.speedAt(index))} ${format.speedUnit}`];
  if (point.altitude != null) parts.push(format.meters(point.altitude));
  element("under-pointer").textContent = parts.join("  ·  ");
}

// Highlights the nearest point within 24 pixels.
for (const name of ["mousemove", "click"]) {
  map.on(name, ({ place, originalEvent }) => {
    if (originalEvent.buttons) return; // The map is dragged.
    const best = map.nearest(view.track.points, place, 24);
    if (best !== view.under) pointAt(best);
  });
}
map.on("dragstart", () => (element("follow").checked = false));

// The parts of the map that the card and the panel of the history cover.
function insets() {
  const [card, panel] = [element("card"), element("history-panel")];
  const covered = cardInsets(card);
  if (panel.hidden) return covered;
  const { left, height } = panel.getBoundingClientRect();
  return left > 0 ? { ...covered, right: window.innerWidth - left } : { bottom: Math.max(covered.bottom ?? 0, height) };
}

// MARK: Choosing

// The time zones of devices, by name. The time zone of a friend's device is unknown, so its days are those of the user.
const zones = new Map();
async function zoneOf({ name, access }) {
  if (access !== "all") return format.timeZone;
  if (!zones.has(name)) zones.set(name, (await api.get(`/api/v1/devices/${encodeURIComponent(name)}/time-zone`)).time_zone);
  return zones.get(name);
}

const dayAt = (time) => dayOf(time, view.zone);
// The newest day of a device, in the current time zone.
const newestDay = (device) => dayAt(device?.last ? Date.parse(device.last.properties.timestamp) : Date.now());

// Returns the choice in a URL's query; null: the page's default.
function wantedOf(search) {
  const query = new URLSearchParams(search);
  const day = query.get("day");
  return { device: query.get("device"), day: isDay(day) ? day : null, isLive: query.get("live") !== "off" };
}

async function choose(device, day, andFit = true) {
  const list = view.devices;
  const chosen = list.find((candidate) => candidate.name === device) || api.newestOf(list);
  document.body.classList.toggle("waiting", !chosen);
  element("empty").hidden = Boolean(chosen && chosen.last);
  if (!chosen) return isShown();
  const choice = (view.choice += 1);
  const zone = await zoneOf(chosen);
  if (choice !== view.choice) return; // Something else was chosen meanwhile.
  Object.assign(view, { device: chosen.name, zone });
  view.day = day || newestDay(chosen);
  element("device").replaceChildren(...list.map(({ name }) => new Option(name, name, false, name === chosen.name)));
  element("day").value = view.day;
  remember();
  history.setPage(view);
  people.show(list, chosen.name);
  await reload(andFit);
}

async function reload(andFit) {
  const { device, day } = view;
  if (!device) return;
  const { start, end } = boundsOf(day, view.zone);
  let features;
  try {
    features = await api.track(device, start, end);
  } catch (error) {
    // Another day's points must not remain visible under this day.
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
  // The device's last point has more properties than the last point of the line.
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
    people.show(view.devices, view.device);
  }
  if (device !== view.device) return;
  const day = dayAt(newest.time);
  if (day > view.day && element("follow").checked) return choose(device, day);
  const wasEmpty = view.track.points.length < 2;
  view.track.add(points.filter((point) => dayAt(point.time) === view.day));
  draw();
  if (wasEmpty) setTimeout(fit, 80);
  else if (element("follow").checked) grow();
}

// Zooms out when the track leaves the view, while following.
let growing = null;
function grow() {
  if (growing) return;
  growing = setTimeout(() => {
    growing = null;
    const last = view.track.last;
    if (!last || !element("follow").checked) return;
    const place = map.project(last);
    if (!place) return;
    const { clientWidth, clientHeight } = element("map");
    const { left = 0, bottom = 0 } = cardInsets(element("card"));
    // The zoom buttons are at the right edge.
    if (place.x < left + 20 || place.x > clientWidth - 66 || place.y < 30 || place.y > clientHeight - bottom - 40) fit();
  }, 400);
}

function state(name) {
  document.body.dataset.state = name;
  element("state").lastElementChild.textContent = format.STATES[name] ?? name;
  draw();
}

element("device").addEventListener("change", (event) => choose(event.target.value));
element("day").addEventListener("change", (event) => event.target.value && choose(view.device, event.target.value));
element("history").addEventListener("click", () => changeHistory({ ...history.choice, isOn: !history.choice.isOn }));
element("fit").addEventListener("click", fit);
element("follow").addEventListener("change", (event) => event.target.checked && fit());
for (const [id, step] of [["earlier", -1], ["later", 1]]) {
  element(id).addEventListener("click", () => {
    element("follow").checked = false;
    choose(view.device, addDays(view.day, step));
  });
}

// MARK: The history and the address

function changeHistory(choice) {
  history.choice = choice;
  chose(choice);
  if (choice.isOn) history.focus();
  else element("history").focus();
}

// Called when the user has changed the history. The back button returns to the previous state.
function chose({ isOn }) {
  remember({ isNew: true });
  showHistory();
  if (!isOn) element("history").focus();
}

let isHistoryShown = false;
async function showHistory() {
  const { isOn, range } = history.choice;
  element("history").setAttribute("aria-expanded", isOn);
  const isNew = isOn && !isHistoryShown;
  isHistoryShown = isOn;
  if (!isNew) return;
  element("follow").checked = false;
  if (range === "all") map.fit(await history.bounds());
}

// Stores the device, the day and the history in the URL.
function remember({ isNew = false } = {}) {
  const query = new URLSearchParams(location.search);
  const { device, day, devices } = view;
  const chosen = devices.find(({ name }) => name === device);
  if (devices.length > 1) query.set("device", device);
  if (day === newestDay(chosen)) query.delete("day");
  else query.set("day", day);
  write(history.choice, query);
  const text = String(query).replaceAll("%2C", ",");
  const address = `${location.pathname}${text ? `?${text}` : ""}${location.hash}`;
  if (address === `${location.pathname}${location.search}${location.hash}`) return;
  window.history[isNew ? "pushState" : "replaceState"](null, "", address);
}

addEventListener("popstate", async () => {
  const { device, day } = wantedOf(location.search);
  history.choice = choiceOf(location.search);
  showHistory();
  const chosen = view.devices.find(({ name }) => name === (device ?? view.device));
  if (chosen && (chosen.name !== view.device || (day ?? newestDay(chosen)) !== view.day)) await choose(chosen.name, day);
});

onTheme(() => profile.draw());
setInterval(tick, 1000);

// MARK: Start

// Without any point, the setup page is more useful than an empty map, which remains reachable from the navigation bar.
function isFirstVisit() {
  const from = document.referrer ? new URL(document.referrer) : null;
  const isFromPage = from?.origin === location.origin && !["/login", "/sign-in"].includes(from.pathname);
  if (document.documentElement.dataset.demo) return false;
  return !view.devices.some(({ last }) => last) && !isFromPage && !location.search;
}

try {
  view.devices = await api.devices();
  background(map, await settings, view.devices);
  if (isFirstVisit()) {
    location.replace("/welcome");
    // The page is being replaced, so nothing more runs.
    await new Promise(() => {});
  }
  const wanted = wantedOf(location.search);
  await choose(wanted.device, wanted.day);
  // "/?history=on" opens the history.
  if (history.choice.isOn) await showHistory();
  const refresh = async () => {
    view.devices = await api.devices();
    await (view.device ? reload(false) : choose());
  };
  // "/?live=off" shows the stored points without updates.
  if (!wanted.isLive) state("still");
  else api.events({ points: arrived, resync: refresh, state });
} catch (error) {
  isShown();
  document.body.classList.toggle("waiting", api.isSentToDoor(error));
  state("offline");
  api.whenBack(() => location.reload());
  if (!error.isFromServer) throw error;
}
