// Charts as SVG text. Each chart has a table with the same figures.

const escaped = (text) => String(text).replace(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign]);
const number = (value, digits = 0) =>
  value == null ? "–" : value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
const short = (value) => (value == null ? "–" : value >= 99.95 ? number(value) : value >= 1 ? number(value, 1) : number(value, 2));
const clock = (seconds) => {
  const whole = Math.max(0, Math.round(seconds));
  return [Math.floor(whole / 3600), Math.floor(whole / 60) % 60].map((part) => String(part).padStart(2, "0")).join(":");
};

// The policy "adaptive" has the main colour. The others have colours in the order of the runs.
let colors = [];
function nameColors(policies) {
  const own = policies.findIndex((policy) => policy.name === "adaptive");
  let next = 1;
  colors = policies.map((_, index) => (index === Math.max(0, own) ? 0 : next++ % 10));
}
const colorName = (policy) => `--p${colors[policy] ?? 9}`;
const color = (policy) => `var(${colorName(policy)})`;

function table(heads, rows, label) {
  const head = heads.map((text) => `<th scope="col">${escaped(text)}</th>`).join("");
  const body = rows.map((row) => `<tr>${row.map((cell, index) => (index ? `<td>${cell}</td>` : `<th scope="row">${cell}</th>`)).join("")}</tr>`).join("");
  return `<details><summary>${escaped(label)} as a table</summary><div><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div></details>`;
}

// A logarithmic axis between two numbers above 0, with marks at 1, 2 and 5 times the powers of ten, or only at the powers if there
// is little space.
function logAxis(low, high, from, to) {
  const a = Math.log10(low);
  const b = Math.max(Math.log10(high), a + 1e-6);
  const at = (value) => from + ((Math.log10(Math.max(value, low)) - a) / (b - a)) * (to - from);
  const marks = [];
  const steps = Math.abs(to - from) / (b - a) < 160 ? [1] : [1, 2, 5];
  for (let power = Math.floor(a); power <= Math.ceil(b); power += 1) {
    for (const step of steps) {
      const value = step * 10 ** power;
      if (value >= low * 0.999 && value <= high * 1.001) marks.push(value);
    }
  }
  return { at, marks };
}

// Rounds up or down to 1, 2 or 5 times a power of ten.
const round = (value, up) => {
  const power = 10 ** Math.floor(Math.log10(value));
  const steps = up ? [1, 2, 5, 10] : [5, 2, 1];
  const found = steps.find((step) => (up ? step * power >= value * 0.999 : step * power <= value * 1.001));
  return (found ?? 1) * power;
};

function niceMarks(high, count) {
  const step = round(Math.max(high, 1e-9) / count, true);
  const marks = [];
  for (let value = 0; value < high + step * 0.999; value += step) marks.push(value);
  return marks;
}

// Energy against error, with the Pareto front.
function frontChart(box, policies, kind) {
  const shown = policies.map((policy, index) => ({ ...policy, index, error: policy[kind] })).filter((policy) => policy.error > 0 && policy.energy > 0);
  if (!shown.length) {
    box.innerHTML = '<p class="none">No policy has an error: nobody was on the way, or nothing was recorded.</p>';
    return;
  }
  const width = box.clientWidth || 500;
  const height = Math.max(300, Math.min(360, width * 0.64));
  const [left, right, top, bottom] = [54, width - 18, 26, height - 46];
  const energies = shown.map((policy) => policy.energy);
  const errors = shown.map((policy) => policy.error);
  const x = logAxis(round(Math.min(...energies) / 1.4, false), round(Math.max(...energies) * 1.4, true), left, right);
  const y = logAxis(round(Math.min(...errors) / 1.4, false), round(Math.max(...errors) * 1.4, true), bottom, top);
  let svg = "";
  for (const mark of x.marks) svg += `<line class="grid" x1="${x.at(mark)}" x2="${x.at(mark)}" y1="${top}" y2="${bottom}"/><text x="${x.at(mark)}" y="${bottom + 18}" text-anchor="middle">${number(mark)}</text>`;
  for (const mark of y.marks) svg += `<line class="grid" x1="${left}" x2="${right}" y1="${y.at(mark)}" y2="${y.at(mark)}"/><text x="${left - 8}" y="${y.at(mark) + 4}" text-anchor="end">${mark < 1 ? mark : number(mark)}</text>`;
  svg += `<text x="${right}" y="${height - 8}" text-anchor="end">energy, mWh a day →</text><text x="${left - 46}" y="${top - 15}">↑ error, m</text>`;
  const front = shown.filter((policy) => (kind === "median" ? policy.onMedianFront : policy.onPercentile95Front)).sort((a, b) => a.energy - b.energy);
  if (front.length) {
    let line = `M${x.at(front[0].energy)} ${top}`;
    for (const [index, policy] of front.entries()) {
      if (index) line += `H${x.at(policy.energy)}`;
      line += `V${y.at(policy.error)}`;
    }
    line += `H${right}`;
    svg += `<path d="${line}V${top}Z" style="fill:var(--tint);stroke:none"/><path d="${line}" style="fill:none;stroke:var(--track);stroke-width:1.5;stroke-dasharray:5 4"/>`;
  }
  const taken = [];
  for (const policy of shown) {
    const [cx, cy] = [x.at(policy.energy), y.at(policy.error)];
    const isFront = front.includes(policy);
    const atRight = cx < width * 0.62;
    let ty = cy + (policy === front[0] || cy < top + 30 ? 20 : -10);
    while (taken.some((other) => Math.abs(other.y - ty) < 15 && Math.abs(other.x - cx) < 130)) ty += 16;
    taken.push({ x: cx, y: ty });
    svg += `<circle cx="${cx}" cy="${cy}" r="${isFront ? 7.5 : 6}" style="fill:${isFront ? color(policy.index) : "var(--solid)"};stroke:${color(policy.index)};stroke-width:2.5"><title>${escaped(policy.name)}: ${short(policy.energy)} mWh a day, ${short(policy.error)} m</title></circle>`;
    svg += `<text class="name" x="${cx + (atRight ? 12 : -12)}" y="${ty}" text-anchor="${atRight ? "start" : "end"}">${escaped(policy.name)}</text>`;
  }
  const rows = shown.map((policy) => [escaped(policy.name), short(policy.energy), short(policy.error), front.includes(policy) ? "yes" : "no"]);
  box.innerHTML = `<svg viewBox="0 0 ${width} ${height}" height="${height}" role="img" aria-label="Energy a day against the error of ${shown.length} policies, both logarithmic">${svg}</svg>`
    + table(["Policy", "mWh a day", "Error, m", "Pareto-optimal"], rows, "Energy and error");
}

// Fraction of the seconds with at most a given error.
function errorChart(box, policies) {
  const shown = policies.map((policy, index) => ({ ...policy, index })).filter((policy) => policy.percentiles.length > 1);
  if (!shown.length) {
    box.innerHTML = '<p class="none">There is no error to show.</p>';
    return;
  }
  const width = box.clientWidth || 500;
  const height = Math.max(280, Math.min(336, width * 0.6));
  const [left, right, top, bottom] = [46, width - 14, 12, height - 46];
  const all = shown.flatMap((policy) => policy.percentiles);
  const low = Math.max(1, round(Math.max(1, Math.min(...shown.map((policy) => policy.percentiles[5] ?? 1))), false));
  const x = logAxis(low, Math.max(low * 10, round(Math.max(...all), true)), left, right);
  const y = (share) => bottom - share * (bottom - top);
  let svg = "";
  for (const mark of x.marks) svg += `<line class="grid" x1="${x.at(mark)}" x2="${x.at(mark)}" y1="${top}" y2="${bottom}"/><text x="${x.at(mark)}" y="${bottom + 18}" text-anchor="middle">${mark >= 1000 ? `${number(mark / 1000)} km` : number(mark)}</text>`;
  for (const share of [0, 0.25, 0.5, 0.75, 1]) svg += `<line class="grid" x1="${left}" x2="${right}" y1="${y(share)}" y2="${y(share)}"/><text x="${left - 8}" y="${y(share) + 4}" text-anchor="end">${share * 100} %</text>`;
  svg += `<line class="mark" x1="${left}" x2="${right}" y1="${y(0.95)}" y2="${y(0.95)}"/><text x="${right}" y="${y(0.95) + 14}" text-anchor="end">95 %</text>`;
  svg += `<text x="${right}" y="${height - 8}" text-anchor="end">at most so many metres off →</text>`;
  for (const policy of shown) {
    const line = policy.percentiles.map((error, part) => `${x.at(error).toFixed(1)} ${y(part / 100).toFixed(1)}`).join("L");
    svg += `<path d="M${line}" style="fill:none;stroke:${color(policy.index)};stroke-width:2.5;stroke-linejoin:round"><title>${escaped(policy.name)}</title></path>`;
    for (const part of [50, 95]) if (policy.percentiles[part] != null) svg += `<circle cx="${x.at(policy.percentiles[part])}" cy="${y(part / 100)}" r="3.5" style="fill:var(--solid);stroke:${color(policy.index)};stroke-width:2"/>`;
  }
  const key = shown.map((policy) => `<span><i style="background:${color(policy.index)}"></i>${escaped(policy.name)}</span>`).join("");
  const parts = [10, 25, 50, 75, 90, 95, 99, 100];
  const rows = shown.map((policy) => [escaped(policy.name), ...parts.map((part) => short(policy.percentiles[part]))]);
  box.innerHTML = `<div class="key">${key}</div><svg viewBox="0 0 ${width} ${height}" height="${height}" role="img" aria-label="Share of seconds on the way by error, logarithmic">${svg}</svg>`
    + table(["Metres at", ...parts.map((part) => `${part} %`)], rows, "Errors");
}

// Joules of a part, or the battery level, at a time, interpolated between samples.
function sampleAt(samples, seconds, column) {
  let low = 0;
  let high = samples.length - 1;
  if (high < 0) return null;
  if (seconds <= samples[0][0]) return samples[0][column];
  if (seconds >= samples[high][0]) return samples[high][column];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (samples[middle][0] <= seconds) low = middle;
    else high = middle;
  }
  const [a, b] = [samples[low], samples[high]];
  return a[column] + ((b[column] - a[column]) * (seconds - a[0])) / Math.max(1e-9, b[0] - a[0]);
}

// Milliwatts of each part in each interval of the day.
function hourly(run, length, parts) {
  const hours = [];
  const step = length > 3 * 86400 ? 21600 : length > 4 * 3600 ? 3600 : 600;
  for (let start = 0; start < length; start += step) {
    const end = Math.min(length, start + step);
    hours.push({ start, end, power: parts.map((part) => ((sampleAt(run.samples, end, part + 2) - sampleAt(run.samples, start, part + 2)) / (end - start)) * 1000) });
  }
  return hours;
}

function hoursChart(box, keyBox, day, data, shown, withStandby, isOneScale) {
  const runs = day.runs.filter((run) => shown.has(run.policy) && run.samples.length > 1);
  const used = data.parts.map((_, part) => part).filter((part) => (withStandby || part !== data.standby) && runs.some((run) => run.samples[run.samples.length - 1][part + 2] > 0));
  keyBox.className = "key";
  keyBox.innerHTML = used.map((part) => `<span><i style="background:var(--e${part})"></i>${escaped(data.parts[part])}</span>`).join("");
  if (!runs.length) {
    box.innerHTML = '<p class="none">No policy is shown.</p>';
    return;
  }
  const series = runs.map((run) => ({ run, hours: hourly(run, day.length, used) }));
  const peak = (hours) => Math.max(1, ...hours.map((hour) => hour.power.reduce((a, b) => a + b, 0)));
  const most = Math.max(...series.map(({ hours }) => peak(hours)));
  const columns = Math.max(1, Math.min(runs.length, Math.floor((box.clientWidth + 26) / 326)));
  const width = Math.max(240, (box.clientWidth - 26 * (columns - 1)) / columns);
  const height = 210;
  const [left, right, top, bottom] = [42, width - 2, 8, height - 24];
  const x = (seconds) => left + (seconds / day.length) * (right - left);
  const ticks = day.length > 3 * 86400 ? 86400 : day.length > 12 * 3600 ? 6 * 3600 : day.length > 4 * 3600 ? 3600 : 1800;
  box.innerHTML = series.map(({ run, hours }) => {
    const marks = niceMarks(isOneScale ? most : peak(hours), 4);
    const y = (power) => bottom - (power / marks[marks.length - 1]) * (bottom - top);
    let svg = "";
    for (const mark of marks) svg += `<line class="grid" x1="${left}" x2="${right}" y1="${y(mark)}" y2="${y(mark)}"/><text x="${left - 7}" y="${y(mark) + 4}" text-anchor="end">${number(mark)}</text>`;
    for (const hour of hours) {
      let sum = 0;
      const title = `${clock(hour.start)}–${clock(hour.end)}: ${hour.power.map((power, index) => [power, index]).filter(([power]) => power >= 0.05).reverse().map(([power, index]) => `${data.parts[used[index]]} ${short(power)} mW`).join(", ")}`;
      const gap = Math.min(2, (x(hour.end) - x(hour.start)) * 0.15);
      let bars = "";
      hour.power.forEach((power, index) => {
        if (power <= 0) return;
        bars += `<rect x="${(x(hour.start) + gap / 2).toFixed(1)}" width="${(x(hour.end) - x(hour.start) - gap).toFixed(1)}" y="${y(sum + power).toFixed(2)}" height="${(y(sum) - y(sum + power)).toFixed(2)}" style="fill:var(--e${used[index]})"/>`;
        sum += power;
      });
      svg += `<g>${bars}<rect x="${x(hour.start)}" width="${x(hour.end) - x(hour.start)}" y="${top}" height="${bottom - top}" fill="transparent"><title>${escaped(title)}</title></rect></g>`;
    }
    for (let tick = 0; tick <= day.length + 1; tick += ticks) svg += `<text x="${x(tick)}" y="${height - 6}" text-anchor="${tick === 0 ? "start" : tick + ticks > day.length + 1 ? "end" : "middle"}">${clock(tick)}</text>`;
    const name = data.policies[run.policy].name;
    const own = hours.reduce((sum, hour) => sum + (hour.power.reduce((a, b) => a + b, 0) * (hour.end - hour.start)) / 3600, 0);
    return `<figure><figcaption><i class="dot" style="--own:${color(run.policy)}"></i>${escaped(name)}<span class="note">${short(own)} mWh</span></figcaption><svg viewBox="0 0 ${width} ${height}" height="${height}" role="img" aria-label="Power of ${escaped(name)} over the hours, in milliwatts, by part">${svg}</svg></figure>`;
  }).join("") + table(
    ["Hour", ...series.map(({ run }) => `${data.policies[run.policy].name}, mW`)],
    series[0].hours.map((hour, index) => [`${clock(hour.start)}–${clock(hour.end)}`, ...series.map(({ hours }) => short(hours[index].power.reduce((a, b) => a + b, 0)))]), "Energy over the hours");
}

function batteryChart(box, day, data, shown) {
  const runs = day.runs.filter((run) => shown.has(run.policy) && run.samples.length > 1);
  if (!runs.length) {
    box.innerHTML = '<p class="none">No policy is shown.</p>';
    return;
  }
  const width = box.clientWidth || 500;
  const height = 286;
  const lowest = Math.min(...runs.flatMap((run) => run.samples.map((sample) => sample[1])));
  const low = Math.max(0, Math.floor((lowest - 0.02) * 10) / 10);
  const widest = Math.max(...runs.map((run) => data.policies[run.policy].name.length));
  const [left, right, top, bottom] = [46, width - Math.min(width * 0.38, 22 + Math.max(7, widest) * 7.4), 10, height - 26];
  const x = (seconds) => left + (seconds / day.length) * (right - left);
  const y = (level) => bottom - ((level - low) / Math.max(1e-9, 1 - low)) * (bottom - top);
  let svg = "";
  const step = 1 - low > 0.5 ? 0.2 : 1 - low > 0.2 ? 0.1 : 0.05;
  for (let level = 1; level >= low - 1e-9; level -= step) svg += `<line class="grid" x1="${left}" x2="${right}" y1="${y(level)}" y2="${y(level)}"/><text x="${left - 8}" y="${y(level) + 4}" text-anchor="end">${Math.round(level * 100)} %</text>`;
  const ticks = day.length > 3 * 86400 ? 86400 : day.length > 12 * 3600 ? 6 * 3600 : day.length > 4 * 3600 ? 3600 : 1800;
  for (let tick = 0; tick <= day.length + 1; tick += ticks) svg += `<text x="${x(tick)}" y="${height - 6}" text-anchor="${tick === 0 ? "start" : tick + ticks > day.length + 1 ? "end" : "middle"}">${clock(tick)}</text>`;
  for (const run of runs) {
    const line = run.samples.map((sample) => `${x(sample[0]).toFixed(1)} ${y(sample[1]).toFixed(1)}`).join("L");
    svg += `<path d="M${line}" style="fill:none;stroke:${color(run.policy)};stroke-width:2.5;stroke-linejoin:round"><title>${escaped(data.policies[run.policy].name)}</title></path>`;
  }
  // Names at the ends of the lines, moved apart where they would overlap.
  const ends = runs.map((run) => ({ run, at: y(run.samples[run.samples.length - 1][1]) })).sort((a, b) => a.at - b.at);
  ends.forEach((end, index) => { end.at = Math.max(end.at, index ? ends[index - 1].at + 32 : top + 6); });
  const over = ends.length ? ends[ends.length - 1].at + 16 - bottom : 0;
  for (const { run, at } of ends) {
    const level = number(run.samples[run.samples.length - 1][1] * 100, 1);
    svg += `<text class="name" x="${right + 9}" y="${at + 2 - Math.max(0, over)}" style="fill:${color(run.policy)}">${escaped(data.policies[run.policy].name)}</text><text x="${right + 9}" y="${at + 16 - Math.max(0, over)}">${level} %</text>`;
  }
  const times = [];
  for (let time = 0; time <= day.length + 1; time += day.length / 12) times.push(time);
  const rows = times.map((time) => [clock(time), ...runs.map((run) => `${number(sampleAt(run.samples, time, 1) * 100, 1)} %`)]);
  box.innerHTML = `<svg viewBox="0 0 ${width} ${height}" height="${height}" role="img" aria-label="How full the battery is over the day, for each policy">${svg}</svg>`
    + table(["Time", ...runs.map((run) => data.policies[run.policy].name)], rows, "Battery");
}
