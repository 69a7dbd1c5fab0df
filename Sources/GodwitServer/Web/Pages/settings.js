// The preferences of the user: units, language, time zone, first day of the week, theme.

import { change, get, whenBack } from "/api.js";
import { zoneOptions } from "/days.js";
import { element, toast } from "/elements.js";
import * as format from "/format.js";
import { t } from "/texts.js";

const fields = element("preferences").elements;
const NAMES = ["units", "language", "time_zone", "first_day", "theme"];

// Shows an example with the chosen preferences.
function example() {
  element("example").textContent = t("For example: {distance} at {speed}, {height} high, {time}.", {
    distance: format.distance(47000), speed: `${format.speed(13)}\u00a0${format.speedUnit}`, height: format.meters(312), time: format.when(Date.now()),
  });
}

function fill(preferences) {
  fields.time_zone.replaceChildren(fields.time_zone.options[0], ...zoneOptions(preferences.time_zone));
  for (const name of NAMES) fields[name].value = preferences[name] ?? "";
  example();
  document.body.dataset.state = "ready";
}

async function load() {
  fill(await get("/api/v1/preferences"));
}

element("preferences").addEventListener("change", async () => {
  document.body.dataset.state = "saving";
  const body = Object.fromEntries(NAMES.map((name) => [name, fields[name].value || undefined]));
  try {
    await change("PUT", "/api/v1/preferences", body);
  } catch (error) {
    toast(error.message);
    return load();
  }
  // A page reads the formats only when it is loaded.
  sessionStorage.setItem("said", t("Saved."));
  location.reload();
});
element("preferences").addEventListener("submit", (event) => event.preventDefault());

whenBack(load);
const said = sessionStorage.getItem("said");
sessionStorage.removeItem("said");
try {
  await load();
  if (said) toast(said);
} catch (error) {
  // api.js has opened the sign-in page.
  if (error.status !== 401) throw error;
}
