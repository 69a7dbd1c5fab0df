// "Waiting for the first point …", which turns green when the point arrives.

import { get, stream } from "/api.js";
import { make } from "/elements.js";
import { clock } from "/format.js";
import { t } from "/texts.js";

// The elements that wait, with their devices. They share one event stream, because a browser opens six connections to a server.
/** @type {Map<HTMLElement, { device: string, done: (time: number) => void }>} */
const waiting = new Map();
let end = null;

const timeOf = ({ properties }) => Date.parse(properties.timestamp);

// Checks for points that arrived before the stream opened.
async function look() {
  const { devices } = await get("/api/v1/devices");
  for (const { device, done } of waiting.values()) {
    const known = devices.find(({ name }) => name === device);
    if (known?.last) done(timeOf(known.last));
  }
}

function points({ device: name, features }) {
  if (!features.length) return;
  for (const { device, done } of waiting.values()) if (device === name) done(Math.max(...features.map(timeOf)));
}

// An element that shows whether a device has sent a point. `arrived` is called once, with the time of the device's newest point.
/** @type {(device: string, arrived?: (time: number) => void) => HTMLElement} */
export function firstPoint(device, arrived = () => {}) {
  const text = make("span", { textContent: t("Waiting for the first point …") });
  const hint = make("small", { textContent: t("The app sends one when you start tracking in it and move a little.") });
  const box = make("div", { className: "first-point", data: { state: "waiting" } }, make("i", { ariaHidden: "true" }), make("div", {}, text, hint));
  box.setAttribute("role", "status");
  function done(time) {
    box.dataset.state = "arrived";
    waiting.delete(box);
    if (!waiting.size) {
      end();
      end = null;
    }
    text.textContent = t("The first point has arrived, at {time}.", { time: clock(time) });
    hint.replaceChildren(make("a", { href: `/?device=${encodeURIComponent(device)}`, textContent: t("Show it on the map") }));
    arrived(time);
  }
  waiting.set(box, { device, done });
  if (end) look();
  else end = stream({ points, resync: look }, { opened: look });
  return box;
}
