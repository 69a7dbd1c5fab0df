// The choice of the history in the URL of the page, so that a reload, the back button and a copied URL show the same.

import { isDay } from "/days.js";
import { RANGES } from "/history-range.js";
import { COLORINGS, LAYERS } from "/history-style.js";

const NAMES = ["history", "range", "from", "to", "with", "color", "layers"];
const STANDARD = { range: "all", color: "device", layers: "lines" };
// Returns a word of the URL if the table has it, else the default.
const known = (word, table, standard) => (word !== null && Object.hasOwn(table, word) ? word : standard);

// Returns the choice in a URL's query. `devices`: null for the page's selected device. `isChosen`: whether the user chose the layers.
export function choiceOf(search) {
  const query = new URLSearchParams(search);
  const day = (name) => (isDay(query.get(name)) ? query.get(name) : "");
  const layers = (query.get("layers") ?? STANDARD.layers).split(",").filter((word) => Object.hasOwn(LAYERS, word));
  return {
    isOn: query.get("history") === "on",
    range: known(query.get("range"), RANGES, STANDARD.range),
    from: day("from"),
    to: day("to"),
    devices: query.has("with") ? query.getAll("with").filter(Boolean) : null,
    coloring: known(query.get("color"), COLORINGS, STANDARD.color),
    layers: new Set(layers),
    isChosen: query.has("layers"),
  };
}

// Writes a choice into the parameters of a URL; defaults are omitted.
export function write(choice, query) {
  for (const name of NAMES) query.delete(name);
  if (!choice.isOn) return;
  query.set("history", "on");
  if (choice.range !== STANDARD.range) query.set("range", choice.range);
  if (choice.range === "custom") for (const name of ["from", "to"]) if (choice[name]) query.set(name, choice[name]);
  // An empty list of devices is a choice too.
  for (const name of choice.devices?.length === 0 ? [""] : choice.devices ?? []) query.append("with", name);
  if (choice.coloring !== STANDARD.color) query.set("color", choice.coloring);
  if (choice.isChosen) query.set("layers", [...choice.layers].join(","));
}
