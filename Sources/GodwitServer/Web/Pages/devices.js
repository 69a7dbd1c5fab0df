// The page of devices: health, missing and rejected records, settings, and the setup of an app.

import { change, devices as allDevices, get, isSentToDoor, request, settings as serverSettings, stream, whenBack } from "/api.js";
import { addDays, dayOf, hoursOf, startOf } from "/days.js";
import { contactText, expectation, noContact, noticeText } from "/device-contact.js";
import { deviceMark, managePart } from "/device-manage.js";
import { DeviceMap } from "/device-map.js";
import { settingsPart, settingsWords } from "/device-settings.js";
import { setupPart } from "/device-setup.js";
import { action as button, element, form, make, named, part, searchable, table, toast, when } from "/elements.js";
import { encryptionPart } from "/encryption.js";
import { age, battery, byName, dayAndMonth, isolated, number, timeZone } from "/format.js";
import { ownTracksPart } from "/owntracks-part.js";
import { plural, t } from "/texts.js";

const ago = (text) => (text ? age(Date.now() - Date.parse(text)) ?? when(text) : t("never"));
const path = (name) => `/api/v1/devices/${encodeURIComponent(name)}`;

// A button that runs an action and then redraws the page.
const action = (text, label, run, options) => button(text, label, run, () => draw(), options);

// The kinds of periods in a device's activity.
const KINDS = { heard: t("received data"), paused: t("quiet (normal)"), long: t("overdue"), outage: t("server offline") };

// MARK: All devices

function rowOf(device, look) {
  const { contact, last } = device;
  const properties = last?.properties ?? {};
  const state = contact.origin === "off" ? "off" : contact.state;
  const title = { online: t("reporting"), offline: t("overdue"), never: last ? t("not reporting yet") : t("no data yet"), off: t("turned off") }[state];
  const mark = make("i", { className: `mark ${state}`, title });
  const name = make("span", {}, deviceMark(look), make("a", { className: "name", href: `#${encodeURIComponent(device.name)}` }, named(device.name)),
    make("small", {}, mark, title, device.owner ? [" · ", named(device.owner)] : []));
  const seen = make("span", { className: contact.state === "offline" ? "warn" : "" }, ago(device.last_contact),
    make("small", { textContent: contact.state === "never" ? noContact(last) : expectation(contact) }));
  const place = last
    ? make("span", {}, make("a", { href: `/?device=${encodeURIComponent(device.name)}`, textContent: ago(properties.timestamp) }),
      make("small", { textContent: `${last.geometry.coordinates[1].toFixed(4)}, ${last.geometry.coordinates[0].toFixed(4)}` }))
    : "–";
  return [name, seen, place, battery(properties.battery_level, properties.battery_state)];
}

// Server-side details of a device.
function detailsOf(device) {
  const { settings } = device;
  const count = (value, more) => (value ? make("span", { className: "warn" }, number(value), more ? make("small", { textContent: more }) : null) : "0");
  return [make("a", { href: `#${encodeURIComponent(device.name)}` }, named(device.name)),
    count(device.missing, device.gaps ? plural(device.gaps, "in {n} gap", "in {n} gaps") : ""),
    count(device.rejected, device.dropped ? t("{dropped} more not stored", { dropped: number(device.dropped) }) : ""), device.agent ? make("span", { className: "agent", title: device.agent, textContent: device.agent.match(/^[^(/]*(\/\S+)?/)[0].trim().slice(0, 24) }) : "–",
    settings ? settingsWords[settings.state] ?? settings.state : "–"];
}

async function drawList() {
  const [{ devices, outages }, all] = await Promise.all([get("/api/v1/device-health"), allDevices()]);
  const looks = new Map(all.map((device) => [device.name, device]));
  devices.sort((a, b) => Number(b.contact.state === "offline") - Number(a.contact.state === "offline") || byName(a.name, b.name));
  const silent = devices.filter(({ contact }) => contact.state === "offline").length;
  const isExpected = devices.some(({ contact }) => contact.state !== "never");
  const words = !devices.length ? null
    : !isExpected ? plural(devices.length, "{n} device", "{n} devices", { n: number(devices.length) })
    : silent ? plural(devices.length, "{n} device, {overdue} overdue.", "{n} devices, {overdue} overdue.", { n: number(devices.length), overdue: number(silent) })
      : plural(devices.length, "{n} device, all reporting as expected.", "{n} devices, all reporting as expected.", { n: number(devices.length) });
  const outage = outages.at(-1);
  const add = form([make("label", {}, t("Name"), make("input", { name: "name", placeholder: t("phone"), required: true }))], t("Create token"), async (made) => {
    await makeToken(made.elements.name.value.trim());
  });
  document.title = `${t("Devices")} – Godwit`;
  map.show(all).catch(isSentToDoor);
  return [
    make("h1", { className: "hidden", textContent: t("Devices") }),
    part(t("Devices"), words, searchable(table([t("Name"), t("Last contact"), t("Newest point"), t("Battery")], devices.map((device) => rowOf(device, looks.get(device.name))),
      t("No devices yet. Add your phone below: you scan a QR code with its tracking app.")), "devices"),
    outage ? make("p", { className: "none", textContent: t("The server was offline from {from} to {to}.", { from: when(outage.from), to: when(outage.to) }) }) : null,
    devices.length ? details(devices) : null),
    make("p", { className: "to-trash" }, make("a", { className: "alone", href: "/trash", textContent: t("Trash: deletions of the last 7 days") })),
    part(t("Add a device"), devices.length ? t("Or create another token for an existing device.") : null, add),
  ];
}

// Whether the server details are open, also after a redraw.
let isOpen = false;
function details(devices) {
  const box = make("details", { open: isOpen, className: "server-details" }, make("summary", { textContent: t("Server details") }),
    table([t("Name"), t("Missing"), t("Rejected"), t("App"), t("Settings")], devices.map(detailsOf), ""));
  box.addEventListener("toggle", () => (isOpen = box.open));
  return box;
}

async function makeToken(name) {
  const { device, token } = await change("POST", "/api/v1/devices", { name });
  fresh = { device, token };
  if (location.hash === `#${encodeURIComponent(device)}`) await draw();
  else location.hash = encodeURIComponent(device);
}

// MARK: One device

function hoursPart({ hours, outages, notices, device, now }) {
  const known = new Map(hours.map((hour) => [Date.parse(hour.hour), hour]));
  // Gaps with a notice. Other gaps were within the expected interval.
  const noticed = new Set(notices.map((notice) => Date.parse(notice.last_contact ?? notice.offline_since)));
  const silences = hours.filter((hour) => hour.offline_from).map((hour) => {
    const from = Date.parse(hour.offline_from);
    return { from, to: from + hour.offline_seconds * 1000, isLong: noticed.has(from) };
  });
  if (device.last_contact) silences.push({ from: Date.parse(device.last_contact), to: Date.parse(now), isLong: device.contact.state === "offline" });
  const away = outages.map(({ from, to }) => ({ from: Date.parse(from), to: Date.parse(to) }));
  const grid = make("div", { className: "hours" });
  grid.setAttribute("role", "img");
  const end = Date.parse(now);
  const cells = [make("span", {}), ...Array.from({ length: 24 }, (_, hour) => make("span", { textContent: hour % 6 === 0 ? String(hour) : "" }))];
  for (let back = 20; back >= 0; back -= 1) {
    const day = addDays(dayOf(end, timeZone), -back);
    cells.push(make("span", { textContent: dayAndMonth(startOf(day, timeZone)) }));
    for (const start of hoursOf(day, timeZone)) {
      if (start === null) {
        cells.push(make("i"));
        continue;
      }
      const until = start + 3600e3;
      const heard = known.get(start);
      const covers = silences.filter(({ from, to }) => from <= start && to >= until);
      let kind = "";
      if (start > end) kind = "";
      else if (heard) kind = heard.offline_seconds > 1800 ? "paused" : "heard";
      else if (away.some(({ from, to }) => from < until && to > start)) kind = "outage";
      else if (covers.some(({ isLong }) => isLong)) kind = "long";
      else if (covers.length) kind = "paused";
      const title = `${when(start)}: ${KINDS[kind] ?? t("no data")}`;
      cells.push(make("i", { className: kind, title }));
    }
  }
  grid.append(...cells);
  grid.setAttribute("aria-label", plural(hours.length, "Activity, last 3 weeks: {n} hour with data", "Activity, last 3 weeks: {n} hours with data"));
  const key = make("ul", { className: "key" }, Object.entries(KINDS)
    .map(([kind, text]) => make("li", {}, make("i", { className: kind }), text)));
  return part(t("Activity, last 3 weeks"), null, grid, key);
}

function contactPart({ device, rule, notices }) {
  const { contact } = device;
  const lead = make("p", { className: `lead${contact.state === "offline" ? " warn" : ""}` }, contactText(contact, device.last));
  const after = make("input", { name: "after", type: "number", min: "1", placeholder: t("automatic"), value: rule.after_seconds ? String(Math.round(rule.after_seconds / 60)) : "" });
  const told = make("input", { name: "notices", type: "checkbox", checked: rule.notices });
  const rows = notices.map((notice) => [when(notice.time), notice.type === "device.silent" ? t("overdue") : t("online again"), noticeText(notice)]);
  return part(t("Reporting"), null, lead, form([
    make("div", { className: "fields" }, make("label", {}, t("Alert after (minutes)"), after), make("label", { className: "check" }, told, t("Notify webhooks"))),
  ], t("Save"), async () => {
    await change("PUT", `${path(device.name)}/heartbeat`, { after_seconds: after.value ? Number(after.value) * 60 : undefined, notices: told.checked });
    toast(t("Saved."));
    await draw();
  }), rows.length ? table([t("Time"), t("Event"), t("Reason")], rows, "") : null);
}

function gapsPart({ gaps, device }) {
  const journals = Map.groupBy ? Map.groupBy(gaps, ({ journal }) => journal) : gaps.reduce((map, gap) => map.set(gap.journal, [...(map.get(gap.journal) ?? []), gap]), new Map());
  const bars = [...journals].map(([journal, list]) => {
    const last = Math.max(...list.map((gap) => gap.last)) * 1.02 + 1;
    const bar = make("div", { className: "gaps" }, list.map((gap) => {
      const piece = make("i", { title: `${number(gap.first)} – ${number(gap.last)}` });
      piece.style.left = `${(gap.first / last) * 100}%`;
      piece.style.width = `${((gap.last - gap.first + 1) / last) * 100}%`;
      return piece;
    }));
    bar.setAttribute("role", "img");
    bar.setAttribute("aria-label", t("Gaps of journal {journal}: {n}", { journal, n: list.length }));
    return bar;
  });
  const rows = [...gaps].reverse().slice(0, 100).map((gap) => [
    gap.first === gap.last ? number(gap.first) : `${number(gap.first)} – ${number(gap.last)}`, number(gap.last - gap.first + 1), when(gap.before), when(gap.after)]);
  return part(t("Missing records"), device.missing ? t("These records were never received: the device may have dropped them or may still be retrying.") : null,
    bars, table([t("Numbers"), t("Records|data"), t("Received before"), t("Received after")], rows, t("No missing records. (Only some apps number theirs.)")));
}

// One rejected record; its content is loaded when it is opened.
function rejectionOf(rejection) {
  const box = make("details", { className: "rejection", data: { id: rejection.id } }, make("summary", {},
    make("time", { textContent: when(rejection.received), dateTime: rejection.received }), make("span", { className: "why", textContent: rejection.reason }),
    make("small", { textContent: [rejection.protocol ?? t("unknown protocol"), rejection.attempts ? plural(rejection.attempts, "{n} retry", "{n} retries") : ""].filter(Boolean).join(" · ") })));
  box.addEventListener("toggle", async () => {
    if (!box.open || box.dataset.read) return;
    box.dataset.read = "yes";
    try {
      const one = await get(`/api/v1/rejected/${rejection.id}`);
      const [from, to] = one.marked ?? [-1, -2];
      const lines = one.lines.map((line, index) => make("span", { className: index >= from && index <= to ? "fault" : "", textContent: line || " " }));
      const raw = make("div", { className: "raw", tabIndex: 0 }, lines);
      raw.setAttribute("role", "region");
      raw.setAttribute("aria-label", t("The record as received"));
      const text = make("textarea", { name: "raw", value: one.cut || !one.raw ? "" : one.lines.join(one.raw.includes("&") && !one.raw.includes("{") ? "&" : "\n"), spellcheck: false });
      const { protocols } = await serverSettings();
      const protocol = one.protocol ? null : make("label", {}, t("Protocol"), make("select", { name: "protocol" }, protocols.map((name) => new Option(name, name))));
      const mend = form([protocol, make("label", {}, t("Corrected"), text)], t("Retry"), async (made) => {
        const query = protocol ? `?protocol=${made.elements.protocol.value}` : "";
        const result = await request(`/api/v1/rejected/${one.id}/retry${query}`, { method: "POST", headers: { Accept: "application/json", "Content-Type": "text/plain" }, body: text.value });
        toast(t("Stored: {saved} new, {duplicates} duplicates.", { saved: result.saved, duplicates: result.duplicates }));
        await draw();
      });
      box.append(make("p", { className: "none", textContent: one.cut
        ? plural(one.bytes, "At {place}. {n} byte, of which only the beginning is stored.", "At {place}. {n} bytes, of which only the beginning is stored.", { n: number(one.bytes), place: one.place })
        : plural(one.bytes, "At {place}. {n} byte.", "At {place}. {n} bytes.", { n: number(one.bytes), place: one.place }) }), raw, mend,
        make("p", { className: "row" }, action(t("Retry unchanged"), t("Retry rejected record {id}", { id: one.id }), async () => {
          await change("POST", `/api/v1/rejected/${one.id}/retry`);
          return t("Stored.");
        }), action(t("Delete"), t("Delete rejected record {id}", { id: one.id }), async () => {
          await change("DELETE", `/api/v1/rejected/${one.id}`);
          return t("Deleted.");
        }, { danger: true })));
    } catch (error) {
      // It is loaded again when it is opened again.
      delete box.dataset.read;
      toast(error.message);
    }
  });
  return box;
}

async function retryAll(query) {
  let [solved, rejected, skipped, cursor] = [0, 0, 0, null];
  do {
    const answer = await change("POST", `/api/v1/rejected/retry?${new URLSearchParams({ ...query, ...(cursor ? { cursor } : {}) })}`);
    solved += answer.solved;
    rejected += answer.rejected;
    skipped += answer.skipped;
    cursor = answer.next_cursor;
  } while (cursor);
  return skipped ? t("Stored: {solved}, rejected again: {rejected}, need a correction: {skipped}.", { solved, rejected, skipped })
    : t("Stored: {solved}, rejected again: {rejected}.", { solved, rejected });
}

// Days whose points the disk has corrupted; usually there are none.
function damagedPart({ damaged_days: days }) {
  return days.length ? part(t("Damaged data"), null, make("p", { className: "warn", textContent: t("Points of these days (UTC) are damaged, because the disk changed them: {days}. godwit verify --repair-from restores them from a snapshot or backup.", { days: days.join(", ") }) })) : null;
}

async function rejectedPart(device) {
  const { rejected, dropped, next_cursor: next } = await get(`/api/v1/rejected?${new URLSearchParams({ device: device.name, limit: "100" })}`);
  if (!rejected.length) return part(t("Rejected data"), null, make("p", { className: "none", textContent: t("Everything was accepted.") }));
  const reasons = rejected.reduce((map, { reason }) => map.set(reason, (map.get(reason) ?? 0) + 1), new Map());
  const groups = reasons.size > 1 && reasons.size < rejected.length ? [...reasons].sort((a, b) => b[1] - a[1]).slice(0, 6).map(([reason, count]) => make("div", { className: "group" },
    make("span", { textContent: `${count} × ${reason}` }), action(t("Retry these"), t("Retry those rejected because: {reason}", { reason }), () => retryAll({ device: device.name, reason })))) : [];
  const words = [plural(device.rejected, "{n} record could not be read.", "{n} records could not be read.", { n: number(device.rejected) }), next ? t("The newest 100 are shown.") : "", dropped ? plural(dropped, "{n} more was dropped at the limit.", "{n} more were dropped at the limit.", { n: number(dropped) }) : ""].filter(Boolean).join(" ");
  return part(t("Rejected data"), words, make("p", { className: "row" }, action(t("Retry all"), t("Retry all rejected data of {name}", { name: device.name }), () => retryAll({ device: device.name })),
    action(t("Delete all"), t("Delete all rejected data of {name}", { name: device.name }), async () => {
      const { deleted } = await change("DELETE", `/api/v1/rejected?${new URLSearchParams({ device: device.name })}`);
      return t("Deleted: {n}.", { n: deleted });
    }, { danger: true })), groups, rejected.map(rejectionOf));
}

const fact = (name, value) => [make("div", {}, make("dt", { textContent: name }), make("dd", {}, value))];

async function drawDevice(name) {
  const detail = await get(`${path(name)}/health`);
  const { device } = detail;
  const properties = device.last?.properties ?? {};
  document.title = `${isolated(device.name)} – Godwit`;
  map.show((await allDevices()).filter((one) => one.name === device.name)).catch(isSentToDoor);
  // Reuses the elements while the token is shown, because the page around them is redrawn.
  if (fresh?.device === device.name) fresh.setup ??= setupPart(fresh.device, fresh.token, toast);
  const setup = fresh?.device === device.name ? fresh.setup : null;
  const facts = make("dl", { className: "facts" }, fact(t("Last contact"), when(device.last_contact)), fact(t("Newest point"), device.last
    ? make("a", { href: `/?device=${encodeURIComponent(device.name)}`, textContent: when(properties.timestamp) }) : "–"),
  fact(t("Points"), number(device.points)), fact(t("Battery"), battery(properties.battery_level, properties.battery_state)),
  fact(t("App"), device.agent ?? "–"), fact(t("User"), device.owner ? named(device.owner) : t("administrator")), fact(t("Tokens"), number(device.tokens)));
  return [
    make("div", { className: "bar" }, make("a", { className: "alone", href: "#", textContent: t("All devices") }), make("h1", { tabIndex: -1, id: "title" }, named(device.name))),
    setup, make("section", { className: "part" }, facts),
    contactPart(detail), hoursPart(detail), gapsPart(detail), damagedPart(device), await rejectedPart(device), await settingsPart(device, () => draw()),
    await ownTracksPart(device, () => draw()), await encryptionPart(device, draw),
    part(t("Token"), t("Devices sign in with a token. Revoking it keeps their data."), make("p", { className: "row" },
      action(t("Create a token and set up"), t("Create a token for {name}", { name: device.name }), async () => {
        await makeToken(device.name);
        return t("Created.");
      }), ...(device.tokens ? [action(t("Revoke all tokens"), t("Revoke the tokens of {name}", { name: device.name }), async () => {
        const { revoked } = await change("DELETE", `${path(device.name)}/tokens`);
        return plural(revoked, "{n} token revoked.", "{n} tokens revoked.");
      }, { danger: true })] : []))),
    await managePart(device, who, draw),
  ];
}

// MARK: The page

const map = new DeviceMap(element("map"));
// A new token; shown until another view opens.
let fresh = null;
let drawn = 0;
// The current session.
let who = null;

// The name of the device in the address. A name that is not encoded, such as "50%", is taken as it is.
function chosenName() {
  const text = location.hash.slice(1);
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

async function draw({ isNew = false } = {}) {
  drawn += 1;
  const mine = drawn;
  const name = chosenName();
  if (fresh && fresh.device !== name) fresh = null;
  let parts;
  try {
    parts = name ? await drawDevice(name) : await drawList();
  } catch (error) {
    if (isSentToDoor(error)) return;
    parts = [make("p", { className: "problem", textContent: error.message }), make("p", {}, make("a", { href: name ? "#" : "/", textContent: name ? t("All devices") : t("Map") }))];
  }
  if (mine !== drawn) return; // Another view was requested meanwhile.
  const opened = new Set([...document.querySelectorAll(".rejection[open]")].map((box) => box.dataset.id));
  const focused = document.activeElement;
  element("view").replaceChildren(...parts.filter(Boolean));
  if (focused !== document.activeElement && focused?.isConnected) focused.focus({ preventScroll: true });
  for (const box of document.querySelectorAll(".rejection")) if (opened.has(box.dataset.id)) box.open = true;
  document.body.dataset.state = name ? "device" : "list";
  if (!isNew) return;
  scrollTo(0, 0);
  (element("new-token") ?? element("title"))?.focus({ preventScroll: true });
}

// The page is not redrawn while a field has the focus, a dialog or record is open, or a form has unsent input.
const isBusy = () => document.activeElement?.matches("input, textarea, select") || document.querySelector("dialog") || document.querySelector(".rejection[open], .settings-form[data-edited], .devices textarea:not(:placeholder-shown)");

addEventListener("hashchange", () => draw({ isNew: true }));
const refresh = () => { if (!document.hidden && !isBusy()) draw(); };
setInterval(refresh, 30000);
whenBack(refresh);
let isAwaited = false;
stream({
  points: () => {
    if (isAwaited) return;
    isAwaited = true;
    setTimeout(() => {
      isAwaited = false;
      refresh();
    }, 1000);
  },
});
try {
  who = await get("/api/v1/session");
  await draw();
} catch (error) {
  if (!isSentToDoor(error)) throw error;
}
