// Requests to the server.

export class Refused extends Error {
  constructor(status, { type = "", title = "", detail, at } = {}) {
    super(detail);
    this.status = status;
    // The last part of the problem's type, such as "code-not-valid".
    this.kind = type.split("#").pop();
    this.title = title;
    this.at = at;
  }
}

async function request(path, options) {
  const response = await fetch(path, options);
  if (!response.ok) {
    const problem = await response.json().catch(() => ({}));
    throw new Refused(response.status, { ...problem, detail: problem.detail || response.statusText });
  }
  return response.json();
}

export const get = (path, signal) => request(path, { headers: { Accept: "application/json" }, signal });

const send = (method, path, body) =>
  request(path, {
    method, headers: { Accept: "application/json", ...(body ? { "Content-Type": "application/json" } : {}) },
    body: body && JSON.stringify(body),
  });

// Sends a change; undefined members are left out. If the server requires the password again, a dialog asks for it, and the
// request is repeated.
export async function change(method, path, body) {
  try {
    return await send(method, path, body);
  } catch (error) {
    if (error.kind !== "confirmation-needed") throw error;
    const { confirmation } = await import("/confirmation.js");
    if (!(await confirmation())) throw new Error("Nothing was changed.");
    return send(method, path, body);
  }
}

// Redirects to the sign-in page after an authentication error. Returns whether it does.
export function isSentToDoor(error) {
  if (!(error instanceof Refused) || error.status !== 401) return false;
  location.replace(`/sign-in?next=${encodeURIComponent(location.pathname + location.search + location.hash)}`);
  return true;
}

export const settings = () => get("/api/v1/settings");

export const devices = async () => (await get("/api/v1/devices")).devices;

// All lines between two times (milliseconds), over all pages of the list.
// `detail`: the tolerance of the lines in metres.
export async function track(device, from, to, detail = 0) {
  const features = [];
  let cursor = "";
  do {
    const query = new URLSearchParams({
      device, from: new Date(from).toISOString(), to: new Date(to).toISOString(), ...(cursor ? { cursor } : {}),
      ...(detail ? { detail } : {}),
    });
    const answer = await get(`/api/v1/tracks?${query}`);
    features.push(...answer.features);
    cursor = answer.next_cursor;
  } while (cursor);
  return features;
}

// The overview of all days. `box` is west, south, east, north in degrees.
export function overview(device, box, zoom, signal) {
  const query = new URLSearchParams({ device, bbox: box.map((degrees) => degrees.toFixed(6)).join(","), zoom });
  return get(`/api/v1/overview?${query}`, signal);
}

// New points as they are stored. `on` has points(device, features), resync() and state(name).
export function events(on) {
  const source = new EventSource("/api/v1/events");
  source.addEventListener("open", () => {
    on.state("live");
    // Points that were stored before the stream opened were not sent.
    on.resync();
  });
  source.addEventListener("error", () => on.state(navigator.onLine ? "reconnecting" : "offline"));
  source.addEventListener("points", (event) => {
    const { device, features } = JSON.parse(event.data);
    on.points(device, features);
  });
  // A friend without shared history moved.
  source.addEventListener("moved", () => on.resync());
  // Points were flagged or unflagged as outliers: the track is loaded again.
  source.addEventListener("outliers", () => on.resync());
  source.addEventListener("resync", () => on.resync());
}
