// The year in review: a picture that the user can share. The browser draws it and sends it nowhere.

import * as api from "/api.js";
import { newestYear } from "/days.js";
import { element, make } from "/elements.js";
import { THEMES, card, png } from "/review-card.js";
import { pieces, t } from "/texts.js";

const view = { device: null, year: new Date().getFullYear(), data: null };
const choice = element("options").elements;

const options = () => ({ title: choice.title.value.trim(), theme: choice.theme.value, map: choice.map.checked, names: choice.names.checked });

function draw() {
  if (!view.data) return;
  element("card").replaceChildren(card(view.data, options()));
}

// Returns the lines of a year, in the resolution of the picture.
async function tracks(device, from, to) {
  const ask = async (box, zoom) => {
    const query = new URLSearchParams({ device, bbox: box.map((degrees) => degrees.toFixed(5)).join(","), zoom: zoom.toFixed(2), from, to });
    return (await api.get(`/api/v1/overview?${query}`)).features.flatMap(({ geometry }) => geometry.coordinates);
  };
  const coarse = await ask([-180, -85, 180, 85], 3);
  if (!coarse.length) return [];
  let [west, south, east, north] = [180, 85, -180, -85];
  for (const [lon, lat] of coarse.flat()) [west, south, east, north] = [Math.min(west, lon), Math.min(south, lat), Math.max(east, lon), Math.max(north, lat)];
  const pad = Math.max(0.05, (east - west) / 20);
  const box = [Math.max(-180, west - pad), Math.max(-85, south - pad), Math.min(180, east + pad), Math.min(85, north + pad)];
  // The picture is about 1000 pixels wide; at zoom 0 the world has 256 pixels.
  return ask(box, Math.max(2, Math.min(12, Math.log2((1000 / 256) * (360 / (box[2] - box[0]))))));
}

async function load() {
  const { device, year } = view;
  document.body.dataset.state = "loading";
  element("problem").hidden = true;
  const query = new URLSearchParams({ device, year: String(year) });
  const [sums, records] = await Promise.all([api.get(`/api/v1/statistics?${query}`), api.get(`/api/v1/statistics/records?${query}`)]);
  const lines = sums.total.points ? await tracks(device, sums.begins, sums.ends) : [];
  if (device !== view.device || year !== view.year) return; // Something else was chosen meanwhile.
  view.data = sums.total.points ? { year, sums, records, lines } : null;
  element("year").textContent = year;
  element("empty").hidden = view.data !== null;
  element("card").replaceChildren();
  for (const button of [element("save"), element("share")]) button.disabled = view.data === null;
  draw();
  document.title = `${t("{year} in review", { year })} – Godwit`;
  element("back").href = `/statistics?${query}`;
  window.history.replaceState(null, "", `/review?${query}`);
  document.body.dataset.state = "ready";
}

async function reload() {
  const { device, year } = view;
  try {
    await load();
  } catch (error) {
    if (error.status === 401 || device !== view.device || year !== view.year) return;
    // Another year's picture must not remain under the new year.
    view.data = null;
    element("card").replaceChildren();
    element("year").textContent = view.year;
    element("problem").textContent = error.message;
    element("problem").hidden = false;
    document.body.dataset.state = "failed";
  }
}

const fileName = () => `${view.year}-in-review.png`;

async function save() {
  const address = URL.createObjectURL(await png(element("card").firstElementChild));
  const link = Object.assign(document.createElement("a"), { href: address, download: fileName() });
  link.click();
  URL.revokeObjectURL(address);
  document.body.dataset.saved = fileName();
}

async function share() {
  const file = new File([await png(element("card").firstElementChild)], fileName(), { type: "image/png" });
  await navigator.share({ files: [file] });
}

async function attempt(work) {
  try {
    await work();
  } catch (error) {
    if (error.name === "AbortError") return; // Sharing was cancelled.
    element("problem").textContent = error.message;
    element("problem").hidden = false;
  }
}

async function begin() {
  const own = (await api.devices()).filter(({ access }) => access === "all");
  element("device").replaceChildren(...own.map(({ name }) => new Option(name, name)));
  const wanted = new URLSearchParams(location.search);
  const device = own.find(({ name }) => name === wanted.get("device")) ?? api.newestOf(own);
  if (!device) {
    element("empty").replaceChildren(...pieces("No devices yet. {add}.", { add: make("a", { href: "/welcome", textContent: t("Add your phone") }) }));
    element("empty").hidden = false;
    document.body.dataset.devices = "none";
    document.body.dataset.state = "ready";
    return;
  }
  view.device = device.name;
  element("device").value = device.name;
  const year = Number(wanted.get("year"));
  view.year = year >= 1900 && year < 2200 ? year : newestYear(device);
  await reload();
}

choice.theme.append(...Object.entries(THEMES).map(([id, { name }]) => new Option(name, id)));
element("options").addEventListener("input", draw);
element("options").addEventListener("submit", (event) => event.preventDefault());
element("device").addEventListener("change", ({ target }) => {
  view.device = target.value;
  reload();
});
for (const [id, step] of Object.entries({ earlier: -1, later: 1 })) {
  element(id).addEventListener("click", () => {
    view.year += step;
    reload();
  });
}
element("save").addEventListener("click", () => attempt(save));
element("share").addEventListener("click", () => attempt(share));
element("share").hidden = !navigator.canShare?.({ files: [new File([], "x.png", { type: "image/png" })] });

api.whenBack(() => (view.device ? reload() : begin()));

try {
  await begin();
} catch (error) {
  if (!api.isSentToDoor(error)) {
    element("problem").textContent = error.message;
    element("problem").hidden = false;
    document.body.dataset.state = "failed";
  }
}
