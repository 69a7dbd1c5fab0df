// Shows on every page whether the server responds and whether the session is valid.

import { when } from "/format.js";
import { KEPT_AT } from "/offline-store.js";
import { t } from "/texts.js";

const PAUSES = [1000, 2000, 4000, 8000, 15000]; // milliseconds between two tries
const STABLE = 30000; // milliseconds after which a connection that returned counts as a new one
const PATH = "/api/v1/session";

const waiting = new Set();
let tries = 0;
let lostAt = -Infinity;
let backAt = -Infinity;
let pause = 0;
let timer = null;
let running = null;

const isLost = () => document.body.dataset.connection === "lost";

function show(text, hasButton) {
  const box = document.getElementById("connection");
  if (!box) return;
  box.firstElementChild.textContent = text ?? "";
  box.hidden = !text;
  box.querySelector("button").hidden = !hasButton;
}

// Called when a request got no response. `kept`: the time of the cached response that is shown instead, in milliseconds since 1970.
export function lost(kept) {
  if (isLost()) return;
  document.body.dataset.connection = "lost";
  const date = kept && when(kept);
  show(date ? t("No connection to the server. You see the state of {date}; retrying.", { date }) : t("No connection to the server. The page may be out of date; retrying."), true);
  lostAt = performance.now();
  if (lostAt - backAt > STABLE) tries = 0;
  pause = PAUSES[Math.min(tries, PAUSES.length - 1)];
  again();
}

// Called when the server responded. Soon after a request without a response that changes nothing until the next check: otherwise a page with
// one request that always fails would repeat all its requests without a pause.
export function found() {
  if (isLost() && performance.now() - lostAt >= pause) isBack();
}

function isBack() {
  clearTimeout(timer);
  if (!isLost()) return;
  backAt = performance.now();
  document.body.dataset.connection = "ok";
  show(null);
  for (const run of waiting) Promise.resolve().then(run).catch(() => {});
}

// `run` is called each time the connection returns.
export function whenBack(run) {
  waiting.add(run);
}

// The sign-in pages, and pages that need no session, stay open.
const isOpenPage = () => document.body.matches(".door, [data-open]");

// Opens the sign-in page, which returns to this page. Returns whether it opens.
export function leave() {
  if (isOpenPage()) return false;
  location.replace(`/sign-in?next=${encodeURIComponent(location.pathname + location.search + location.hash)}`);
  return true;
}

// Without a session every request of the page would be rejected, so the page sends none and opens the sign-in page. Without a connection
// the page comes from the cache, whose session state is unknown.
export const hasSession = document.documentElement.dataset.session !== "none" || !navigator.onLine;
if (!hasSession && leave()) await new Promise(() => {});

function again() {
  clearTimeout(timer);
  timer = setTimeout(() => check(), PAUSES[Math.min(tries, PAUSES.length - 1)]);
  tries += 1;
}

// Checks whether the server responds and whether the session is valid. Concurrent calls share one check.
export function check() {
  running ??= (async () => {
    try {
      const response = await fetch(PATH, { cache: "no-store", headers: { Accept: "application/json" } });
      if (isGateway(response.status) || response.headers.has(KEPT_AT)) throw new Error(t("No answer."));
      isBack();
      if (response.status === 401) leave();
    } catch {
      if (isLost()) again();
      else lost();
    }
  })().finally(() => (running = null));
  return running;
}

// Statuses of a proxy whose server does not respond.
export const isGateway = (status) => status === 502 || status === 504;

document.getElementById("connection")?.querySelector("button").addEventListener("click", () => {
  tries = 0;
  check();
});
addEventListener("online", () => isLost() && check());
document.addEventListener("visibilitychange", () => !document.hidden && isLost() && check());

// Shows errors of requests that no code handles.
let said = null;
addEventListener("unhandledrejection", (event) => {
  const { reason } = event;
  if (!reason?.isFromServer) return;
  event.preventDefault();
  if (isLost() || reason.status === 401) return;
  show(reason.message, false);
  clearTimeout(said);
  said = setTimeout(() => isLost() || show(null), 8000);
});
