// The public page of a share link: a map without controls that change data.

import { make, named } from "/elements.js";
import * as format from "/format.js";
import { graticule } from "/graticule.js";
import { Bounds, circleFeature, lineFeature, pointFeature } from "/map-shapes.js";
import { MapView, cardInsets } from "/map-view.js";
import { t } from "/texts.js";
import { translateFaults } from "/validation.js";

translateFaults();

const element = (id) => document.getElementById(id);
const token = location.pathname.split("/").pop();
const COLORS = ["--track", "--accent", "--good", "--quiet"];
const PAUSE = 5000; // milliseconds between two requests
const GAP = 900000; // milliseconds without a place that break the line

// The base map is in the first response.
let found;
const settings = new Promise((resolve) => (found = resolve));
const map = new MapView(element("map"), { settings, insets: () => cardInsets(element("card")) });
map.overlay("shared", (color) => {
  const shade = ["match", ["get", "shade"], ...COLORS.flatMap((name, index) => [index, color(name)]), color("--track")];
  const line = { type: "line", filter: ["==", ["get", "part"], "line"], layout: { "line-cap": "round", "line-join": "round" } };
  return [
    { id: "accuracy", type: "fill", filter: ["==", ["get", "part"], "accuracy"], paint: { "fill-color": shade, "fill-opacity": 0.1 } },
    { ...line, id: "casing", paint: { "line-color": color("--casing"), "line-width": 8, "line-opacity": 0.9 } },
    { ...line, id: "line", paint: { "line-color": shade, "line-width": 4 } },
    { id: "dot", type: "circle", filter: ["==", ["get", "part"], "dot"], paint: { "circle-color": shade, "circle-radius": 3 } },
  ];
});
const here = new Map(); // a marker for each track

const tracks = new Map();
let link = null;
let after = null;
let proof = sessionStorage.getItem(`proof ${token}`) ?? "";

class Refused extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

async function ask(path, options = {}) {
  const headers = { Accept: "application/json", ...(proof ? { "Godwit-Link-Proof": proof } : {}), ...options.headers };
  const response = await fetch(path, { ...options, headers });
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refused(response.status, answer.detail ?? response.statusText);
  return answer;
}

function state(name) {
  document.body.dataset.state = name;
  element("state").lastElementChild.textContent = format.STATES[name] ?? name;
}

// MARK: Drawing

// Lines without long gaps.
function pieces(points) {
  let piece = [];
  const pieces = [piece];
  for (const point of points) {
    const last = piece.at(-1);
    // A rounded position can stay in one cell for a long time.
    if (last && !link.grid && point.time - last.time > GAP) pieces.push((piece = []));
    piece.push(point);
  }
  return pieces.filter(({ length }) => length);
}

function draw() {
  const features = [];
  let count = 0;
  let newest = null;
  for (const [number, points] of tracks) {
    const shade = (number - 1) % COLORS.length;
    for (const piece of pieces(points)) {
      features.push(piece.length > 1
        ? lineFeature(piece, { part: "line", shade })
        : pointFeature(piece[0], { part: "dot", shade }));
    }
    const last = points.at(-1);
    if (last) {
      if (last.accuracy > 0) features.unshift(circleFeature(last, last.accuracy, { part: "accuracy", shade }));
      if (!here.has(number)) here.set(number, map.marker(make("div", { className: "here" }), last));
      here.get(number).report(last);
      if (!newest || last.time > newest.time) newest = last;
    }
    count += points.length;
  }
  for (const [number, marker] of here) {
    if (tracks.get(number)?.length) continue;
    marker.remove();
    here.delete(number);
  }
  map.show("shared", features);
  document.body.dataset.points = String(count);
  element("accuracy").textContent = newest?.accuracy != null ? format.meters(newest.accuracy) : "–";
  link.newest = newest;
  tick();
}

function tick() {
  const newest = link?.newest;
  element("age").textContent = newest ? format.age(Date.now() - newest.time) ?? format.when(newest.time) : t("waiting…");
}

function fit() {
  map.fit(Bounds.of([...tracks.values()].flat()), { maximumZoom: 16 });
}

function describe() {
  const date = format.when;
  document.title = `${format.isolated(link.name)} – Godwit`;
  element("name").replaceChildren(named(link.name));
  const from = date(link.from);
  element("window").textContent = link.to ? t("From {from} to {to}.", { from, to: date(link.to) })
    : link.expires ? t("From {from}, live until {to}.", { from, to: date(link.expires) }) : t("From {from}, live.", { from });
  const how = [];
  if (link.grid) how.push(t("Positions are rounded to {distance}.", { distance: format.distance(link.grid) }));
  if (link.delay) how.push(t("Shown with a delay of {time}.", { time: format.duration(link.delay * 1000) }));
  element("how").textContent = how.join(" ");
  element("how").hidden = !how.length;
}

// MARK: Requests

async function load() {
  const since = after === null ? "" : `?after=${after}&revision=${link.revision}`;
  const answer = await ask(`/api/v1/shared/${encodeURIComponent(token)}${since}`);
  const isFirst = link === null;
  link = { ...link, ...answer };
  let isNew = isFirst;
  if (answer.complete && !isFirst) {
    // The server sends all points again, because points that were shown before were withdrawn.
    tracks.clear();
    after = null;
    isNew = true;
  }
  for (const { number, points } of answer.tracks) {
    const known = tracks.get(number) ?? [];
    tracks.set(number, known);
    for (const [time, lat, lon, accuracy] of points) {
      known.push({ time, lat, lon, accuracy });
      after = Math.max(after ?? 0, time);
      isNew = true;
    }
  }
  after ??= Date.parse(link.from) - 1;
  if (isFirst) {
    element("card").hidden = false;
    found(link);
    if (!link.tiles && !link.basemap) graticule(map);
    describe();
  }
  if (isNew) {
    draw();
    if (isFirst || element("follow").checked) fit();
  }
  const isEnded = Boolean(link.to) && Date.parse(link.to) <= Date.parse(answer.now);
  // An expired link shows no further positions.
  element("follow").parentElement.hidden = isEnded;
  state(isEnded ? "ended" : "live");
}

function over(text) {
  tracks.clear();
  map.show("shared", []);
  for (const marker of here.values()) marker.remove();
  here.clear();
  element("card").hidden = true;
  element("ask").hidden = true;
  element("over").hidden = false;
  element("over").lastElementChild.textContent = text;
  document.body.dataset.state = "over";
  document.body.dataset.points = String(0);
}

async function run() {
  try {
    await load();
  } catch (error) {
    if (error.status === 401) {
      proof = "";
      element("ask").hidden = false;
      element("ask").elements.password.focus();
      document.body.dataset.state = "locked";
      return;
    }
    if (error.status === 404 || error.status === 410) return over(error.message);
    if (link) state("offline");
    else if (error.status) return over(error.message);
  }
  if (document.body.dataset.state !== "ended") setTimeout(run, PAUSE);
}

element("ask").addEventListener("submit", async (event) => {
  event.preventDefault();
  const { password } = event.target.elements;
  const problem = element("problem");
  problem.hidden = true;
  try {
    const answer = await ask(`/api/v1/shared/${encodeURIComponent(token)}`, {
      method: "POST", body: JSON.stringify({ password: password.value }), headers: { "Content-Type": "application/json" },
    });
    proof = answer.proof;
    sessionStorage.setItem(`proof ${token}`, proof);
    element("ask").hidden = true;
    await run();
  } catch (error) {
    if (error.status === 404 || error.status === 410) return over(error.message);
    problem.textContent = error.message;
    problem.hidden = false;
    password.select();
  }
});
element("fit").addEventListener("click", fit);
element("follow").addEventListener("change", (event) => event.target.checked && fit());
map.on("dragstart", () => (element("follow").checked = false));
setInterval(tick, 1000);

await run();
