// The page of imports and exports.

import { change, devices, get, isSentToDoor, whenBack } from "/api.js";
import { isSameZone, momentOf, zoneOptions } from "/days.js";
import { deleteImport } from "/deletion.js";
import { element, make, named } from "/elements.js";
import { isolated, number } from "/format.js";
import { pieces, plural, t } from "/texts.js";
import { sharedFiles } from "/web-app.js";

const size = (bytes) => {
  const step = /** @type {[number, string][]} */ ([[1e9, "GB"], [1e6, "MB"], [1e3, "kB"]]).find(([unit]) => bytes >= unit);
  return step ? `${number(bytes / step[0], 1)} ${step[1]}` : plural(bytes, "{n} byte", "{n} bytes");
};
const NEW = "\u0000new";

// The uploads of this page, and the import jobs of the server.
const uploads = [];
let jobs = [];
let timer = null;
let wasOpen = new Set();

function problem(text) {
  element("problem").textContent = text ?? "";
  element("problem").hidden = !text;
}

const announce = (text) => (element("said").textContent = text);

// MARK: Devices

async function showDevices(chosen) {
  const own = (await devices()).filter((device) => device.access === "all");
  const into = element("in").elements.device;
  const before = chosen ?? into.value;
  into.replaceChildren(...own.map(({ name }) => new Option(name, name)), new Option(t("New device…"), NEW));
  if ([...into.options].some((option) => option.value === before)) into.value = before;
  const from = element("out").elements.device;
  const last = from.value;
  from.replaceChildren(...own.map(({ name }) => new Option(name, name)));
  if (own.some(({ name }) => name === last)) from.value = last;
  element("out").closest("section").hidden = own.length === 0;
  element("out").querySelector("button").disabled = own.length === 0;
  showNew();
}

function showNew() {
  element("new-device").hidden = element("in").elements.device.value !== NEW;
}

// Returns the query of the request and the device; null if the device is missing.
function options() {
  const { device, name, map, dates } = element("in").elements;
  const query = new URLSearchParams();
  const chosen = device.value === NEW ? name.value.trim() : device.value;
  const lines = map.value.split("\n").map((line) => line.trim()).filter(Boolean);
  if (chosen) query.set("device", chosen);
  if (dates.value) query.set("date_order", dates.value);
  for (const line of lines) query.append("map", line);
  if (!chosen && !lines.length) {
    problem(t("Choose a device, or name a new one."));
    (device.value === NEW ? name : device).focus();
    return null;
  }
  return { query, device: chosen };
}

// MARK: Sending

// Queues files. Returns whether the form was complete.
function add(files) {
  problem();
  const found = options();
  if (!found || !files.length) return Boolean(found);
  const empty = [...files].filter(({ size }) => size === 0);
  if (empty.length) problem(t("{files}: the file is empty.", { files: empty.map(({ name }) => name).join(", ") }));
  for (const file of files) if (file.size) uploads.push({ file, ...found, sent: 0, state: "queued", error: null });
  show();
  if (!uploads.some(({ state }) => state === "sending")) sendNext();
  return true;
}

// The files that another app shared with this one, until the form is complete.
let shared = { files: [], forget: async () => {} };

async function addShared() {
  const { files, forget } = shared;
  if (!files.length || !add(files)) return;
  shared.files = [];
  await forget();
}

function sendNext() {
  const upload = uploads.find(({ state }) => state === "queued");
  if (!upload) return;
  upload.state = "sending";
  const query = new URLSearchParams(upload.query);
  query.set("name", upload.file.name);
  // XMLHttpRequest, because fetch reports no progress of uploads.
  const request = (upload.request = new XMLHttpRequest());
  request.open("POST", `/api/v1/imports?${query}`);
  request.setRequestHeader("Content-Type", "application/octet-stream");
  request.upload.addEventListener("progress", (event) => {
    upload.sent = event.loaded;
    show();
  });
  request.addEventListener("loadend", async () => {
    let answer = {};
    try { answer = JSON.parse(request.responseText); } catch { /* There was no answer. */ }
    if (request.status === 202) {
      uploads.splice(uploads.indexOf(upload), 1);
      announce(t("{name} is being imported.", { name: upload.file.name }));
      await showDevices(upload.device || undefined).catch((error) => isSentToDoor(error) || problem(error.message));
    } else if (uploads.includes(upload)) {
      upload.state = "failed";
      upload.error = answer.detail ?? t("The connection was lost. Send the file again.");
    }
    await refresh();
    sendNext();
  });
  request.send(upload.file);
}

function drop(upload) {
  uploads.splice(uploads.indexOf(upload), 1);
  upload.request?.abort();
  show();
}

// MARK: What is shown

function counts(job) {
  const parts = [];
  if (job.format) parts.push(job.format);
  const n = (value) => ({ n: number(value) });
  parts.push(plural(job.saved, "{n} new point", "{n} new points", n(job.saved)));
  if (job.duplicates) parts.push(plural(job.duplicates, "{n} duplicate", "{n} duplicates", n(job.duplicates)));
  if (job.without_time) parts.push(plural(job.without_time, "{n} without a time", "{n} without times", n(job.without_time)));
  if (job.waypoints) parts.push(plural(job.waypoints, "{n} waypoint skipped", "{n} waypoints skipped", n(job.waypoints)));
  if (job.route_points) parts.push(plural(job.route_points, "{n} route point skipped", "{n} route points skipped", n(job.route_points)));
  if (job.unmapped) parts.push(plural(job.unmapped, "{n} from an unmapped device", "{n} from unmapped devices", n(job.unmapped)));
  if (job.skipped) parts.push(plural(job.skipped, "{n} item skipped", "{n} items skipped", n(job.skipped)));
  return parts.join(", ");
}

const labels = { waiting: t("queued"), running: t("importing"), done: t("done"), failed: t("stopped early"), cancelled: t("cancelled"), nothing_usable: t("no usable data") };

function head(title, text, label, run) {
  const button = make("button", { type: "button", textContent: label, onclick: run });
  button.setAttribute("aria-label", `${label}: ${title}`);
  return make("div", { className: "job-head" }, make("b", {}, named(title)), make("small", { textContent: text }), button);
}

function bar(value, maximum, label) {
  const made = make("progress", { value, max: Math.max(1, maximum) });
  made.setAttribute("aria-label", label);
  return made;
}

function shownUpload(upload) {
  const { file, sent, state, error } = upload;
  const text = state === "queued" ? t("queued") : state === "failed" ? t("not sent") : t("{percent} % of {size} sent", { percent: Math.floor((sent / Math.max(1, file.size)) * 100), size: size(file.size) });
  return make("li", {}, head(file.name, text, state === "failed" ? t("Remove from list") : t("Cancel"), () => drop(upload)),
    state === "sending" ? bar(sent, file.size, t("{name}: sent", { name: file.name })) : null,
    error ? make("p", { className: "job-text bad", textContent: error }) : null);
}

// A button that undoes an import as a whole.
function undoButton(job) {
  const made = make("button", { type: "button", className: "danger", textContent: t("Undo import…") });
  made.setAttribute("aria-label", t("Undo the import of {name}", { name: job.name }));
  made.addEventListener("click", () => deleteImport(job.id, job.name, refresh).catch((error) => problem(error.message)));
  return make("p", { className: "job-text" }, made);
}

// The time zones of devices: the one that defines their days, and that of the newest point.
const zones = new Map();
const answered = new Set();
const zonePath = (device) => `/api/v1/devices/${encodeURIComponent(device)}/time-zone`;

// A form for the time zone of a device whose points are in another time zone.
function zoneQuestion(device) {
  const box = make("div", { className: "zone-question" });
  const path = zonePath(device);
  const show = ({ time_zone: zone, suggested }) => {
    if (answered.has(device) || !suggested || isSameZone(suggested, zone)) return;
    const choice = make("select", { ariaLabel: t("Time zone of the days") }, zoneOptions(suggested));
    const set = make("button", { type: "button", textContent: t("Set time zone") });
    const keep = make("button", { type: "button", textContent: t("Keep {zone}", { zone }) });
    set.addEventListener("click", async () => {
      try {
        zones.set(device, await change("PUT", path, { time_zone: choice.value }));
        answered.add(device);
        box.replaceChildren();
      } catch (error) {
        problem(error.message);
      }
    });
    keep.addEventListener("click", () => {
      answered.add(device);
      box.replaceChildren();
    });
    box.replaceChildren(make("p", { className: "job-text" }, ...pieces("In which time zone are the days of {device}? Its points are in {zone}.", { device: named(device), zone: suggested })),
      make("div", { className: "row" }, choice, set, keep));
  };
  if (zones.has(device)) show(zones.get(device));
  else {
    get(path).then((found) => {
      zones.set(device, found);
      show(found);
    }, () => {});
  }
  return box;
}

function shownJob(job) {
  const isGoing = job.state === "waiting" || job.state === "running";
  const where = [job.device, ...Object.values(job.mapping)].filter(Boolean).map(isolated).join(", ");
  const percent = job.state === "running" ? `${Math.floor((job.position / Math.max(1, job.size)) * 100)} % ` : "";
  const row = make("li", {}, head(job.name, `${percent}${labels[job.state]} · ${where} · ${size(job.size)}`, isGoing ? t("Cancel") : t("Remove from list"), async () => {
    try { await change("POST", `/api/v1/imports/${job.id}/dismiss`, {}); } catch (error) { problem(error.message); }
    await refresh();
  }));
  row.dataset.state = job.state;
  if (isGoing) row.append(bar(job.position, job.size, t("{name}: read", { name: job.name })));
  row.append(make("p", { className: "job-text", textContent: counts(job) }));
  if (job.state === "done" && job.saved && job.device) {
    const device = new URLSearchParams({ device: job.device });
    row.append(make("p", { className: "job-text" }, ...pieces("See it {map}, {timeline} or {statistics}.", {
      map: make("a", { href: `/?${device}&history=on`, textContent: t("on the map") }),
      timeline: make("a", { href: `/timeline?${device}`, textContent: t("as a timeline") }),
      statistics: make("a", { href: `/statistics?${device}`, textContent: t("in statistics") }),
    })));
  }
  if (job.state === "done" && job.saved) row.append(undoButton(job));
  if (job.state === "done" && job.saved && job.device) row.append(zoneQuestion(job.device));
  if (job.problem) row.append(make("p", { className: "job-text bad", textContent: job.problem }));
  const names = Object.entries(job.devices).filter(([name]) => name);
  if (!job.reasons.length && names.length < 2) return row;
  const details = make("details", { open: wasOpen.has(job.id), ontoggle: () => details.open ? wasOpen.add(job.id) : wasOpen.delete(job.id) },
    make("summary", { textContent: t("Report") }));
  if (job.reasons.length) {
    details.append(make("ul", { className: "reasons" }, ...job.reasons.map(({ kind, count, first }) =>
      make("li", {}, `${number(count)} × ${kind}`, ...first.map(({ place, reason }) => make("small", { textContent: `${place}: ${reason}` }))))));
  }
  if (names.length > 1) {
    details.append(make("p", { className: "job-text", textContent: t("Devices in the file:") }),
      make("ul", { className: "reasons" }, ...names.map(([name, count]) => make("li", { textContent: `${name}: ${plural(count, "{n} record", "{n} records", { n: number(count) })}` }))));
  }
  row.append(details);
  return row;
}

function show() {
  // The focus stays on the same button.
  const label = document.activeElement?.getAttribute?.("aria-label");
  element("jobs").replaceChildren(...uploads.map(shownUpload), ...jobs.map(shownJob));
  if (label && document.activeElement === document.body) {
    [...element("jobs").querySelectorAll("button")].find((button) => button.getAttribute("aria-label") === label)?.focus();
  }
  element("none").hidden = jobs.length + uploads.length > 0;
}

async function refresh() {
  clearTimeout(timer);
  try {
    const before = new Map(jobs.map(({ id, state }) => [id, state]));
    jobs = (await get("/api/v1/imports?limit=50")).imports;
    for (const { id, name, state } of jobs) {
      if (before.get(id) && before.get(id) !== state && state !== "running") announce(`${name}: ${labels[state]}.`);
    }
    show();
  } catch (error) {
    if (isSentToDoor(error)) return;
    problem(error.message);
  }
  const isGoing = jobs.some(({ state }) => state === "waiting" || state === "running");
  timer = setTimeout(refresh, isGoing ? 700 : 10_000);
}

// MARK: Start

const into = element("in");
into.elements.device.addEventListener("change", () => {
  showNew();
  if (!element("new-device").hidden) into.elements.name.focus();
});
into.addEventListener("submit", (event) => event.preventDefault());
into.addEventListener("change", () => addShared().catch((error) => problem(error.message)));
element("choose").addEventListener("click", () => element("files").click());
element("files").addEventListener("change", ({ target }) => {
  add([...target.files]);
  target.value = "";
});
for (const type of ["dragenter", "dragover"]) {
  document.addEventListener(type, (event) => {
    event.preventDefault();
    element("drop").classList.add("over");
  });
}
for (const type of ["dragleave", "drop"]) {
  document.addEventListener(type, (/** @type {any} */ event) => {
    event.preventDefault();
    if (type === "drop" || !event.relatedTarget) element("drop").classList.remove("over");
  });
}
document.addEventListener("drop", (event) => add([...event.dataTransfer.files]));
// The days of an export are those of the device, as in its timeline. The time zone must be known when the form is sent.
element("out").addEventListener("submit", async (event) => {
  const { device, from, to } = element("out").elements;
  if (zones.has(device.value) || !(from.value || to.value)) return;
  event.preventDefault();
  try {
    zones.set(device.value, await get(zonePath(device.value)));
    element("out").requestSubmit();
  } catch (error) {
    problem(error.message);
  }
});
// Empty dates are omitted.
element("out").addEventListener("formdata", ({ formData }) => {
  for (const name of ["from", "to"]) {
    const day = formData.get(name);
    if (day) formData.set(name, momentOf(day, zones.get(formData.get("device"))?.time_zone));
    else formData.delete(name);
  }
});
addEventListener("beforeunload", (event) => {
  if (uploads.some(({ state }) => state !== "failed")) event.preventDefault();
});

whenBack(refresh);

try {
  await showDevices();
  await refresh();
  document.body.dataset.state = "ready";
  shared = await sharedFiles();
  await addShared();
} catch (error) {
  if (!isSentToDoor(error)) {
    problem(error.message);
    document.body.dataset.state = "failed";
  }
}
