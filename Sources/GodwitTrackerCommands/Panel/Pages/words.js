// Formats of numbers and times.

const two = (number) => String(number).padStart(2, "0");

// A duration in milliseconds: "12 s", "3 min", "2 h 05 min", "4 days".
export function span(milliseconds) {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ${two(Math.floor((seconds % 3600) / 60))} min`;
  const days = Math.floor(seconds / 86400);
  return days === 1 ? "1 day" : `${days} days`;
}

export const ago = (milliseconds) => `${span(milliseconds)} ago`;

// A duration in milliseconds as a stopwatch: "0:07", "12:30", "1:02:03".
export function stopwatch(milliseconds) {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), seconds % 60];
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

// A duration in minutes.
export function minutes(count) {
  if (count < 60) return `${count} min`;
  return count % 60 === 0 ? `${count / 60} h` : `${Math.floor(count / 60)} h ${two(count % 60)} min`;
}

// Kilometres per hour, with one decimal below 10.
export const speed = (metersPerSecond) =>
  metersPerSecond == null ? "–" : (metersPerSecond * 3.6).toFixed(metersPerSecond < 2.75 ? 1 : 0);

export const meters = (value) => (value == null ? "–" : `${Math.round(value)} m`);

export const distance = (value) =>
  value < 1000 ? `${Math.round(value)} m` : `${(value / 1000).toFixed(value < 1e5 ? 2 : 0)} km`;

const winds = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"];
export const course = (degrees) =>
  degrees == null ? "–" : `${winds[Math.round(degrees / 45) % 8]} ${Math.round(degrees) % 360}°`;

export const coordinate = (latitude, longitude) =>
  `${Math.abs(latitude).toFixed(5)}° ${latitude < 0 ? "S" : "N"}  ${Math.abs(longitude).toFixed(5)}° ${longitude < 0 ? "W" : "E"}`;

export const time = (milliseconds) =>
  new Date(milliseconds).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });

export const day = (milliseconds) =>
  new Date(milliseconds).toLocaleDateString([], { year: "numeric", month: "short", day: "numeric" });

export const count = (number, one, many = `${one}s`) => `${number.toLocaleString()} ${number === 1 ? one : many}`;
