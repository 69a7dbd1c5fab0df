// The setup of an app for a device: the values to enter, a link, and its QR code.

import { change, get } from "/api.js";
import { copyButton, make } from "/elements.js";
import { firstPoint } from "/first-point.js";
import { isolated } from "/format.js";
import { networkPart, reach } from "/network.js";
import { t } from "/texts.js";

const base64 = (text) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));
const query = (values) => Object.entries(values).map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
const godwit = (scheme, { origin, token, device }) => `${scheme}://setup?${query({ url: `${origin}/api/overland`, token, device_id: device })}`;

function owntracks(device, settings) {
  const tracker = device.replace(/[^a-z0-9]/gi, "").slice(0, 2).toLowerCase() || "me";
  const text = JSON.stringify({ _type: "configuration", deviceId: device, tid: tracker, auth: true, username: device, ...settings });
  return `owntracks:///config?inline=${encodeURIComponent(base64(text))}`;
}

const SCAN = t("Scan the code with the phone's camera: it sets the app up. Then allow the app to use your location always.");

// The apps. `stores` are the systems that have the app, with its name in their store. The values of an app are computed from the server's
// address, the device and its token. `link`, if the app supports one, sets all of them.
export const APPS = [
  { id: "overland", title: "Overland", stores: { iphone: "App Store: “Overland GPS Tracker”", android: "Play Store: “Overland”" },
    about: t("Records all day, and uses little battery."), text: SCAN,
    values: (to) => ({ link: godwit("overland", to), fields: [[t("Receiver endpoint URL"), `${to.origin}/api/overland`], [t("Access token"), to.token]] }) },
  { id: "owntracks", title: "OwnTracks", stores: { iphone: "App Store: “OwnTracks”", android: "Play Store / F-Droid: “OwnTracks”" },
    about: t("Records changes of place. Shows friends on its own map."), text: t("Scan the code with the phone's camera, then confirm in the app. Allow the app to use your location always."),
    values: ({ origin, token, device }) => ({ link: owntracks(device, { mode: 3, url: `${origin}/pub`, password: token }),
      fields: [[t("Mode"), "HTTP"], ["URL", `${origin}/pub`], [t("Authentication"), t("on")], ["UserID", device], [t("Password"), token]] }) },
  { id: "mqtt", title: "OwnTracks, MQTT", stores: {}, text: t("For your own MQTT broker that this server is connected to. The link does not contain the password: it is the broker's, not this token."),
    values: ({ origin, device }) => {
      const { hostname } = new URL(origin);
      return { link: owntracks(device, { mode: 0, host: hostname, port: 8883, tls: true }),
        fields: [[t("Mode"), "MQTT"], [t("Host"), hostname], [t("Port"), "8883"], ["TLS", t("on")], ["UserID", device], [t("Password"), t("your broker's password")], ["DeviceID", device]] };
    } },
  { id: "traccar", title: "Traccar Client", stores: { iphone: "App Store: “Traccar Client”", android: "Play Store: “Traccar Client”" },
    about: t("Simple; two values to enter."), text: t("Enter both in the app's settings, then turn its service on."),
    values: ({ origin, token }) => ({ fields: [[t("Device identifier"), token], [t("Server URL"), `${origin}/api/osmand`]] }) },
  { id: "gpslogger", title: "GPSLogger", stores: { android: "F-Droid: “GPSLogger”" }, about: t("For exact tracks of hikes and rides."),
    text: t("In GPSLogger open Logging details → Log to custom URL, and paste:"),
    values: ({ origin, token }) => ({ copy: `${origin}/api/gpslogger/${token}?lat=%LAT&lon=%LON&time=%TIME&s=%SPD&acc=%ACC&alt=%ALT&dir=%DIR&bat=%BATT&charge=%ISCHARGING&sat=%SAT&act=%ACT` }) },
  { id: "phonetrack", title: "PhoneTrack", stores: { android: "F-Droid: “PhoneTrack”" }, about: t("If you used it with Nextcloud."),
    text: t("Use this address for a custom logging job. For another app with PhoneTrack support, replace gpslogger by its protocol:"),
    values: ({ origin, token, device }) => ({ copy: `${origin}/log/gpslogger/${token}/${encodeURIComponent(device)}` }) },
  { id: "godwit", title: "Godwit", stores: {}, text: t("An app that uses the SDK opens the link. On a computer, run:"),
    values: (to) => ({ link: godwit("godwit", to), copy: `godwit setup '${godwit("godwit", to)}'` }) },
];

const svgName = "http://www.w3.org/2000/svg";

// A QR code. The server computes it, so that the token is not sent to a third party.
export async function picture(text, label = t("QR code of the link")) {
  const { rows } = await change("POST", "/api/v1/qr", { text });
  const size = rows.length + 8;
  const svg = document.createElementNS(svgName, "svg");
  svg.setAttribute("viewBox", `0 0 ${size} ${size}`);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", label);
  const path = document.createElementNS(svgName, "path");
  path.setAttribute("d", rows.map((row, y) => [...row].map((module, x) => (module === "1" ? `M${x + 4} ${y + 4}h1v1h-1z` : "")).join("")).join(""));
  path.setAttribute("fill", "black");
  svg.append(path);
  return make("div", { className: "qr" }, svg);
}

// The setup instructions of one app: its values, its link and the link's QR code.
export function appPane(app, to, toast) {
  const { link, copy, fields = [] } = app.values(to);
  const list = make("dl", {}, ...fields.flatMap(([name, value]) => [make("dt", { textContent: name }), make("dd", { textContent: value })]));
  const words = make("div", {}, make("p", { textContent: app.text }),
    copy ? make("pre", { textContent: copy }) : null, copy ? make("p", {}, copyButton(copy)) : null, fields.length ? list : null,
    link ? make("p", { className: "row" }, make("a", { href: link, textContent: t("I'm on the phone: open in {title}", { title: app.title }) }), copyButton(link)) : null);
  const pane = make("div", { className: "setup" }, words);
  if (link) picture(link).then((code) => pane.append(code), (error) => toast(error.message));
  return pane;
}

// The apps as tabs.
function tabbed(to, toast) {
  const pane = make("div", { id: "setup-pane" });
  pane.setAttribute("role", "tabpanel");
  const tabs = make("div", { className: "apps" });
  tabs.setAttribute("role", "tablist");
  tabs.setAttribute("aria-label", t("App"));
  function show(app) {
    for (const tab of tabs.children) {
      const isThis = tab.id === `setup-${app.id}`;
      tab.setAttribute("aria-selected", isThis);
      tab.tabIndex = isThis ? 0 : -1;
    }
    pane.setAttribute("aria-labelledby", `setup-${app.id}`);
    pane.dataset.app = app.id;
    pane.replaceChildren(appPane(app, to, toast));
  }
  tabs.append(...APPS.map((app) => {
    const tab = make("button", { type: "button", id: `setup-${app.id}`, textContent: app.title });
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", "setup-pane");
    tab.addEventListener("click", () => show(app));
    return tab;
  }));
  tabs.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const all = [...tabs.children];
    const place = all.indexOf(document.activeElement);
    if (!step || place < 0) return;
    event.preventDefault();
    const next = all[(place + step + all.length) % all.length];
    next.focus();
    next.click();
  });
  show(APPS[0]);
  return [tabs, pane];
}

// Shows how a phone can reach the server, and then the elements that need the address. They are omitted if the phone cannot reach it.
// `show` creates those elements from the address.
export function reachable(show, toast) {
  const place = make("div", { className: "reachable" });
  async function draw() {
    try {
      const [found, { administrator }] = await Promise.all([reach(), get("/api/v1/session")]);
      place.replaceChildren(networkPart(found, administrator, draw), ...(found.origin ? [show(found.origin)].flat() : []));
      place.dataset.origin = found.origin ?? "";
    } catch (error) {
      toast(error.message);
    }
  }
  draw();
  return place;
}

// Shows a new token and its setup instructions.
export function setupPart(device, token, toast) {
  const secret = make("div", { className: "secret", tabIndex: -1, id: "new-token" },
    make("p", { textContent: t("Token for \"{device}\" – copy it now, it won't be shown again:", { device: isolated(device) }) }), make("code", { textContent: token }),
    make("div", {}, copyButton(token)));
  secret.setAttribute("role", "status");
  return make("section", { className: "part", id: "setup" }, make("h2", { textContent: t("Set up {device}", { device: isolated(device) }) }), secret,
    reachable((origin) => tabbed({ origin, device, token }, toast), toast), firstPoint(device));
}
