// The coverage log: for each minute of the last day, the reason why there is a fix or none.

import { get } from "/link.js";
import * as words from "/words.js";

const element = (id) => document.getElementById(id);
const MINUTE = 60000;
const DAY = 1440;
const SVG = "http://www.w3.org/2000/svg";

function make(tag, text, className) {
  const node = document.createElement(tag);
  if (text != null) node.textContent = text;
  if (className) node.className = className;
  return node;
}

function draw(tag, attributes) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
}

export class Coverage {
  constructor(now) {
    this.now = now;
    this.model = null;
    this.isTracking = null;
    const strip = element("strip");
    strip.addEventListener("pointermove", (event) => this.point(event));
    strip.addEventListener("pointerdown", (event) => this.point(event));
    strip.addEventListener("pointerleave", () => (element("strip-words").textContent = "\u00a0"));
    new ResizeObserver(() => this.draw()).observe(strip);
  }

  // A change of the tracker's state ends a run of minutes, so the log is loaded again.
  follow(status) {
    if (this.summary !== undefined && this.summary !== status.summary.title) setTimeout(() => this.load(), 1000);
    this.summary = status.summary.title;
  }

  async load() {
    try {
      const model = await get("/api/v1/coverage");
      this.model = {
        from: Date.parse(model.from), to: Date.parse(model.to),
        reasons: new Map(model.reasons.map((reason) => [reason.name, reason])),
        lines: model.lines.map((line) => ({ ...line, start: Date.parse(line.start) })),
      };
      this.drawn = null;
      this.draw();
      this.describe();
    } catch {
      // The page shows the state of the connection elsewhere.
    }
  }

  // Draws the strip in rows, so that on a phone a minute is not thinner than a line.
  draw() {
    const strip = element("strip");
    const width = strip.clientWidth;
    if (!this.model || width === 0) return;
    const rows = width < 520 ? 4 : 2;
    if (this.drawn === rows) return;
    this.drawn = rows;
    this.rows = rows;
    const length = DAY / rows;
    strip.replaceChildren();
    for (let row = 0; row < rows; row++) strip.append(this.row(row, length));
  }

  row(row, length) {
    const { from, lines } = this.model;
    const begin = row * length;
    const box = make("div", null, "row");
    const svg = draw("svg", { viewBox: `0 0 ${length} 20`, preserveAspectRatio: "none", "aria-hidden": "true" });
    for (const line of lines) {
      const x = Math.round((line.start - from) / MINUTE) - begin;
      const [left, right] = [Math.max(0, x), Math.min(length, x + line.minutes)];
      // A single minute must be visible.
      if (right > left) svg.append(draw("rect", { x: left, y: 0, width: Math.max(right - left, length / 360), height: 20, class: `r-${line.reason}` }));
    }
    const hours = draw("svg", { viewBox: `0 0 ${length} 1`, preserveAspectRatio: "none", "aria-hidden": "true", class: "hours" });
    box.append(svg, hours);
    const labels = make("div", null, "labels");
    const first = from + begin * MINUTE;
    const hour = new Date(first);
    hour.setMinutes(0, 0, 0);
    const step = length <= 360 ? 1 : 2;
    for (let time = hour.getTime(); time <= first + length * MINUTE; time += 60 * MINUTE) {
      const x = (time - first) / MINUTE;
      if (x < 0 || x > length) continue;
      hours.append(draw("path", { d: `M${x} 0V1`, "vector-effect": "non-scaling-stroke" }));
      const number = new Date(time).getHours();
      // A label at the end would overflow.
      if (number % step === 0 && x < length * 0.9) {
        const label = make("span", `${String(number).padStart(2, "0")}:00`);
        label.style.left = `${(x / length) * 100}%`;
        labels.append(label);
      }
    }
    box.append(labels);
    return box;
  }

  // MARK: Texts

  describe() {
    const { lines, reasons, from, to } = this.model;
    const totals = new Map();
    for (const line of lines) totals.set(line.reason, (totals.get(line.reason) ?? 0) + line.minutes);
    const known = [...totals.values()].reduce((sum, minutes) => sum + minutes, 0);
    const fixes = lines.reduce((sum, line) => sum + line.fixes, 0);
    element("coverage-sum").textContent = known === 0 ? "No data yet" : `${fixes.toLocaleString()} fixes`;
    const items = [...totals].sort((a, b) => b[1] - a[1]).map(([name, minutes]) => {
      const item = make("li");
      item.append(make("i", null, `r-${name}`), make("b", reasons.get(name)?.title ?? name), make("span", words.minutes(minutes)));
      item.title = reasons.get(name)?.sentence ?? "";
      return item;
    });
    const before = DAY - known;
    if (before > 0) {
      const item = make("li");
      item.append(make("i", null, "r-unknown"), make("b", "No data"), make("span", words.minutes(before)));
      item.title = "The tracker was not installed yet, or this minute is not over.";
      items.push(item);
    }
    element("legend").replaceChildren(...items);
    const list = [...lines].reverse().slice(0, 60).map((line) => {
      const item = make("li");
      const reason = reasons.get(line.reason);
      item.append(
        make("time", `${words.time(line.start)} – ${words.time(line.start + line.minutes * MINUTE)}`),
        make("i", null, `r-${line.reason}`), make("b", reason?.title ?? line.reason),
        make("span", line.fixes > 0 ? words.count(line.fixes, "fix", "fixes") : reason?.sentence ?? ""));
      return item;
    });
    element("runs").replaceChildren(...list);
    element("strip").setAttribute("aria-label",
      `From ${words.time(from)} to ${words.time(to)}: ` + (items.length ? items.map((item) => item.textContent).join(", ") : "nothing yet"));
  }

  point(event) {
    const box = event.target.closest?.(".row");
    if (!box || !this.model) return;
    const { from, lines, reasons } = this.model;
    const frame = box.getBoundingClientRect();
    const row = [...box.parentNode.children].indexOf(box);
    const length = DAY / this.rows;
    const part = Math.min(0.9999, Math.max(0, (event.clientX - frame.left) / frame.width));
    const time = from + Math.floor((row + part) * length) * MINUTE;
    const line = lines.find((each) => each.start <= time && time < each.start + each.minutes * MINUTE);
    const reason = line && reasons.get(line.reason);
    element("strip-words").textContent = reason
      ? `${words.time(line.start)} – ${words.time(line.start + line.minutes * MINUTE)}: ${reason.title}. ${line.fixes ? words.count(line.fixes, "fix", "fixes") + "." : reason.sentence}`
      : `${words.time(time)}: no data.`;
  }
}
