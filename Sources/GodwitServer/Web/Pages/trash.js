// The page of deletions that can be undone.

import { change, get, isSentToDoor } from "/api.js";
import { ask, countsText, undo } from "/deletion.js";
import { element, make, part, toast, when } from "/elements.js";
import { locale } from "/format.js";
import { pieces, t } from "/texts.js";

const bdi = (text) => make("bdi", { textContent: text });
const titles = {
  device: ({ subject }) => pieces("Device {name}", { name: bdi(subject) }),
  points: ({ subject }) => pieces("Points of {name}", { name: bdi(subject) }),
  import: ({ subject }) => pieces("Import of {name}", { name: bdi(subject) }),
  user: ({ subject }) => pieces("User {name} with all data", { name: bdi(subject) }),
  merge: ({ subject, into }) => pieces("{device} merged into {other}", { device: bdi(subject), other: bdi(into ?? t("another device")) }),
};

// "in 6 days". The page is redrawn before the text becomes wrong.
function left(until) {
  const hours = Math.max(0, (Date.parse(until) - Date.now()) / 3600e3);
  /** @type {[number, Intl.RelativeTimeFormatUnit]} */
  const [value, unit] = hours >= 36 ? [Math.round(hours / 24), "day"] : hours >= 1 ? [Math.round(hours), "hour"] : [Math.max(1, Math.round(hours * 60)), "minute"];
  return new Intl.RelativeTimeFormat(locale, { numeric: "always" }).format(value, unit);
}

function span({ from, to, has_area: hasArea }) {
  const times = from && to ? `${when(from)} – ${when(to)}` : from ? t("from {time}", { time: when(from) }) : to ? t("before {time}", { time: when(to) }) : null;
  return [times, hasArea ? t("in an area") : null].filter(Boolean).join(", ");
}

// A button that runs an action and then redraws the page.
function button(text, label, run, className = "") {
  const made = make("button", { type: "button", textContent: text, className });
  made.setAttribute("aria-label", label);
  made.addEventListener("click", async () => {
    made.disabled = true;
    try {
      const said = await run();
      if (said) toast(said);
    } catch (error) {
      toast(error.message);
    }
    made.disabled = false;
    await draw();
  });
  return made;
}

function item(entry, isAdministrator) {
  const title = titles[entry.kind]?.(entry) ?? [bdi(entry.subject)];
  const plain = title.map((part) => (typeof part === "string" ? part : part.textContent)).join("");
  const isMerge = entry.kind === "merge";
  const facts = [
    span(entry), countsText(entry.counts, isMerge ? ["devices"] : []),
    isMerge ? t("Merged {time}", { time: when(entry.deleted) }) : t("Deleted {time}", { time: when(entry.deleted) }),
  ].filter(Boolean);
  const who = make("small", {}, ...(isAdministrator && entry.owner
    ? pieces("by {user} · of {owner}", { user: bdi(entry.actor), owner: bdi(entry.owner) }) : pieces("by {user}", { user: bdi(entry.actor) })));
  const buttons = entry.is_busy ? make("p", { className: "none", textContent: t("In progress…") }) : make("div", { className: "buttons" },
    button(isMerge ? t("Divide again") : t("Undo"), isMerge ? t("Divide again: {what}", { what: plain }) : t("Undo: {what}", { what: plain }), async () => {
      const { counts } = await undo(entry.id);
      return t("Restored: {what}.", { what: countsText(counts) });
    }, "main"),
    button(isMerge ? t("Keep merged") : t("Delete for good"), isMerge ? t("Keep merged: {what}", { what: plain }) : t("Delete for good: {what}", { what: plain }), async () => {
      const isConfirmed = await ask({
        title: isMerge ? t("Keep the devices merged?") : make("span", {}, ...pieces("Delete for good: {what}?", { what: make("span", {}, title.map((part) => (typeof part === "string" ? part : part.cloneNode(true)))) })),
        lines: [isMerge ? t("They can no longer be divided.") : t("This can't be undone. The data is overwritten in the database."), ],
        confirm: isMerge ? t("Keep merged") : t("Delete for good"),
      });
      if (!isConfirmed) return null;
      await change("DELETE", `/api/v1/trash/${encodeURIComponent(entry.id)}`);
      return isMerge ? t("Done.") : t("Deleted for good.");
    }, isMerge ? "" : "danger"));
  const until = make("p", { className: "until", textContent: isMerge ? t("Can be divided until {time}", { time: when(entry.until) }) : t("Deleted for good {when}", { when: left(entry.until) }) });
  until.title = when(entry.until);
  return make("li", { data: { id: entry.id } }, make("div", {}, make("h3", {}, title), make("p", {}, facts.join(" · ")), who), make("div", { className: "actions" }, until, buttons));
}

let who = null;
let drawn = 0;

async function draw() {
  drawn += 1;
  const mine = drawn;
  let parts;
  try {
    const { entries, copies } = await get("/api/v1/trash");
    const isAdministrator = who?.administrator;
    const list = entries.length
      ? make("ul", { className: "entries" }, entries.map((entry) => item(entry, isAdministrator)))
      : make("p", { className: "empty", textContent: t("The trash is empty.") });
    parts = [
      part(t("Trash"), t("Deleted items stay here for 7 days and can be restored completely. Until then nothing else shows them: no page, export, share link or backup."), list,
        entries.some((entry) => !entry.is_busy) ? make("p", { className: "row" }, button(t("Empty trash…"), t("Empty trash"), async () => {
          const isConfirmed = await ask({ title: t("Empty the trash?"), lines: [t("Everything in it is deleted for good and overwritten in the database. This can't be undone.")], confirm: t("Empty trash") });
          if (!isConfirmed) return null;
          await change("DELETE", "/api/v1/trash");
          return t("The trash is empty.");
        }, "danger")) : null),
      copies.length ? part(t("Copies on this machine"), t("Backups and copies that were made before a deletion still contain the data. Delete the files yourself if they must not."),
        make("ul", { className: "copies" }, copies.map(({ path, time }) => make("li", {}, make("code", { textContent: path }), make("small", { textContent: when(time) }))))) : null,
    ];
  } catch (error) {
    if (isSentToDoor(error)) return;
    parts = [make("p", { className: "problem", textContent: error.message })];
  }
  if (mine !== drawn) return; // Another view was requested meanwhile.
  const focus = document.activeElement?.getAttribute?.("aria-label");
  element("view").replaceChildren(...parts.filter(Boolean));
  document.body.dataset.state = "list";
  if (focus) [...document.querySelectorAll("#view button")].find((made) => made.getAttribute("aria-label") === focus)?.focus();
}

try {
  who = await get("/api/v1/session");
  await draw();
  setInterval(() => { if (!document.hidden && !document.querySelector("dialog")) draw(); }, 30000);
} catch (error) {
  if (!isSentToDoor(error)) {
    document.body.dataset.state = "refused";
    element("view").replaceChildren(make("p", { className: "problem", textContent: error.message }));
  }
}
