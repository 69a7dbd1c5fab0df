// What the service worker keeps for times without a connection, as decisions without a browser: which requests, for how long, and whose.

// Pages and their files.
export const SHELL = "shell-1";
// The answers of the newest day.
export const DAY = "day-1";
// Files that another app shared with this one, until the import page takes them.
export const SHARED = "shared-1";

// The header of an answer that was kept: when, in milliseconds since 1970.
export const KEPT_AT = "X-Godwit-Kept-At";

// Milliseconds after which a kept answer is not shown any more.
export const LONGEST = 7 * 86400000;

// Addresses of the API whose answers make up a day, without the host.
const OF_A_DAY = ["/api/v1/session", "/api/v1/settings", "/api/v1/preferences", "/api/v1/devices", "/api/v1/tracks", "/api/v1/visits",
  "/api/v1/trips", "/api/v1/trips/roads", "/api/v1/outliers", "/api/v1/statistics", "/api/v1/places", "/api/v1/timeline/corrections"];
const TIME_ZONE = /^\/api\/v1\/devices\/[^/]+\/time-zone$/;

// Pages that depend on a secret in the address or decide on a session: they are never kept.
const NEVER = ["/sign-in", "/login", "/s/", "/api"];

// The kind of a request: "page" and "file" are kept as shell, "day" as answers of a day, "shared" is a file from another app,
// "session" ends or replaces a session; null: the browser handles it alone.
export function kind({ method, url, mode, origin }) {
  const { origin: its, pathname, searchParams } = new URL(url);
  if (its !== origin) return null;
  if (method === "POST" && pathname === "/import/shared") return "shared";
  if (method !== "GET") return /^\/api\/v1\/(session|login|password|sessions(\/.*)?)$/.test(pathname) ? "session" : null;
  if (OF_A_DAY.includes(pathname) || TIME_ZONE.test(pathname)) return "day";
  if (NEVER.some((path) => pathname === path || pathname.startsWith(path.endsWith("/") ? path : `${path}/`))) return null;
  if (searchParams.has("token")) return null;
  if (mode === "navigate") return "page";
  return /\.(js|css|png|svg|webmanifest|pbf|mvt)$/.test(pathname) ? "file" : null;
}

// The same for all requests of which only the newest is kept: a path and a device. A day thus replaces the day before.
export function slot(url) {
  const { pathname, searchParams } = new URL(url);
  return `${pathname}\n${searchParams.get("device") ?? ""}`;
}

// The owner of the kept answers: the name of the user; another name empties the store.
export const owner = (session) => (session.user ? `user ${session.user.name}` : session.administrator ? "administrator" : "");

// The answer to the list of devices without those of other users.
export const ownDevices = ({ devices, ...rest }) => ({ ...rest, devices: devices.filter(({ access }) => access === "all") });

// Whether an answer about a device is kept: it names no device, or one of the user's own.
export function isOwn(url, names) {
  const device = new URL(url).searchParams.get("device");
  return device === null || names.includes(device);
}

// Whether a kept answer may still be shown. `at`: when it was kept, as the header says.
export const isFresh = (at, now) => {
  const age = now - Number(at);
  return age >= 0 && age <= LONGEST;
};
