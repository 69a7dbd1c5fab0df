// The page: the state of the controls, and the drawing of each part.

const data = JSON.parse(document.getElementById("data").textContent);
const element = (id) => document.getElementById(id);
const state = { error: "median", day: 0, hidden: new Set(), time: 0 };

nameColors(data.policies);
for (const dot of document.querySelectorAll("[data-policy]")) dot.style.setProperty("--own", color(Number(dot.dataset.policy)));

const map = new TrackMap(element("map"), (policy, point) => {
  const accuracy = point.accuracy >= 0 ? `, reported accuracy ${number(point.accuracy)} m` : "";
  return `<b>${escaped(data.policies[policy].name)}, ${clock(point.time)}</b>${number(point.error)} m off${accuracy}`;
});

const days = data.days.map((day) => ({
  ...day,
  truth: unpacked(day.truth, 3),
  runs: day.runs.map((run) => ({ ...run, points: unpacked(run.track, 5) })),
}));

const shown = () => new Set(days[state.day].runs.map((run) => run.policy).filter((policy) => !state.hidden.has(policy)));

function drawOverview() {
  frontChart(element("front"), data.policies, state.error);
  errorChart(element("errors"), data.policies);
}

function drawCharts() {
  const day = days[state.day];
  hoursChart(element("hours"), element("parts"), day, data, shown(), element("standby").checked, element("scale").checked);
  batteryChart(element("battery"), day, data, shown());
}

function drawMap(isNew) {
  const day = days[state.day];
  const runs = day.runs.filter((run) => shown().has(run.policy));
  // The track with the most points is drawn first, so that the others stay visible.
  const tracks = runs.map((run) => ({ policy: run.policy, points: run.points })).sort((a, b) => b.points.length - a.points.length);
  const place = (policy, order) => ([, , latitude, longitude]) => ({ latitude: latitude / 1e6, longitude: longitude / 1e6, policy, order });
  const stays = [...day.stays.map(place(null, 0)), ...runs.flatMap((run, order) => run.stays.map(place(run.policy, order)))];
  map.show(day.truth, tracks, stays, data.radius, isNew);
  drawTime();
}

// Returns the last point that is not later than a time; undefined before the first.
function pointAt(points, time) {
  let low = -1;
  let high = points.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (points[middle].time <= time) low = middle;
    else high = middle;
  }
  return points[low];
}

function drawTime() {
  const day = days[state.day];
  element("clock").textContent = clock(state.time);
  element("time").setAttribute("aria-valuetext", clock(state.time));
  const runs = day.runs.filter((run) => shown().has(run.policy));
  const marks = [];
  element("at-time").innerHTML = runs.map((run) => {
    const point = pointAt(run.points, state.time);
    const name = `<i class="dot" style="--own:${color(run.policy)}"></i><b>${escaped(data.policies[run.policy].name)}</b>`;
    if (!point) return `<li>${name}<span>no position yet</span></li>`;
    marks.push({ policy: run.policy, point });
    const accuracy = point.accuracy >= 0 ? `, accuracy ${number(point.accuracy)} m` : "";
    return `<li>${name}<span>${clock(point.time)}, ${number(point.error)} m off${accuracy}</span></li>`;
  }).join("");
  map.marks = marks;
  map.draw();
}

function drawFigures() {
  const percent = (value, digits = 1) => (value == null ? "–" : `${number(value * 100, digits)} %`);
  const meters = (value) => (value == null ? "–" : `${short(value)} m`);
  const heads = ["Policy", "mWh a day", "Median", "95 %", "Covered", "Stays", "Length", "Points"];
  const rows = days[state.day].runs.map((run) => {
    const { energy, track, stays, distance, traffic } = run.measures;
    const name = `<th scope="row"><i class="dot" style="--own:${color(run.policy)}"></i>${escaped(data.policies[run.policy].name)}</th>`;
    const length = distance.difference == null ? "–" : `${distance.difference > 0 ? "+" : ""}${percent(distance.difference)}`;
    const found = stays.recall == null ? "–" : `${Math.round(stays.recall * stays.real)} of ${stays.real}`;
    const cells = [short(energy.milliwattHoursPerDay), meters(track.median), meters(track.percentile95), percent(track.covered), found, length, number(traffic.points)];
    return `<tr>${name}${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
  });
  element("figures").innerHTML = `<table><thead><tr>${heads.map((text) => `<th scope="col">${text}</th>`).join("")}</tr></thead><tbody>${rows.join("")}</tbody></table>`;
}

function drawLegend() {
  const truth = '<span class="truth">True way</span>';
  element("legend").innerHTML = truth + days[state.day].runs.map(({ policy }) =>
    `<label style="--own:${color(policy)}"><input type="checkbox" value="${policy}"${state.hidden.has(policy) ? "" : " checked"}/><i></i>${escaped(data.policies[policy].name)}</label>`).join("");
}

function choose(index) {
  state.day = Math.max(0, Math.min(days.length - 1, index));
  const day = days[state.day];
  element("day").value = String(state.day);
  element("previous").disabled = state.day === 0;
  element("next").disabled = state.day === days.length - 1;
  const kilometers = day.runs[0].measures.distance.truth / 1000;
  const minutes = day.runs[0].measures.track.movingSeconds / 60;
  element("day-note").textContent = `${number(kilometers, 1)} km, ${day.stays.length} stays, ${number(minutes)} min recorded while moving; 00:00 is ${day.start.replace("T", " ").replace(/:\d\d(\.\d+)?Z$/, "")} UTC`;
  element("time").max = String(day.length);
  // The slider starts at the middle of the path, because the phone is usually at rest at midnight.
  const middle = day.truth[day.truth.length >> 1]?.time ?? 0;
  state.time = Math.round(middle / 60) * 60;
  element("time").value = String(state.time);
  drawLegend();
  drawMap(true);
  drawCharts();
  drawFigures();
}

if (data.policies.length) drawOverview();
if (days.length) {
  element("day").innerHTML = days.map((day, index) => `<option value="${index}">${escaped([day.route, day.day, day.note].filter(Boolean).join(" · "))}</option>`).join("");
  element("day").addEventListener("change", (event) => choose(Number(event.target.value)));
  element("previous").addEventListener("click", () => choose(state.day - 1));
  element("next").addEventListener("click", () => choose(state.day + 1));
  element("legend").addEventListener("change", (event) => {
    const policy = Number(event.target.value);
    if (event.target.checked) state.hidden.delete(policy);
    else state.hidden.add(policy);
    drawMap(false);
    drawCharts();
  });
  for (const id of ["standby", "scale"]) element(id).addEventListener("change", drawCharts);
  element("time").addEventListener("input", (event) => {
    state.time = Number(event.target.value);
    drawTime();
  });
  choose(0);
} else {
  element("days").hidden = true;
  document.querySelector('nav a[href="#days"]').hidden = true;
  if (!data.policies.length) element("overview").hidden = true;
}

for (const button of document.querySelectorAll("[data-error]")) {
  button.addEventListener("click", () => {
    state.error = button.dataset.error;
    for (const other of document.querySelectorAll("[data-error]")) other.setAttribute("aria-pressed", String(other === button));
    frontChart(element("front"), data.policies, state.error);
  });
}

let width = window.innerWidth;
window.addEventListener("resize", () => {
  if (window.innerWidth === width) return;
  width = window.innerWidth;
  if (data.policies.length) drawOverview();
  if (days.length) drawCharts();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => map.draw());
document.documentElement.dataset.ready = "yes";
