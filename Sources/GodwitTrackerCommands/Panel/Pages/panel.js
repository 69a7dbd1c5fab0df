// The page: the visible screen, the state of the connection, and sign-in.

import { Link, post } from "/link.js";
import { Coverage } from "/coverage.js";
import { SettingsScreens } from "/settings.js";
import { TrackerScreen } from "/tracker.js";
import * as words from "/words.js";

const element = (id) => document.getElementById(id);
const titles = { tracker: "Tracker", settings: "Settings", trip: "Trip Settings" };

// Shows a message for a few seconds.
let toastTimer;
function say(text, isBad = false) {
  const toast = element("toast");
  toast.textContent = text;
  toast.classList.toggle("bad", isBad);
  toast.hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => (toast.hidden = true), isBad ? 8000 : 3500);
}

const link = new Link({
  status(status) {
    tracker.show(status);
    coverage.follow(status);
    element("device").textContent = status.device;
    document.body.dataset.ready = "yes";
    element("main").inert = document.body.dataset.link === "locked";
  },
  settings() {
    settings.load();
    coverage.load();
  },
  state(state) {
    const wasLost = document.body.dataset.link === "lost";
    document.body.dataset.link = state;
    const word = { connecting: "Connecting", live: "Live", lost: "No connection", locked: "Locked" }[state];
    const shown = element("link").lastElementChild;
    if (shown.textContent !== word) shown.textContent = word;
    element("lost").hidden = state !== "lost";
    element("sign-in").hidden = state !== "locked";
    element("main").inert = state === "locked" || document.body.dataset.ready === "no";
    if (state === "locked") element("token").focus();
    if (state === "live" && wasLost) say("Connected again.");
  },
});
const tracker = new TrackerScreen(() => link.now(), say);
const coverage = new Coverage(() => link.now());
const settings = new SettingsScreens(() => link.now(), say);

// MARK: Screens

function route() {
  const name = location.hash.slice(1);
  if (name === "main") return element("main").focus();
  const screen = name in titles ? name : "tracker";
  const isMove = document.body.dataset.screen !== screen;
  document.body.dataset.screen = screen;
  document.title = `${titles[screen]} · Godwit`;
  for (const each of Object.keys(titles)) element(`screen-${each}`).hidden = each !== screen;
  for (const anchor of document.querySelectorAll("#bar nav a")) {
    if (anchor.dataset.screen === screen) anchor.setAttribute("aria-current", "page");
    else anchor.removeAttribute("aria-current");
  }
  if (isMove) window.scrollTo(0, 0);
  coverage.draw();
}
window.addEventListener("hashchange", () => {
  if (location.pathname === "/login" || location.hash.startsWith("#token=")) start();
  else route();
});

// MARK: Time

setInterval(() => {
  tracker.tick();
  if (link.heard) element("lost-age").textContent = words.ago(Date.now() - link.heard);
}, 1000);
setInterval(() => document.body.dataset.link === "live" && coverage.load(), 60000);
element("retry").addEventListener("click", () => link.connect());

// MARK: Sign-in

async function open(secret) {
  try {
    await post("/api/v1/login", secret);
    element("sign-in-problem").textContent = "";
    element("token").value = "";
  } catch (error) {
    element("sign-in-problem").textContent = error.message;
  }
  await link.connect();
}
element("sign-in").addEventListener("submit", (event) => {
  event.preventDefault();
  open({ token: element("token").value.trim() });
});

async function start() {
  const fragment = location.hash.slice(1);
  const secret = location.pathname === "/login" && fragment ? { code: fragment }
    : fragment.startsWith("token=") ? { token: decodeURIComponent(fragment.slice(6)) } : null;
  // The secret is removed from the address, so that it is not stored in the history or in a bookmark.
  if (secret || location.pathname === "/login") history.replaceState(null, "", "/");
  route();
  if (secret) await open(secret);
  else await link.connect();
}
start();
