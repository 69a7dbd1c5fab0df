// The public page of a share link: a map without controls that change anything.

import { named } from "/elements.js";
import * as format from "/format.js";
import { graticule } from "/graticule.js";

const element = (id) => document.getElementById(id);
const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const token = location.pathname.split("/").pop();
const COLORS = ["--track", "--accent", "--good", "--quiet"];
const PAUSE = 5000; // milliseconds between two requests
const GAP = 900000; // milliseconds without a place that break the line

const map = L.map("map", { zoomControl: false, preferCanvas: true, worldCopyJump: true }).setView([30, 10], 3);
L.control.zoom({ position: "bottomright" }).addTo(map);
L.control.scale({ imperial: false, position: "bottomright" }).addTo(map);
map.attributionControl.setPrefix(false);
map.graticuleRenderer = L.svg({ pane: "tilePane" });

const layers = L.layerGroup().addTo(map);
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

function draw() {
  layers.clearLayers();
  let count = 0;
  let newest = null;
  for (const [number, points] of tracks) {
    const shade = color(COLORS[(number - 1) % COLORS.length]);
    let piece = [];
    const pieces = [piece];
    for (const point of points) {
      const last = piece.at(-1);
      // A rounded position can stay in one cell for long.
      if (last && !link.grid && point.time - last.time > GAP) pieces.push((piece = []));
      piece.push(point);
    }
    for (const weight of [8, 4]) {
      for (const part of pieces) {
        L.polyline(part.map(({ lat, lon }) => [lat, lon]), {
          color: weight === 8 ? color("--casing") : shade, weight, opacity: weight === 8 ? 0.9 : 1, interactive: false,
        }).addTo(layers);
      }
    }
    const last = points.at(-1);
    if (last) {
      L.circle([last.lat, last.lon], { radius: last.accuracy ?? 0, color: shade, weight: 1, fillOpacity: 0.1, interactive: false }).addTo(layers);
      L.marker([last.lat, last.lon], {
        interactive: false, keyboard: false, icon: L.divIcon({ className: "here", iconSize: [18, 18] }),
      }).addTo(layers);
      if (!newest || last.time > newest.time) newest = last;
    }
    count += points.length;
  }
  document.body.dataset.points = count;
  element("accuracy").textContent = newest?.accuracy != null ? format.meters(newest.accuracy) : "–";
  link.newest = newest;
  tick();
}

function tick() {
  const newest = link?.newest;
  element("age").textContent = newest ? format.age(Date.now() - newest.time) ?? format.time(newest.time) : "waiting…";
}

function fit() {
  const places = [...tracks.values()].flat().map(({ lat, lon }) => [lat, lon]);
  if (!places.length) return;
  const card = element("card").getBoundingClientRect();
  const isSheet = card.width > window.innerWidth * 0.8;
  map.fitBounds(L.latLngBounds(places), {
    maxZoom: 16, animate: false, paddingTopLeft: isSheet ? [30, 30] : [card.right + 30, 40],
    paddingBottomRight: isSheet ? [30, card.height + 30] : [60, 50],
  });
}

function describe() {
  const date = format.when;
  document.title = `${format.isolated(link.name)} – Godwit`;
  element("name").replaceChildren(named(link.name));
  const end = link.to ? `to ${date(link.to)}` : link.expires ? `live until ${date(link.expires)}` : "live";
  element("window").textContent = `From ${date(link.from)} ${end}.`;
  const how = [];
  if (link.grid) how.push(`Positions are rounded to ${format.distance(link.grid)}.`);
  if (link.delay) how.push(`Shown with a ${format.duration(link.delay * 1000)} delay.`);
  element("how").textContent = how.join(" ");
  element("how").hidden = !how.length;
}

// MARK: Asking

async function load() {
  const since = after === null ? "" : `?after=${after}&revision=${link.revision}`;
  const answer = await ask(`/api/v1/shared/${encodeURIComponent(token)}${since}`);
  const isFirst = link === null;
  link = { ...link, ...answer };
  let isNew = isFirst;
  if (answer.complete && !isFirst) {
    // Points that were shown before were withdrawn.
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
    describe();
  }
  if (isNew) {
    draw();
    if (isFirst || element("follow").checked) fit();
  }
  state(link.to && Date.parse(link.to) <= Date.parse(answer.now) ? "ended" : "live");
}

function over(text) {
  tracks.clear();
  layers.clearLayers();
  element("card").hidden = true;
  element("ask").hidden = true;
  element("over").hidden = false;
  element("over").lastElementChild.textContent = text;
  document.body.dataset.state = "over";
  document.body.dataset.points = 0;
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
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => link && draw());
setInterval(tick, 1000);

await run();
if (link?.tiles) {
  L.tileLayer(link.tiles.url, { attribution: link.tiles.attribution, maxZoom: link.tiles.max_zoom }).addTo(map);
} else {
  const lines = graticule(map, () => color("--graticule"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => lines.redraw());
}
