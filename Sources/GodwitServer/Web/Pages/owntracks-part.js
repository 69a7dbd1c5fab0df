// The part of a device's page for OwnTracks apps: commands, and the reports of the app. The encryption key is in encryption.js.

import { change, get } from "/api.js";
import { action as button, form, make, part, when } from "/elements.js";
import { t } from "/texts.js";

// Commands without parameters.
export const ACTIONS = {
  reportLocation: t("Report the location now"), status: t("Report the app's status"), dump: t("Report the app's settings"), waypoints: t("Report the app's regions"),
  clearWaypoints: t("Delete the app's regions"),
};
const MORE = { reportSteps: t("Report steps"), setWaypoints: t("Set regions"), setConfiguration: t("Change settings") };

// Whether a device uses OwnTracks: its user agent, a command, or a report shows it.
export const concerns = (device, { commands, reports }) =>
  /owntracks/i.test(device.agent ?? "") || commands.length > 0 || Object.values(reports).some((report) => report !== null);

const commandText = ({ action }) => ACTIONS[action] ?? MORE[action] ?? action ?? t("Regions of the server");

function report(title, entry) {
  if (!entry) return null;
  const text = make("pre", { className: "raw", textContent: JSON.stringify(entry.message, null, 2), tabIndex: 0 });
  text.setAttribute("aria-label", title);
  return make("details", {}, make("summary", {}, `${title} `, make("small", { textContent: when(entry.received) })), text);
}

export async function ownTracksPart(device, redraw) {
  const path = `/api/v1/devices/${encodeURIComponent(device.name)}`;
  const list = await get(`${path}/commands`);
  if (!concerns(device, list)) return null;
  const choice = make("select", { name: "action" }, Object.entries(ACTIONS).map(([action, text]) => new Option(text, action)));
  const order = form([make("label", {}, t("Command"), choice)], t("Send"), async (made) => {
    await change("POST", `${path}/commands`, { action: made.elements.action.value });
    await redraw();
  });
  const pending = list.commands.filter(({ sent }) => sent === null).length;
  const rows = list.commands.slice(0, 10).map(({ created, sent, command }) => make("li", {}, make("span", { textContent: commandText(command) }),
    make("small", { textContent: sent ? t("sent {time}", { time: when(sent) }) : t("waits since {time}", { time: when(created) }) })));
  return part(t("OwnTracks app"), t("Commands go with the next response. The app obeys if its user allows remote commands."), order,
    rows.length ? make("ul", { className: "commands" }, rows) : null,
    pending ? make("p", { className: "row" }, button(t("Cancel pending commands"), t("Cancel the pending commands of {name}", { name: device.name }), async () => {
      const { cancelled } = await change("DELETE", `${path}/commands`);
      return t("Cancelled: {n}.", { n: cancelled });
    }, redraw)) : null,
    report(t("App"), list.reports.profile), report(t("Status"), list.reports.status), report(t("Settings of the app"), list.reports.configuration));
}
