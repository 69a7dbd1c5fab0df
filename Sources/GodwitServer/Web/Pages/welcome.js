// The page of the first steps: add a phone, import a file, add a computer, or add a demo. It works without a user account.

import { change, get, request, whenBack } from "/api.js";
import { APPS, appPane } from "/device-setup.js";
import { ask, copyButton, element, make, toast } from "/elements.js";
import { firstPoint } from "/first-point.js";
import { networkPart, reach } from "/network.js";
import { pieces, t } from "/texts.js";

const DEMO = "Demo walk";
const view = { who: null, devices: [], origin: null, made: null };
const chosen = (name) => document.querySelector(`input[name=${name}]:checked`)?.value;

// MARK: Options

const ways = [...document.querySelectorAll("#ways [role=tab]")];
const wayOf = (name) => ways.find(({ id }) => id === `way-${name}`) ?? ways[0];

function open(way) {
  for (const each of ways) {
    each.setAttribute("aria-selected", each === way);
    each.tabIndex = each === way ? 0 : -1;
    element(each.getAttribute("aria-controls")).hidden = each !== way;
  }
}

for (const way of ways) {
  way.addEventListener("click", () => {
    open(way);
    history.replaceState(null, "", `#${way.id.slice(4)}`);
  });
}
element("ways").addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  const place = ways.indexOf(document.activeElement);
  if (!step || place < 0) return;
  event.preventDefault();
  const next = ways[(place + step + ways.length) % ways.length];
  next.focus();
  next.click();
});
addEventListener("hashchange", () => open(wayOf(location.hash.slice(1))));

// MARK: A phone

function showApps() {
  const system = chosen("system");
  const list = APPS.filter(({ stores }) => stores[system]);
  // The app that one scan sets up comes first: Overland on an iPhone, OwnTracks on Android.
  if (system === "android") list.sort((a, b) => Number(b.id === "owntracks") - Number(a.id === "owntracks"));
  element("apps").replaceChildren(element("apps").querySelector("legend"), ...list.map((app, index) => make("label", {},
    make("input", { type: "radio", name: "app", value: app.id, checked: index === 0 }),
    make("span", {}, make("b", { textContent: app.title }), index === 0 ? make("em", { textContent: t("one scan") }) : null,
      make("small", { textContent: app.stores[system] }), make("small", { textContent: app.about })))));
  showCode();
}

// Shows the QR code of the new device for the chosen app.
function showCode() {
  element("name").hidden = !view.origin || view.made !== null;
  element("code").hidden = !view.origin || view.made === null;
  if (element("code").hidden) return;
  const app = APPS.find(({ id }) => id === chosen("app"));
  element("code").replaceChildren(appPane(app, { origin: view.origin, ...view.made }, toast), view.made.waiting);
}

async function makeDevice(name) {
  const { device, token } = await change("POST", "/api/v1/devices", { name });
  return { device, token, waiting: firstPoint(device, () => showNext()) };
}

// Makes a form create a device and then call `shown`.
function makes(form, shown) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const problem = form.querySelector(".problem");
    const button = form.querySelector("button");
    problem.hidden = true;
    button.disabled = true;
    try {
      await shown(await makeDevice(form.elements.name.value.trim()));
    } catch (error) {
      problem.textContent = error.message;
      problem.hidden = false;
      form.elements.name.focus();
    } finally {
      button.disabled = false;
    }
  });
}

makes(element("name"), (made) => {
  view.made = made;
  showCode();
  element("code").focus();
});
element("systems").addEventListener("change", showApps);
element("apps").addEventListener("change", showCode);

async function drawNetwork() {
  const found = await reach();
  view.origin = found.origin;
  const isAdministrator = view.who.administrator;
  element("network-place").replaceChildren(networkPart(found, isAdministrator, drawNetwork));
  // The commands for another machine need the same address.
  element("machine-network").replaceChildren();
  showCode();
}

// MARK: A computer

const command = (text) => [make("pre", { textContent: text }), make("p", {}, copyButton(text))];

makes(element("machine"), (made) => {
  const isHere = element("machine").elements.where.value === "here";
  const origin = isHere ? location.origin : view.origin;
  const link = `godwit://setup?url=${encodeURIComponent(`${origin}/api/overland`)}&token=${encodeURIComponent(made.token)}&device_id=${encodeURIComponent(made.device)}`;
  element("commands").replaceChildren(make("div", { className: "setup" }, make("div", {},
    make("p", { textContent: isHere ? t("In a terminal of this computer:") : t("In a terminal of that machine, on which godwit-tracker is installed:") }),
    ...command(`${isHere ? "godwit" : "godwit-tracker"} setup '${link}'`),
    make("p", { textContent: t("Then start it, with the receiver that the machine has:") }),
    ...command(`${isHere ? "godwit" : "godwit-tracker"} track --source gpsd://127.0.0.1:2947`))), made.waiting);
  element("commands").hidden = false;
  element("commands").focus();
});
element("machine").elements.where.addEventListener("change", async ({ target }) => {
  const needsNetwork = target.value === "other" && !view.origin;
  element("machine").querySelector("button").disabled = needsNetwork;
  element("machine-network").replaceChildren(...(needsNetwork
    ? [make("p", {}, ...pieces("That machine does not reach this server yet: open it to your network under {phone}.", { phone: make("a", { href: "#phone", textContent: t("My phone") }) }))] : []));
});

// MARK: The demo

const hasDemo = () => view.devices.some(({ name }) => name === DEMO);

function showDemo() {
  element("add-demo").hidden = hasDemo();
  element("remove-demo").hidden = !hasDemo();
}

// Resolves when an import has ended.
async function imported(id) {
  for (;;) {
    const job = await get(`/api/v1/imports/${id}`);
    if (job.state === "failed") throw new Error(job.problem ?? t("The demo could not be imported."));
    if (job.state !== "waiting" && job.state !== "running") return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function demo(button, text, run) {
  button.disabled = true;
  element("demo-state").textContent = text;
  try {
    await run();
  } catch (error) {
    element("demo-state").textContent = error.message;
  } finally {
    button.disabled = false;
    view.devices = (await get("/api/v1/devices")).devices;
    showDemo();
  }
}

element("add-demo").addEventListener("click", ({ currentTarget }) => demo(currentTarget, t("Adding the walk …"), async () => {
  const walk = await (await fetch("/demo.gpx")).blob();
  const query = new URLSearchParams({ device: DEMO, name: "demo.gpx" });
  const headers = { Accept: "application/json", "Content-Type": "application/octet-stream" };
  const job = await request(`/api/v1/imports?${query}`, { method: "POST", headers, body: walk });
  await imported(job.id);
  const there = new URLSearchParams({ device: DEMO });
  element("demo-state").replaceChildren(...pieces("See it {map}, {timeline} or {statistics}.", {
    map: make("a", { href: `/?${there}`, textContent: t("on the map") }),
    timeline: make("a", { href: `/timeline?${there}`, textContent: t("as a timeline") }),
    statistics: make("a", { href: `/statistics?${there}`, textContent: t("in statistics") }),
  }));
  showNext();
}));
element("remove-demo").addEventListener("click", async ({ currentTarget }) => {
  if (!(await ask(t("Remove the demo?"), t("The device “{name}” and its points are deleted. Nothing else changes.", { name: DEMO }), t("Remove")))) return;
  await demo(currentTarget, t("Removing the walk …"), async () => {
    await change("DELETE", `/api/v1/devices/${encodeURIComponent(DEMO)}`);
    element("demo-state").textContent = t("The demo is gone.");
  });
});

// MARK: Start

// An account is offered after the first point.
async function showNext() {
  element("next").hidden = false;
  if (!view.who.administrator || view.who.user) element("next-account").hidden = true;
}

async function load() {
  const [who, { devices }] = await Promise.all([get("/api/v1/session"), get("/api/v1/devices")]);
  Object.assign(view, { who, devices });
  if (devices.some(({ last }) => last)) {
    element("title").textContent = t("First steps");
    element("about").textContent = t("Add another phone, a file or a computer.");
    document.title = `${t("First steps")} – Godwit`;
    showNext();
  }
  showDemo();
  await drawNetwork();
  document.body.dataset.state = "ready";
}

const isIPhone = /iPhone|iPad|Mac OS X/.test(navigator.userAgent);
document.querySelector(`input[name=system][value=${isIPhone ? "iphone" : "android"}]`).checked = true;
showApps();
open(wayOf(location.hash.slice(1)));
whenBack(load);
load().catch((error) => {
  // api.js has opened the sign-in page.
  if (error.status !== 401) throw error;
});
