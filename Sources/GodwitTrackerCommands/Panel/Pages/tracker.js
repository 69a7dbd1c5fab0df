// The Tracker screen: state, position, queue and trip.

import { icon } from "/icons.js";
import { post, put } from "/link.js";
import * as words from "/words.js";

const element = (id) => document.getElementById(id);

// Writes only changed text, so that screen readers announce changes only.
function write(id, text) {
  const node = element(id);
  if (node.textContent !== text) node.textContent = text;
}

function make(tag, text, className) {
  const node = document.createElement(tag);
  if (text != null) node.textContent = text;
  if (className) node.className = className;
  return node;
}

// Age in milliseconds from which a speed counts as old.
const OLD = 120000;
// Number of modes that are shown before "more" is selected.
const FEW = 5;

export class TrackerScreen {
  constructor(now, say) {
    this.now = now;
    this.say = say;
    this.status = null;
    // A selection that is not confirmed yet. A status that arrives meanwhile must not reset it.
    this.choosing = false;
    this.showsAllModes = false;
    element("tracking").addEventListener("change", (event) =>
      this.command(event.target, () => post("/api/v1/tracking", { on: event.target.checked })));
    element("trip-button").addEventListener("click", (event) =>
      this.command(event.currentTarget, () =>
        this.status.trip ? post("/api/v1/trip/stop") : post("/api/v1/trip/start", { mode: this.mode() })));
    element("send").addEventListener("click", (event) => this.command(event.currentTarget, () => post("/api/v1/send")));
    element("copy").addEventListener("click", () => this.copy());
    this.makeSlider();
  }

  // Sends a command; its control is disabled until the response.
  async command(control, perform) {
    control.disabled = true;
    try {
      const status = await perform();
      this.show(status);
    } catch (error) {
      this.say(error.message, true);
      if (this.status) this.show(this.status);
    } finally {
      control.disabled = false;
      // A disabled control loses the focus. The focus is restored unless another control has it.
      if (document.activeElement === document.body) control.focus({ preventScroll: true });
    }
  }

  async set(name, value) {
    this.choosing = true;
    try {
      const answer = await put("/api/v1/settings", { [name]: value });
      if (answer.note) this.say(answer.note, true);
      this.status[name === "trip_mode" ? "trip_mode" : "send_interval"] = value;
    } catch (error) {
      this.say(error.answer?.problems?.[0]?.detail ?? error.message, true);
    } finally {
      this.choosing = false;
      this.show(this.status);
    }
  }

  // MARK: Showing

  show(status) {
    if (!status?.now) return;
    this.status = status;
    const { summary, fix } = status;
    element("summary").dataset.level = summary.level;
    write("summary-title", summary.title);
    if (fix?.time !== this.fixTime) for (const animation of element("summary").getAnimations({ subtree: true })) animation.play();
    this.fixTime = fix?.time;
    const tracking = element("tracking");
    if (!tracking.disabled) tracking.checked = status.is_tracking;

    write("speed", words.speed(fix?.speed));
    write("accuracy", fix?.accuracy == null ? "–" : `± ${words.meters(fix.accuracy)}`);
    write("altitude", words.meters(fix?.altitude));
    write("course", words.course(fix?.course));
    write("permission", status.permission);
    element("permission").title = status.permission === status.wanted_permission ? "" : `Requested: ${status.wanted_permission}`;
    write("coordinate", fix ? words.coordinate(fix.latitude, fix.longitude) : "No position yet");
    write("place", status.place ?? "");
    write("regions", status.regions.length ? `In ${status.regions.join(", ")}` : "");
    element("copy").hidden = !fix;

    this.showAlerts(status);
    this.showTrip(status);
    this.showSending(status);
    this.tick();
  }

  moving(fix) {
    if (fix?.speed == null) return "activity unknown";
    return fix.speed < 0.5 ? "standing" : "moving";
  }

  showAlerts(status) {
    const text = JSON.stringify(status.alerts);
    if (text === this.alerts) return;
    this.alerts = text;
    element("alerts").replaceChildren(...status.alerts.map((alert) => make("li",
      alert.time ? `${alert.text} ${words.day(Date.parse(alert.time))}, ${words.time(Date.parse(alert.time))}.` : alert.text)));
    element("alerts").hidden = status.alerts.length === 0;
  }

  // Updates the values that change with time.
  tick() {
    const { status } = this;
    if (!status) return;
    const now = this.now();
    const { summary, fix, trip } = status;
    const since = summary.since && Date.parse(summary.since);
    write("summary-detail", since ? `${summary.detail} Since ${words.time(since)} (${words.span(now - since)}).` : summary.detail);
    if (fix) {
      const measured = Date.parse(fix.time);
      const came = fix.received ? Date.parse(fix.received) : measured;
      const isOld = !status.is_tracking || now - came > OLD;
      write("age", words.span(now - came));
      write("activity", isOld ? "last known" : status.activity.join(", ") || this.moving(fix));
      document.querySelector(".speed").classList.toggle("old", isOld);
      // The fixes of a replay arrive now but were measured earlier.
      element("age").title = Math.abs(came - measured) > 60000 ? `Measured ${words.day(measured)}, ${words.time(measured)}` : "";
    }
    write("duration", trip ? words.stopwatch(now - Date.parse(trip.start)) : "–");
    write("sent", status.last_sent ? words.ago(now - Date.parse(status.last_sent)) : "–");
    write("next", this.next(status.endpoints, now));
    for (const [index, endpoint] of status.endpoints.entries()) {
      const line = element("endpoints").children[index]?.querySelector(".when");
      const text = this.when(endpoint, now);
      if (line && line.textContent !== text) line.textContent = text;
    }
  }

  next(endpoints, now) {
    if (endpoints.some((each) => each.is_sending)) return "now";
    const times = endpoints.map((each) => each.next_send).filter(Boolean).map(Date.parse);
    if (times.length) return `in ${words.span(Math.min(...times) - now)}`;
    if (this.status.waiting === 0) return "all sent";
    return "manual";
  }

  when(endpoint, now) {
    const parts = [endpoint.waiting === 0 ? "all sent" : `${endpoint.waiting.toLocaleString()} queued`];
    parts.push(endpoint.last_sent ? `sent ${words.ago(now - Date.parse(endpoint.last_sent))}` : "never sent");
    if (endpoint.is_sending) parts.push("sending now");
    else if (endpoint.next_send) parts.push(`${endpoint.problem ? "again" : "next"} in ${words.span(Date.parse(endpoint.next_send) - now)}`);
    return parts.join(" · ");
  }

  async copy() {
    const { latitude, longitude } = this.status.fix;
    const text = `${latitude},${longitude}`;
    try {
      await navigator.clipboard.writeText(text);
      this.say("Copied.");
    } catch {
      // Browsers permit access to the clipboard only on pages with TLS.
      this.say(text);
    }
  }

  // MARK: The trip

  mode() {
    return document.querySelector("#modes input:checked")?.value ?? this.status.trip_mode;
  }

  showTrip(status) {
    const { trip } = status;
    const button = element("trip-button");
    const isOver = trip?.is_ending;
    write("trip-button", isOver ? "Ending …" : trip ? "Stop trip" : "Start trip");
    button.classList.toggle("stop", Boolean(trip));
    button.setAttribute("aria-disabled", String(Boolean(isOver)));
    write("trip-state", trip ? `Since ${words.time(Date.parse(trip.start))}` : "");
    write("distance", trip ? words.distance(trip.distance) : "–");
    element("trip").classList.toggle("going", Boolean(trip));
    if (this.choosing) return;
    const chosen = trip?.mode ?? status.trip_mode;
    this.makeModes(status.trip_modes, chosen);
    for (const input of document.querySelectorAll("#modes input")) input.checked = input.value === chosen;
    element("modes").disabled = Boolean(trip);
  }

  makeModes(modes, chosen) {
    let seen = this.showsAllModes ? modes : modes.slice(0, FEW);
    if (!seen.includes(chosen)) seen = [...seen.slice(0, FEW - 1), chosen];
    const key = JSON.stringify(seen);
    if (key === this.modesKey) return;
    this.modesKey = key;
    const box = document.querySelector("#modes .modes");
    const hadFocus = box.contains(document.activeElement);
    box.replaceChildren(...seen.map((mode) => {
      const label = make("label");
      const input = make("input");
      Object.assign(input, { type: "radio", name: "mode", value: mode });
      input.addEventListener("change", () => this.set("trip_mode", mode));
      label.append(input, icon(mode), make("span", mode));
      return label;
    }));
    const more = make("button", null, "more");
    more.append(icon("more"), make("span", this.showsAllModes ? "fewer" : "more"));
    more.type = "button";
    more.setAttribute("aria-expanded", String(this.showsAllModes));
    more.addEventListener("click", () => {
      this.showsAllModes = !this.showsAllModes;
      this.showTrip(this.status);
    });
    box.append(more);
    if (hadFocus) (this.showsAllModes || !seen.includes(chosen) ? box.querySelector(".more") : box.querySelector("input:checked") ?? more)?.focus();
  }

  // MARK: Sending

  showSending(status) {
    write("waiting", status.waiting.toLocaleString());
    const list = element("endpoints");
    while (list.children.length > status.endpoints.length) list.lastChild.remove();
    while (list.children.length < status.endpoints.length) {
      const item = make("li");
      item.append(make("i"), make("b"), make("span", "", "when"), make("p", "", "problem"));
      list.append(item);
    }
    status.endpoints.forEach((endpoint, index) => {
      const item = list.children[index];
      const [mark, name, , problem] = item.children;
      item.dataset.level = endpoint.problem ? "bad" : endpoint.held ? "warning" : endpoint.last_sent ? "good" : "quiet";
      mark.setAttribute("aria-hidden", "true");
      if (name.textContent !== endpoint.name) name.textContent = endpoint.name;
      const text = [endpoint.problem, endpoint.held].filter(Boolean).join(" ");
      if (problem.textContent !== text) problem.textContent = text;
      problem.hidden = !text;
    });
    this.showSlider(status);
  }

  makeSlider() {
    const slider = element("interval");
    slider.addEventListener("input", () => {
      this.choosing = true;
      this.sayInterval(this.status.send_intervals[slider.value]);
      clearTimeout(this.slideTimer);
      // Several changes in quick succession are sent as one.
      this.slideTimer = setTimeout(() => this.set("send_interval", this.status.send_intervals[slider.value].text), 500);
    });
  }

  sayInterval(stop) {
    const text = stop.text === "off" ? "Off: manual only" : `Every ${stop.label}`;
    write("interval-word", text);
    element("interval").setAttribute("aria-valuetext", text);
  }

  showSlider(status) {
    const slider = element("interval");
    const stops = status.send_intervals;
    if (this.choosing || stops.length === 0) return;
    const key = JSON.stringify(stops);
    if (key !== this.stopsKey) {
      this.stopsKey = key;
      slider.max = stops.length - 1;
      document.querySelector(".slider .ticks").replaceChildren(...stops.map((stop) => make("i", stop.text)));
    }
    const index = stops.findIndex((stop) => stop.text === status.send_interval);
    if (index < 0) return;
    slider.value = index;
    this.sayInterval(stops[index]);
  }
}
