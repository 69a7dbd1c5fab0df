// The set-up of an app for a device: the values to enter, a link, and its QR code.

import { change } from "/api.js";
import { make } from "/elements.js";

const base64 = (text) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

// The apps, each with its values and, where it has one, a link that sets all of them.
function apps(device, token) {
  const { origin, hostname } = location;
  const query = (values) => Object.entries(values).map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
  const setup = (scheme) => `${scheme}://setup?${query({ url: `${origin}/api/overland`, token, device_id: device })}`;
  const tracker = device.replace(/[^a-z0-9]/gi, "").slice(0, 2).toLowerCase() || "me";
  const owntracks = (settings) => {
    const text = JSON.stringify({ _type: "configuration", deviceId: device, tid: tracker, auth: true, username: device, ...settings });
    return `owntracks:///config?inline=${encodeURIComponent(base64(text))}`;
  };
  const gpslogger = `${origin}/api/gpslogger/${token}?lat=%LAT&lon=%LON&time=%TIME&s=%SPD&acc=%ACC&alt=%ALT&dir=%DIR&bat=%BATT&charge=%ISCHARGING&sat=%SAT&act=%ACT`;
  return [
    { id: "overland", title: "Overland", link: setup("overland"), fields: [["Receiver endpoint URL", `${origin}/api/overland`], ["Access token", token]],
      text: "Scan the code with the phone's camera, or open the link on the phone." },
    { id: "owntracks", title: "OwnTracks", link: owntracks({ mode: 3, url: `${origin}/pub`, password: token }),
      fields: [["Mode", "HTTP"], ["URL", `${origin}/pub`], ["Authentication", "on"], ["UserID", device], ["Password", token]],
      text: "Scan the code with the phone's camera, or open the link on the phone; then confirm in the app." },
    { id: "mqtt", title: "OwnTracks, MQTT", link: owntracks({ mode: 0, host: hostname, port: 8883, tls: true }),
      fields: [["Mode", "MQTT"], ["Host", hostname], ["Port", "8883"], ["TLS", "on"], ["UserID", device], ["Password", "your broker's password"], ["DeviceID", device]],
      text: "For your own MQTT broker that this server is connected to. The link does not contain the password: it is the broker's, not this token." },
    { id: "traccar", title: "Traccar Client", fields: [["Device identifier", token], ["Server URL", `${origin}/api/osmand`]],
      text: "Enter both in the app's settings, then turn its service on." },
    { id: "gpslogger", title: "GPSLogger", copy: gpslogger, fields: [],
      text: "In GPSLogger open Logging details → Log to custom URL, and paste:" },
    { id: "phonetrack", title: "PhoneTrack", copy: `${origin}/log/gpslogger/${token}/${encodeURIComponent(device)}`, fields: [],
      text: "Use this address for a custom logging job. For another app with PhoneTrack support, replace gpslogger by its protocol:" },
    { id: "godwit", title: "Godwit", link: setup("godwit"), fields: [],
      copy: `godwit setup '${setup("godwit")}'`,
      text: "An app that uses the SDK opens the link. On a computer, run:" },
  ];
}

const svgName = "http://www.w3.org/2000/svg";

// A QR code. The server draws it, so that the token is not sent to a third party.
export async function picture(text, label = "QR code of the link") {
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

function copyButton(text, toast) {
  const button = make("button", { type: "button", textContent: "Copy" });
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(text);
    toast("Copied.");
  });
  return button;
}

// Shows a new token and the ways to use it.
export function setupPart(device, token, toast) {
  const list = apps(device, token);
  const pane = make("div", { id: "setup-pane" });
  pane.setAttribute("role", "tabpanel");
  const tabs = make("div", { className: "apps" });
  tabs.setAttribute("role", "tablist");
  tabs.setAttribute("aria-label", "App");
  async function show(app) {
    for (const tab of tabs.children) {
      const isThis = tab.id === `setup-${app.id}`;
      tab.setAttribute("aria-selected", isThis);
      tab.tabIndex = isThis ? 0 : -1;
    }
    pane.setAttribute("aria-labelledby", `setup-${app.id}`);
    const fields = make("dl", {}, ...app.fields.flatMap(([name, value]) => [make("dt", { textContent: name }), make("dd", { textContent: value })]));
    const words = make("div", {}, make("p", { textContent: app.text }),
      app.copy ? make("pre", { textContent: app.copy }) : null, app.copy ? make("p", {}, copyButton(app.copy, toast)) : null,
      app.fields.length ? fields : null,
      app.link ? make("p", { className: "row" }, make("a", { href: app.link, textContent: `I'm on the phone: open in ${app.title}` }), copyButton(app.link, toast)) : null);
    const body = make("div", { className: "setup" }, words);
    pane.replaceChildren(body);
    pane.dataset.app = app.id;
    if (!app.link) return;
    try {
      const code = await picture(app.link);
      if (pane.dataset.app === app.id) body.append(code);
    } catch (error) {
      toast(error.message);
    }
  }
  tabs.append(...list.map((app) => {
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
  show(list[0]);
  const isHere = /^(localhost|127\.|\[::1\])/.test(location.hostname)
    ? make("p", { className: "warn", textContent: `Your phone can't reach ${location.hostname}. Restart the server with --listen 0.0.0.0:${location.port || "8080"} and open this page at the computer's address in your network.` }) : null;
  const secret = make("div", { className: "secret", tabIndex: -1, id: "new-token" },
    make("p", { textContent: `Token for "${device}" – copy it now, it won't be shown again:` }), make("code", { textContent: token }),
    make("div", {}, copyButton(token, toast)));
  secret.setAttribute("role", "status");
  return make("section", { className: "part", id: "setup" }, make("h2", { textContent: `Set up ${device}` }), secret, isHere, tabs, pane);
}
