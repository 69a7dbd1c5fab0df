// "Waiting for the first point …", which turns green when the point arrives.

import { get, stream } from "/api.js";
import { make } from "/elements.js";
import { clock } from "/format.js";
import { t } from "/texts.js";

// An element that shows whether a device has sent a point. `arrived` is called once, with the time of the device's newest point.
/** @type {(device: string, arrived?: (time: number) => void) => HTMLElement} */
export function firstPoint(device, arrived = () => {}) {
  const text = make("span", { textContent: t("Waiting for the first point …") });
  const hint = make("small", { textContent: t("The app sends one when you start tracking in it and move a little.") });
  const box = make("div", { className: "first-point", data: { state: "waiting" } }, make("i", { ariaHidden: "true" }), make("div", {}, text, hint));
  box.setAttribute("role", "status");
  function done(time) {
    if (box.dataset.state === "arrived") return;
    box.dataset.state = "arrived";
    text.textContent = t("The first point has arrived, at {time}.", { time: clock(time) });
    hint.replaceChildren(make("a", { href: `/?device=${encodeURIComponent(device)}`, textContent: t("Show it on the map") }));
    arrived(time);
  }
  // Checks for points that arrived before the stream opened.
  async function look() {
    const known = (await get("/api/v1/devices")).devices.find(({ name }) => name === device);
    if (known?.last) done(Date.parse(known.last.properties.timestamp));
  }
  stream({
    points: ({ device: name, features }) => name === device && features.length && done(Math.max(...features.map(({ properties }) => Date.parse(properties.timestamp)))),
    resync: look,
  }, { opened: look });
  return box;
}
