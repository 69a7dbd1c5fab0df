// The page of regions: the map, the list, the form, the devices and the events.

import * as api from "/api.js";
import { named } from "/elements.js";
import * as format from "/format.js";
import { background } from "/map-background.js";
import { Bounds, geographic } from "/map-shapes.js";
import { MapView, cardInsets } from "/map-view.js";
import { PeopleMarkers } from "/people-markers.js";
import { RegionCopy, kind, request, title, wire } from "/region-copy.js";
import { RegionForm, words } from "/region-form.js";
import { RegionLayers } from "/region-layers.js";
import { ShapeEditor } from "/shape-editor.js";
import { pieces, plural, t } from "/texts.js";

const element = (id) => document.getElementById(id);
const make = (name, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

const settings = api.settings();
const map = new MapView(element("map"), { settings, insets: () => cardInsets(element("card")) });
const copy = new RegionCopy();
const fences = new RegionLayers(map, copy.regions);
const editor = new ShapeEditor(map);
const people = new PeopleMarkers(map);
const view = { list: [], chosen: null, isNew: false, search: "", tag: "", events: [], devices: [] };
const form = new RegionForm({ save, remove, close: leave, moved: (region) => editor.edit(region, moved) });

// MARK: The list

const ROW = 52;
const SHAPES = {
  circle: '<circle cx="8" cy="8" r="5.5"/>',
  area: '<path d="M3 5l6-3 5 5-3 7-7-1z"/>',
  beacon: '<circle cx="8" cy="8" r="1.6"/><path d="M5 11a4.2 4.2 0 0 1 0-6M11 5a4.2 4.2 0 0 1 0 6M3 13a7 7 0 0 1 0-10M13 3a7 7 0 0 1 0 10"/>',
};

function picture(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("class", name);
  svg.setAttribute("aria-hidden", "true");
  svg.innerHTML = SHAPES[name]; // a constant of this page
  return svg;
}

function isShown(region) {
  if (view.tag && !region.tags?.includes(view.tag)) return false;
  const { search } = view;
  return !search || [region.name ?? "", region.id, ...(region.tags ?? [])].some((word) => format.folded(word).includes(search));
}
fences.shows = isShown;

function refresh() {
  const regions = [...copy.regions.values()];
  const tags = new Map();
  for (const region of regions) for (const tag of region.tags ?? []) tags.set(tag, (tags.get(tag) ?? 0) + 1);
  const names = [...tags].sort((a, b) => b[1] - a[1] || format.byName(a[0], b[0]));
  if (view.tag && !tags.has(view.tag)) view.tag = "";
  element("tag").replaceChildren(new Option(t("All tags"), ""), ...names.map(([tag, count]) => new Option(`${tag} (${count})`, tag, false, tag === view.tag)));
  view.list = regions.filter(isShown).sort((a, b) => format.byName(title(a), title(b)));
  element("count").textContent = view.list.length === regions.length ? regions.length || "" : t("{n} of {all}", { n: view.list.length, all: regions.length });
  document.body.dataset.regions = String(regions.length);
  element("empty").hidden = regions.length > 0;
  element("list").hidden = element("find").hidden = regions.length === 0;
  element("rows").style.height = `${view.list.length * ROW}px`;
  rows();
  fences.draw();
}

// Only visible rows are in the document.
function rows() {
  const box = element("list");
  const first = Math.max(0, Math.floor(box.scrollTop / ROW) - 4);
  const last = Math.min(view.list.length, first + Math.ceil((box.clientHeight || 800) / ROW) + 9);
  element("rows").replaceChildren(...view.list.slice(first, last).map((region, index) => {
    const row = make("div", { className: "row", id: `row-${first + index}` }, picture(kind(region)),
      make("div", { title: `${title(region)}\n${words(region)}` }, make("b", {}, named(title(region))), make("small", { textContent: words(region) })));
    row.style.top = `${(first + index) * ROW}px`;
    row.setAttribute("role", "option");
    row.setAttribute("aria-selected", String(region.id === view.marked));
    row.addEventListener("click", () => choose(region.id));
    return row;
  }));
}

element("list").addEventListener("scroll", rows);
element("list").addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8, Home: -Infinity, End: Infinity }[event.key];
  const index = view.list.findIndex((region) => region.id === view.marked);
  if (event.key === "Enter" && index >= 0) return choose(view.marked);
  if (step === undefined || !view.list.length) return;
  event.preventDefault();
  const next = Math.max(0, Math.min(view.list.length - 1, (index < 0 ? -1 : index) + step));
  mark(view.list[next].id);
  const box = element("list");
  box.scrollTop = Math.min(next * ROW, Math.max(box.scrollTop, (next + 1) * ROW - box.clientHeight));
  rows();
  box.setAttribute("aria-activedescendant", `row-${next}`);
});
element("search").addEventListener("input", (event) => {
  view.search = format.folded(event.target.value.trim());
  refresh();
});
element("tag").addEventListener("change", (event) => {
  view.tag = event.target.value;
  refresh();
});

function mark(id) {
  view.marked = id;
  fences.chosen = id;
  fences.draw();
  rows();
}

// MARK: Selected region

function choose(id) {
  const region = copy.regions.get(id);
  if (!region) return;
  hint("");
  mark(id);
  show(region);
  hold(structuredClone({ ...region, drawn: undefined }), false);
}

function hold(region, isNew) {
  [view.chosen, view.isNew] = [region, isNew];
  fences.hidden = isNew ? null : region.id;
  fences.isQuiet = true;
  element("browse").hidden = true;
  form.open(region, isNew);
  editor.edit(region, moved);
  fences.draw();
}

function moved(parts) {
  Object.assign(view.chosen, parts);
  form.shape(parts);
}

function leave() {
  editor.clear();
  form.close();
  hint("");
  [view.chosen, fences.hidden, fences.isQuiet] = [null, null, false];
  element("browse").hidden = false;
  for (const button of document.querySelectorAll("[data-draw]")) button.setAttribute("aria-pressed", "false");
  refresh();
}

// Fits a region into the part of the map that the card does not cover.
function show({ drawn }, share = 0.35) {
  if (drawn.x == null) return;
  const least = 0.0000015;
  const [from, to] = [{ x: drawn.west - least, y: drawn.south + least }, { x: drawn.east + least, y: drawn.north - least }].map(geographic);
  map.fit(new Bounds(from.lon, from.lat, to.lon, to.lat).padded(share), { margin: 20 });
}

async function save() {
  const region = form.value;
  form.complain(null);
  if (!region.id) return form.complain(Object.assign(new Error(t("Enter an ID. It can't be changed later.")), { at: "id" }));
  const headers = { "Content-Type": "application/json", ...(view.isNew ? { "If-None-Match": "*" } : { "If-Match": `"${view.chosen.revision}"` }) };
  try {
    await request("PUT", `/api/v1/regions/${encodeURIComponent(region.id)}`, { body: wire(region), headers });
  } catch (error) {
    if (error.status === 412) {
      error.message = view.isNew ? t("A region with this ID exists already.") : t("This region was changed meanwhile. Go back to see the current version.");
      if (view.isNew) error.at = "id";
    }
    return form.complain(error);
  }
  await copy.sync();
  leave();
  mark(region.id);
}

async function remove() {
  const region = copy.regions.get(view.chosen.id) ?? view.chosen;
  try {
    await request("DELETE", `/api/v1/regions/${encodeURIComponent(region.id)}`, { headers: { "If-Match": `"${view.chosen.revision}"` } });
  } catch (error) {
    if (error.status === 412) error.message = t("This region was changed meanwhile. Go back to see the current version.");
    return form.complain(error);
  }
  await copy.sync();
  leave();
  toast(t("Deleted {title}", { title: title(region) }), async () => {
    await request("PUT", `/api/v1/regions/${encodeURIComponent(region.id)}`, { body: wire(region), headers: { "If-None-Match": "*" } });
    await copy.sync();
    refresh();
  });
}

const HINTS = {
  circle: t("Click the centre of the circle, or press Enter for the middle of the map"),
  area: t("Click each corner; double-click to finish. By keyboard: Space, then Enter"),
  beacon: t("Click the beacon's position, or press Enter for the middle of the map"),
};

for (const button of document.querySelectorAll("[data-draw]")) {
  button.setAttribute("aria-pressed", "false");
  button.addEventListener("click", () => {
    const isOn = button.getAttribute("aria-pressed") === "true";
    leave();
    if (isOn) return;
    button.setAttribute("aria-pressed", "true");
    hint(HINTS[button.dataset.draw]);
    editor.draw(button.dataset.draw, (shape) => {
      leave();
      hold({ ...shape, ...(button.dataset.draw === "beacon" ? { beacon: {} } : {}) }, true);
    });
  });
}

map.on("click", ({ point }) => {
  if (editor.isDrawing || form.isOpen || Date.now() - lastDrawn < 400) return;
  const region = fences.under(point);
  if (region) choose(region.id);
});
// The click that ends a drawing must not select a region.
let lastDrawn = 0;
map.on("mousemove", ({ point }) => {
  if (editor.isDrawing) lastDrawn = Date.now();
  map.cursor = !editor.isDrawing && !form.isOpen && fences.under(point) ? "pointer" : "";
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || element("import-dialog").open) return;
  if (editor.isDrawing || form.isOpen) leave();
});

function hint(text) {
  element("hint").textContent = text;
  element("hint").hidden = !text;
}

let toasted;
function toast(text, undo) {
  clearTimeout(toasted);
  const box = element("toast");
  const button = box.querySelector("button");
  box.firstElementChild.textContent = text;
  button.hidden = !undo;
  button.onclick = async () => {
    box.hidden = true;
    try {
      await undo();
    } catch (error) {
      toast(error.message);
    }
  };
  box.hidden = false;
  toasted = setTimeout(() => (box.hidden = true), 9000);
}

// MARK: Files

async function offer(file) {
  const dialog = element("import-dialog");
  const headers = { "Content-Type": file.type || "application/octet-stream" };
  element("import-title").textContent = t("Import {name}", { name: file.name });
  const send = (path) => request("POST", path, { body: file, headers });
  try {
    const { created, changed, unchanged, skipped, reasons } = await send("/api/v1/regions?dry=true");
    const parts = [
      created ? t("New: {n}", { n: created }) : null, changed ? t("Changed: {n}", { n: changed }) : null, unchanged ? t("Unchanged: {n}", { n: unchanged }) : null,
    ].filter(Boolean);
    element("import-text").textContent = parts.length ? parts.join(", ") : t("No regions in this file.");
    if (skipped) element("import-text").textContent += `\n${t("Skipped: {n}", { n: skipped })}\n${reasons.join("\n")}`;
    element("import-go").hidden = !(created + changed);
  } catch (error) {
    element("import-text").textContent = [
      t("Nothing was imported."), error.message, error.at && !error.message.includes(error.at) ? t("At {place}", { place: error.at }) : null,
    ].filter(Boolean).join("\n");
    element("import-go").hidden = true;
  }
  element("import-go").onclick = async () => {
    try {
      const { created, changed } = await send("/api/v1/regions");
      dialog.close();
      await copy.sync();
      refresh();
      all();
      toast([t("New: {n}", { n: created }), t("Changed: {n}", { n: changed })].join(", "));
    } catch (error) {
      element("import-text").textContent = error.message;
      element("import-go").hidden = true;
    }
  };
  dialog.showModal();
}

element("import").addEventListener("click", () => element("file").click());
element("import-no").addEventListener("click", () => element("import-dialog").close());
element("file").addEventListener("change", (event) => {
  if (event.target.files[0]) offer(event.target.files[0]);
  event.target.value = "";
});
element("export").addEventListener("change", (event) => {
  const query = new URLSearchParams({ format: event.target.value, ...(view.tag ? { tag: view.tag } : {}) });
  if (event.target.value) location.href = `/api/v1/regions?${query}`;
  event.target.value = "";
});
for (const name of /** @type {const} */ (["dragenter", "dragover"])) {
  document.addEventListener(name, (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    document.body.classList.add("dropping");
  });
}
document.addEventListener("dragleave", (event) => event.relatedTarget || document.body.classList.remove("dropping"));
document.addEventListener("drop", (event) => {
  document.body.classList.remove("dropping");
  if (!event.dataTransfer?.files.length) return;
  event.preventDefault();
  offer(event.dataTransfer.files[0]);
});

// MARK: Devices

// The number of regions that a device has, and the assigned number if it differs.
function assignedText(has, gets, isCurrent) {
  const n = (count) => ({ n: format.number(count) });
  const assigned = plural(gets.count, "{n} region assigned", "{n} regions assigned", n(gets.count));
  if (!has) return assigned;
  const since = plural(has.count, "{n} region since {time}", "{n} regions since {time}", { ...n(has.count), time: moment(has.time) });
  return isCurrent ? since : `${since}; ${assigned}`;
}

async function devices() {
  view.devices = (await request("GET", "/api/v1/region-devices")).devices;
  const box = element("devices");
  // The list is not redrawn while an entry is open.
  if (box.querySelector("details[open]")) return;
  box.replaceChildren(...view.devices.map(device));
  if (!view.devices.length) box.append(make("p", { className: "none", textContent: t("No devices yet. Add one on the page Devices.") }));
}

function device({ name, rule, gets, has, current, behind_since }) {
  const state = !has ? ["", t("never synced")] : current ? ["good", t("up to date")] : ["late", t("behind since {time}", { time: moment(behind_since) })];
  const list = (words) => (words?.length ? words.join(", ") : "");
  const fields = ["tags", "without", "groups", "regions"].map((member) => make("input", { name: member, value: list(rule?.[member]) }));
  const evaluate = make("select", { name: "evaluate" },
    new Option(t("Only if the device doesn't"), ""), new Option(t("Always"), "true"), new Option(t("Never"), "false"));
  evaluate.value = rule?.evaluate == null ? "" : String(rule.evaluate);
  const labels = [t("Regions with one of these tags"), t("Without these tags"), t("Regions of these groups"), t("Single regions, by ID")];
  const problem = make("p", { className: "late", hidden: true });
  const button = make("button", { textContent: t("Save"), type: "button" });
  const details = make("details", {}, make("summary", { textContent: t("Assigned regions") }),
    ...fields.map((field, index) => make("label", {}, labels[index], field)),
    make("label", {}, t("Check on the server"), evaluate), problem, button);
  button.addEventListener("click", async () => {
    const split = (text) => text.split(",").map((word) => word.trim()).filter(Boolean);
    const body = Object.fromEntries(fields.map((field) => [field.name, split(field.value)]));
    if (evaluate.value) body.evaluate = evaluate.value === "true";
    try {
      await request("PUT", `/api/v1/devices/${encodeURIComponent(name)}/regions`, { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } });
      details.open = false;
      await devices();
    } catch (error) {
      Object.assign(problem, { textContent: error.message, hidden: false });
    }
  });
  return make("div", { className: "device" },
    make("h2", {}, named(name), make("span", { className: state[0], textContent: state[1] })),
    make("p", { textContent: assignedText(has, gets, current) }),
    details);
}

// Shows the devices' positions as small dots with their names. Returns the devices.
async function positions() {
  const devices = await api.devices();
  people.show(devices);
  return devices;
}

// MARK: Events

/** @type {Record<string, (values: Record<string, Node>) => (string | Node)[]>} */
const SENTENCES = {
  entered: (values) => pieces("{device} entered {region}", values), exited: (values) => pieces("{device} left {region}", values),
  dwelled: (values) => pieces("{device} stayed in {region}", values), crossed: (values) => pieces("{device} crossed {region}", values),
};
const moment = (text) => {
  const time = Date.parse(text);
  return Date.now() - time < 20 * 3600e3 ? format.time(time) : format.when(time);
};

function happened(event, isNew) {
  if (view.events.some((other) => other.id === event.id)) return;
  view.events.push(event);
  view.events.sort((a, b) => Date.parse(b.time) - Date.parse(a.time));
  view.events.length = Math.min(view.events.length, 200);
  const items = view.events.map((each) => {
    const what = each.type.split(".")[1];
    const item = make("li", { className: isNew && each === event ? "new" : "" }, make("i", { className: what }),
      make("span", {}, ...(SENTENCES[what] ?? SENTENCES.entered)({ device: make("b", {}, named(each.device)), region: make("b", {}, named(each.region.name || each.region.id)) })),
      make("small", { textContent: moment(each.time), title: each.source === "server" ? t("detected by the server") : t("reported by the device") }));
    item.addEventListener("click", () => {
      const region = copy.regions.get(each.region.id);
      if (!region) return;
      mark(region.id);
      show(region);
    });
    return item;
  });
  element("events").replaceChildren(...items);
  document.body.dataset.events = String(view.events.length);
}

async function events() {
  const page = await request("GET", "/api/v1/region-events?limit=100");
  for (const event of page.events) happened(event, false);
  if (!view.events.length) element("events").replaceChildren(make("li", { className: "none", textContent: t("No events yet. Entries and exits of regions appear here.") }));
}

// MARK: Tabs

const tabs = [...document.querySelectorAll("[role=tab]")];
function open(tab) {
  for (const each of tabs) {
    const isOpen = each === tab;
    each.setAttribute("aria-selected", String(isOpen));
    each.tabIndex = isOpen ? 0 : -1;
    element(each.getAttribute("aria-controls")).hidden = !isOpen;
  }
  if (tab.id === "tab-devices") devices();
  if (tab.id === "tab-list") rows();
}
for (const tab of tabs) {
  tab.addEventListener("click", () => open(tab));
  tab.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length];
    open(next);
    next.focus();
  });
}

// MARK: Start

function state(name) {
  document.body.dataset.state = name;
  element("state").lastElementChild.textContent = format.STATES[name] ?? name;
}

// The URL contains the position of the map as "#zoom/latitude/longitude", for bookmarks and links.
function placed() {
  const [zoom, latitude, longitude] = location.hash.slice(1).split("/").map(Number);
  if (![zoom, latitude, longitude].every(Number.isFinite) || !location.hash) return false;
  map.look({ lat: latitude, lon: longitude, zoom });
  return true;
}
map.on("moveend", () => {
  const { lat, lon } = map.middle;
  history.replaceState(null, "", `${location.search}#${Number(map.zoom.toFixed(2))}/${lat.toFixed(5)}/${lon.toFixed(5)}`);
});

// Fits the view to all regions.
function all() {
  let box = null;
  for (const { drawn } of copy.regions.values()) {
    if (drawn.x == null) continue;
    box ??= { west: drawn.west, east: drawn.east, north: drawn.north, south: drawn.south };
    box = { west: Math.min(box.west, drawn.west), east: Math.max(box.east, drawn.east), north: Math.min(box.north, drawn.north), south: Math.max(box.south, drawn.south) };
  }
  if (box) show({ drawn: { ...box, x: 0 } }, 0.02);
}

async function changed() {
  const before = view.chosen && copy.regions.get(view.chosen.id)?.revision;
  await copy.sync();
  refresh();
  if (!element("pane-devices").hidden) await devices();
  if (form.isOpen && !view.isNew && copy.regions.get(view.chosen.id)?.revision !== before) {
    form.complain(new Error(t("This region was just changed. Go back to see the current version.")));
  }
}

function live() {
  const all = () => {
    changed();
    events();
  };
  api.stream({ regions: changed, region: (event) => happened(event, true), points: positions, resync: all }, { opened: all, state });
}

window.addEventListener("resize", rows);

const isPlaced = placed();

// A member gets an explanation of the page instead of an editor, because the server would reject every change.
function explain() {
  element("card").replaceChildren(make("div", { id: "members" }, make("h1", { textContent: t("Regions") }),
    make("p", { textContent: t("The administrator of this server draws regions here. Your devices can get them, and report when they enter or leave.") }),
    make("p", {}, ...pieces("{zones} are on the page Account.", { zones: make("a", { href: "/account#zones", textContent: t("Your private zones") }) }))));
  document.body.dataset.state = "still";
}

async function begin() {
  await copy.sync();
  refresh();
  background(map, await settings, await positions());
  if (isPlaced) refresh();
  else if (copy.regions.size) all();
  else map.fit(Bounds.of(people.places).padded(0.3), { margin: 20 });
  await events();
  const asked = new URLSearchParams(location.search);
  if (asked.get("region")) choose(asked.get("region"));
  // "?live=off" shows the stored state without updates.
  if (asked.get("live") === "off") state("still");
  else live();
}

try {
  if ((await api.get("/api/v1/session")).administrator) await begin();
  else explain();
} catch (error) {
  document.body.classList.toggle("waiting", api.isSentToDoor(error));
  state("offline");
  api.whenBack(() => location.reload());
  if (!error.isFromServer) throw error;
}
