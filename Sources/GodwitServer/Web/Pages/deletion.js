// Deletion with a confirmation that shows the counts, followed by a notice with Undo. Any page may use these functions.

import { change } from "/api.js";
import { make, toast } from "/elements.js";
import { number } from "/format.js";
import { pieces, plural, t } from "/texts.js";

const values = (n) => ({ n: number(n) });
/** @type {Record<string, (n: number) => string>} */
const words = {
  users: (n) => plural(n, "{n} user", "{n} users", values(n)),
  devices: (n) => plural(n, "{n} device", "{n} devices", values(n)),
  points: (n) => plural(n, "{n} point", "{n} points", values(n)),
  blurred_points: (n) => plural(n, "{n} blurred point", "{n} blurred points", values(n)),
  events: (n) => plural(n, "{n} visit, trip or event", "{n} visits, trips and events", values(n)),
  rejected_records: (n) => plural(n, "{n} rejected record", "{n} rejected records", values(n)),
  webhook_deliveries: (n) => plural(n, "{n} webhook delivery", "{n} webhook deliveries", values(n)),
  mqtt_messages: (n) => plural(n, "{n} MQTT message", "{n} MQTT messages", values(n)),
  imports: (n) => plural(n, "{n} import", "{n} imports", values(n)),
  links: (n) => plural(n, "{n} share link", "{n} share links", values(n)),
};

// "1 device · 12,345 points"; the kinds in `without` are omitted.
export function countsText(counts, without = []) {
  const parts = Object.entries(counts).filter(([kind, count]) => count > 0 && !without.includes(kind))
    .map(([kind, count]) => words[kind]?.(count) ?? `${number(count)} ${kind}`);
  return parts.length ? parts.join(" · ") : t("nothing");
}

// A confirmation dialog. Resolves to true if it was confirmed. `fields`: further elements above the buttons.
export const ask = ({ title, lines = [], fields = [], confirm, danger = true }) => new Promise((resolve) => {
  const cancel = make("button", { type: "button", textContent: t("Cancel") });
  const yes = make("button", { className: danger ? "main danger" : "main", textContent: confirm });
  const heading = make("h2", {}, title);
  const form = make("form", { method: "dialog" }, heading, lines.map((line) => make("p", {}, line)), fields, make("div", { className: "buttons" }, cancel, yes));
  const box = make("dialog", { className: "confirmation" }, form);
  heading.id = "question";
  box.setAttribute("aria-labelledby", "question");
  let isConfirmed = false;
  cancel.addEventListener("click", () => box.close());
  form.addEventListener("submit", () => (isConfirmed = true));
  box.addEventListener("close", () => {
    box.remove();
    resolve(isConfirmed);
  });
  document.body.append(box);
  box.showModal();
  (danger ? cancel : yes).focus();
});

// Restores the contents of an entry of the trash.
export const undo = async (entry) => change("POST", `/api/v1/trash/${encodeURIComponent(entry)}/undo`);

let shown = null;

// Shows for half a minute what was done, with a button that restores it from an entry of the trash. `done` is called after the undo.
export const undoNotice = (text, entry, done) =>
  noticeWithUndo(text, () => undo(entry), done, make("a", { href: "/trash", textContent: t("Trash") }));

// Shows such a notice for other changes; `run` undoes the change.
export function noticeWithUndo(text, run, done, ...links) {
  shown?.remove();
  const notice = make("div", { className: "undo-notice" });
  const close = () => {
    clearTimeout(timer);
    notice.remove();
    if (shown === notice) shown = null;
  };
  const timer = setTimeout(close, 30000);
  const back = make("button", { type: "button", textContent: t("Undo") });
  const hide = make("button", { type: "button", className: "hide", textContent: "×" });
  hide.setAttribute("aria-label", t("Hide this notice"));
  hide.addEventListener("click", close);
  back.addEventListener("click", async () => {
    back.disabled = true;
    try {
      await run();
      close();
      toast(t("Restored."));
      await done?.();
    } catch (error) {
      back.disabled = false;
      toast(error.message);
    }
  });
  notice.setAttribute("role", "status");
  notice.append(make("span", {}, text), back, ...links, hide);
  document.body.append(notice);
  shown = notice;
}

// A path with one more query parameter.
export const joined = (path, query) => `${path}${path.includes("?") ? "&" : "?"}${query}`;

// Counts, asks for a confirmation, deletes, and offers an undo. `what`: an element or a text, such as "Device phone". `done` is called
// after the deletion and after an undo. Returns whether something was deleted.
export async function deleteWithUndo({ path, what, title, lines = [], done }) {
  const { counts } = await change("DELETE", joined(path, "dry_run=true"));
  if (!Object.values(counts).some((count) => count > 0)) {
    toast(t("There is nothing to delete."));
    return false;
  }
  const isConfirmed = await ask({
    title, lines: [`${countsText(counts)}.`, ...lines, t("You can undo this for 7 days.")], confirm: t("Delete"),
  });
  if (!isConfirmed) return false;
  const { trash } = await change("DELETE", path);
  undoNotice(make("span", {}, ...pieces("Deleted: {what}.", { what })), trash, done);
  await done?.();
  return true;
}

const bdi = (text) => make("bdi", { textContent: text });
const devicePath = (name) => `/api/v1/devices/${encodeURIComponent(name)}`;

export const deleteDevice = (name, done) => deleteWithUndo({
  path: devicePath(name), what: bdi(name), title: make("span", {}, ...pieces("Delete {name}?", { name: bdi(name) })), done,
  lines: [t("The device disappears from every page, export and share, and can no longer send.")],
});

// Deletes points, visits and trips of a time range, an area, or both. `from` and `to`: milliseconds since 1970; `polygon`: corners as
// [longitude, latitude]; `circle`: { latitude, longitude, radius }; `box`: west, south, east, north. `label`: the description in messages,
// such as "15 November".
export function deletePoints(device, { from, to, polygon, circle, box, label = t("These points") }, done) {
  const query = new URLSearchParams();
  if (from !== undefined) query.set("from", new Date(from).toISOString());
  if (to !== undefined) query.set("to", new Date(to).toISOString());
  if (polygon) query.set("polygon", polygon.map((corner) => corner.join(",")).join(";"));
  if (circle) for (const [name, value] of [["lat", circle.latitude], ["lon", circle.longitude], ["radius", circle.radius]]) query.set(name, value);
  if (box) query.set("bbox", box.join(","));
  return deleteWithUndo({
    path: `${devicePath(device)}/points?${query}`, what: label, title: make("span", {}, ...pieces("Delete from {device}: {what}?", { device: bdi(device), what: label })),
    lines: [t("Visits and trips that overlap are deleted too.")], done,
  });
}

export const deleteImport = (id, name, done) => deleteWithUndo({
  path: `/api/v1/imports/${encodeURIComponent(id)}`, what: make("span", {}, ...pieces("Import of {name}", { name: bdi(name) })),
  title: make("span", {}, ...pieces("Undo the import of {name}?", { name: bdi(name) })), lines: [t("Points that were there before, or that a device sent itself, stay.")], done,
});
