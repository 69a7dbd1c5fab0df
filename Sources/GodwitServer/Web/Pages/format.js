// Formats of numbers and times.

export const speed = (metersPerSecond) =>
  metersPerSecond == null ? "–" : (metersPerSecond * 3.6).toFixed(metersPerSecond < 2.75 ? 1 : 0);

// A number and its unit stay on one line.
const of = (number, unit) => `${number}\u00a0${unit}`;

// "1 point", "7,319 points".
export const count = (number, one, more = `${one}s`) => `${number.toLocaleString("en")}\u00a0${number === 1 ? one : more}`;

// The state of a live connection.
export const STATES = {
  connecting: "Connecting…", live: "Live", reconnecting: "Reconnecting…", offline: "Offline", still: "Paused", ended: "Ended", loading: "Loading…",
};

export const meters = (value) => (value == null ? "–" : of(Math.round(value), "m"));

export const distance = (value) =>
  value < 1000 ? of(Math.round(value), "m") : of(value < 1e5 ? (value / 1000).toFixed(1) : Math.round(value / 1000).toLocaleString("en"), "km");

export function duration(milliseconds) {
  const minutes = Math.round(milliseconds / 60000);
  const hours = Math.floor(minutes / 60);
  if (minutes < 60) return of(minutes, "min");
  if (hours < 48) return of(`${of(hours, "h")}\u00a0${String(minutes % 60).padStart(2, "0")}`, "min");
  const days = of(Math.floor(hours / 24), "days");
  return hours % 24 ? `${days}\u00a0${of(hours % 24, "h")}` : days;
}

export function age(milliseconds) {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ago`;
  if (seconds < 86400 * 60) return `${Math.floor(seconds / 86400)} days ago`;
  return null; // The caller shows the date.
}

export const time = (milliseconds) =>
  new Date(milliseconds).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit" });

export function day(milliseconds) {
  const date = new Date(milliseconds);
  const two = (number) => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

export function battery(level, state) {
  if (level == null) return "–";
  const sign = state === "charging" ? " ⚡" : state === "full" ? " ✓" : "";
  return `${Math.round(level * 100)} %${sign}`;
}

// Modes of transport, in the order in which they are shown.
export const MODES = {
  walk: "On foot", run: "Running", cycle: "Bicycle", car: "Car or bus", train: "Train", plane: "Plane", boat: "Boat",
  unknown: "Unknown",
};

// Degrees with as many parts as the distance between two lines needs.
export function degrees(value, step, isLatitude) {
  const side = isLatitude ? (value < 0 ? "S" : "N") : value < 0 ? "W" : "E";
  const seconds = Math.round(Math.abs(value) * 3600);
  const [d, m, s] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), seconds % 60];
  let text = `${d}°`;
  if (step < 1) text += `${String(m).padStart(2, "0")}′`;
  if (step < 1 / 60 - 1e-9) text += `${String(s).padStart(2, "0")}″`;
  return value === 0 ? text : text + side;
}

// The program that a User-Agent header names: "Firefox 140 on Android"; another program by its own name, "curl 8.5".
export function program(agent) {
  if (!agent) return "–";
  const browser = [
    [/Edg(?:A|iOS)?\/(\d+)/, "Edge"], [/OPR\/(\d+)/, "Opera"], [/SamsungBrowser\/(\d+)/, "Samsung Internet"],
    [/(?:Firefox|FxiOS)\/(\d+)/, "Firefox"], [/(?:Chrome|CriOS|Chromium)\/(\d+)/, "Chrome"],
    [/Version\/(\d+)[\d.]* .*Safari\//, "Safari"],
  ].map(([pattern, name]) => [agent.match(pattern), name]).find(([found]) => found);
  const system = [
    [/iPhone|iPad|iPod/, "iOS"], [/Android/, "Android"], [/Windows/, "Windows"], [/Mac OS X|Macintosh/, "macOS"],
    [/CrOS/, "ChromeOS"], [/Linux/, "Linux"],
  ].find(([pattern]) => pattern.test(agent))?.[1];
  if (browser) return `${browser[1]} ${browser[0][1]}${system ? ` on ${system}` : ""}`;
  const [, name, version] = agent.match(/^([^\s/(]+)(?:\/(\d+(?:\.\d+)?))?/) ?? [];
  return name ? `${name}${version ? ` ${version}` : ""}`.slice(0, 40) : agent.slice(0, 40);
}
