// Rules of the service worker's cache for use without a connection: which requests it stores, for how long, and for which user. This module
// uses no browser API, so that it can be tested.

// The cache of pages and their files.
export const SHELL = "shell-1";
// The cache of the responses for the newest day.
export const DAY = "day-1";
// Files that another app shared with this one, until the import page reads them.
export const SHARED = "shared-1";

// The header of a cached response: the time when it was stored, in milliseconds since 1970.
export const KEPT_AT = "X-Godwit-Kept-At";

// Milliseconds for which a cached response may be shown.
export const MAXIMUM_AGE = 7 * 86400000;

// Paths of the API whose responses a day consists of.
const OF_A_DAY = ["/api/v1/session", "/api/v1/settings", "/api/v1/preferences", "/api/v1/devices", "/api/v1/tracks", "/api/v1/visits",
  "/api/v1/trips", "/api/v1/trips/roads", "/api/v1/outliers", "/api/v1/statistics", "/api/v1/places", "/api/v1/timeline/corrections"];
const TIME_ZONE = /^\/api\/v1\/devices\/[^/]+\/time-zone$/;

// Pages that have a secret in the URL or that decide on a session are never stored.
const NEVER = ["/sign-in", "/login", "/s/", "/api"];

// Returns the kind of a request: "page" and "file" are stored in the shell cache, "day" in the cache of the day, "shared" is a file from
// another app, "session" ends or replaces a session; null: the service worker does not handle the request.
export function kind({ method, url, mode, origin }) {
  const { origin: its, pathname, searchParams } = new URL(url);
  if (its !== origin) return null;
  if (method === "POST" && pathname === "/import/shared") return "shared";
  if (method !== "GET") return /^\/api\/v1\/(session(\/passkey|\/openid)?|login|password|sessions(\/.*)?)$/.test(pathname) ? "session" : null;
  if (OF_A_DAY.includes(pathname) || TIME_ZONE.test(pathname)) return "day";
  if (NEVER.some((path) => pathname === path || pathname.startsWith(path.endsWith("/") ? path : `${path}/`))) return null;
  if (searchParams.has("token")) return null;
  if (mode === "navigate") return "page";
  return /\.(js|css|png|svg|webmanifest|pbf|mvt)$/.test(pathname) ? "file" : null;
}

// A key of path and device. Only the newest response of each key is stored, so that a day replaces the previous one.
export function slot(url) {
  const { pathname, searchParams } = new URL(url);
  return `${pathname}\n${searchParams.get("device") ?? ""}`;
}

// The owner of the cached responses. When it changes, the cache is emptied.
export const owner = (session) => (session.user ? `user ${session.user.name}` : session.administrator ? "administrator" : "");

// The response of the list of devices without the devices of other users.
export const ownDevices = ({ devices, ...rest }) => ({ ...rest, devices: devices.filter(({ access }) => access === "all") });

// Whether a response about a device may be stored: it names no device, or one of the user's own.
export function isOwn(url, names) {
  const device = new URL(url).searchParams.get("device");
  return device === null || names.includes(device);
}

// Whether a cached response may still be shown. `at`: the value of the header.
export const isFresh = (at, now) => {
  const age = now - Number(at);
  return age >= 0 && age <= MAXIMUM_AGE;
};
