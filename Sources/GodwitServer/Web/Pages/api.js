// Requests to the server, and its event stream.

import * as connection from "/connection.js";
import { byName } from "/format.js";
import { KEPT_AT } from "/offline-store.js";
import { t } from "/texts.js";

export const { whenBack } = connection;

export class Refused extends Error {
  /**
   * @param {number} status
   * @param {{ type?: string, title?: string, detail?: string, at?: string }} problem
   */
  constructor(status, { type = "", title = "", detail, at } = {}) {
    super(detail);
    this.status = status;
    // The last part of the problem's type, such as "code-not-valid".
    this.kind = type.split("#").pop();
    this.title = title;
    this.at = at;
    this.isFromServer = true;
  }
}

// The server did not respond; connection.js shows that and retries.
export class Unreachable extends Error {
  constructor() {
    super(t("No connection to the server."));
    this.isFromServer = true;
  }
}

// Returns the response of the server, whatever its status, and its text.
async function answer(path, options) {
  try {
    const response = await fetch(path, options);
    if (connection.isGateway(response.status)) throw new TypeError(t("No answer."));
    const text = await response.text();
    const kept = response.headers.get(KEPT_AT);
    if (kept) connection.lost(Number(kept));
    else connection.found();
    return { response, text };
  } catch (error) {
    if (error.name === "AbortError") throw error;
    connection.lost();
    throw new Unreachable();
  }
}

const parsed = (text) => {
  try {
    return text ? JSON.parse(text) : {};
  } catch {
    return {};
  }
};

// Sends a request and returns the JSON of its response. If the session has ended, the sign-in page opens.
export async function request(path, options) {
  const { response, text } = await answer(path, options);
  const body = parsed(text);
  if (response.ok) return body;
  const refusal = new Refused(response.status, { ...body, detail: body.detail || response.statusText });
  isSentToDoor(refusal);
  throw refusal;
}

export const get = (path, signal) => request(path, { headers: { Accept: "application/json" }, signal });

const send = (method, path, body) =>
  request(path, {
    method, headers: { Accept: "application/json", ...(body ? { "Content-Type": "application/json" } : {}) },
    body: body && JSON.stringify(body),
  });

// Sends a change; undefined members are omitted. If the server requires the password again, a dialog requests it, and the request
// is repeated.
export async function change(method, path, body) {
  try {
    return await send(method, path, body);
  } catch (error) {
    if (error.kind !== "confirmation-needed") throw error;
    const { confirmation } = await import("/confirmation.js");
    if (!(await confirmation())) throw new Error(t("Nothing was changed."));
    return send(method, path, body);
  }
}

// Opens the sign-in page after an authentication error. Returns whether it opens.
export function isSentToDoor(error) {
  return error instanceof Refused && error.status === 401 && connection.leave();
}

export const settings = () => get("/api/v1/settings");

// All devices, by name.
export const devices = async () => (await get("/api/v1/devices")).devices.sort((a, b) => byName(a.name, b.name));

// The device of a list with the newest point; the first one if none has a point.
export function newestOf(list) {
  const time = ({ last }) => (last ? Date.parse(last.properties.timestamp) : -Infinity);
  return list.reduce((best, device) => (time(device) > time(best) ? device : best), list[0]);
}

// Returns all lines between two times (milliseconds since 1970), from all pages of the list.
// `detail`: the tolerance of the lines in metres.
export async function track(device, from, to, detail = 0) {
  const features = [];
  let cursor = "";
  do {
    const query = new URLSearchParams({
      device, from: new Date(from).toISOString(), to: new Date(to).toISOString(), ...(cursor ? { cursor } : {}),
      ...(detail ? { detail: String(detail) } : {}),
    });
    const answer = await get(`/api/v1/tracks?${query}`);
    features.push(...answer.features);
    cursor = answer.next_cursor;
  } while (cursor);
  return features;
}

// Returns the overview of all days. `box` is west, south, east, north in degrees.
export function overview(device, box, zoom, signal) {
  const query = new URLSearchParams({ device, bbox: box.map((degrees) => degrees.toFixed(6)).join(","), zoom });
  return get(`/api/v1/overview?${query}`, signal);
}

// After a longer sleep of the device, a stream may be broken without an error. Milliseconds.
const LONGEST_SLEEP = 30000;
const WATCH_INTERVAL = 5000;

// Subscribes to the server's events. `listeners` maps the name of an event to a function, which is called with the event's data. A hidden
// page has no stream: a browser opens six connections to a server, and each tab would hold one. After a sleep of the device the stream is
// opened again. `opened` is called whenever the stream opens, `state` with a key of STATES in format.js. Returns a function that ends the
// subscription.
/** @type {(listeners: Record<string, (data: any) => void>, options?: { opened?: () => void, state?: (name: string) => void }) => () => void} */
export function stream(listeners, { opened = () => {}, state = () => {} } = {}) {
  let source = null;
  let timer = null;
  let watch = null;
  const end = new AbortController();
  const { signal } = end;
  function close() {
    clearTimeout(timer);
    clearInterval(watch);
    source?.close();
    source = null;
  }
  // A timer is late by the length of a sleep.
  function watchSleep() {
    let last = Date.now();
    watch = setInterval(() => {
      const late = Date.now() - last - WATCH_INTERVAL;
      last = Date.now();
      if (late < LONGEST_SLEEP) return;
      close();
      open();
    }, WATCH_INTERVAL);
  }
  function open() {
    if (source || document.hidden) return;
    watchSleep();
    source = new EventSource("/api/v1/events");
    source.addEventListener("open", () => {
      connection.found();
      state("live");
      opened();
    });
    source.addEventListener("error", () => {
      state(navigator.onLine ? "reconnecting" : "offline");
      connection.check();
      // The server rejected the stream, such as after the end of the session. The browser does not retry, so the page does.
      if (source?.readyState !== EventSource.CLOSED) return;
      close();
      timer = setTimeout(open, 5000);
    });
    for (const [name, listener] of Object.entries(listeners)) {
      source.addEventListener(name, ({ data }) => listener(parsed(data)));
    }
  }
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) return open();
    close();
    state("still");
  }, { signal });
  addEventListener("pagehide", close, { signal });
  addEventListener("pageshow", open, { signal });
  open();
  return () => {
    end.abort();
    close();
  };
}

// Subscribes to new points. `on` has points(device, features), resync() and state(name).
export function events(on) {
  stream({
    points: ({ device, features }) => on.points(device, features),
    // A friend who shares only the current location moved.
    moved: on.resync,
    // Points were flagged or unflagged as outliers: the page loads the track again.
    outliers: on.resync,
    resync: on.resync,
    // The stream does not contain points that were stored before it opened.
  }, { opened: on.resync, state: on.state });
}
