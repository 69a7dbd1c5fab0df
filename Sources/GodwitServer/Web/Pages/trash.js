// The page of deletions that can be undone.

import { change, get, isSentToDoor } from "/api.js";
import { ask, countsText, undo } from "/deletion.js";
import { element, make, part, toast, when } from "/elements.js";

const bdi = (text) => make("bdi", { textContent: text });
const titles = {
  device: ({ subject }) => ["Device ", bdi(subject)],
  points: ({ subject }) => ["Points of ", bdi(subject)],
  import: ({ subject }) => ["Import of ", bdi(subject)],
  user: ({ subject }) => ["User ", bdi(subject), " with all data"],
  merge: ({ subject, into }) => [bdi(subject), " merged into ", bdi(into ?? "another device")],
};

// "in 6 days"; the page is drawn again before it could be wrong.
function left(until) {
  const hours = Math.max(0, (Date.parse(until) - Date.now()) / 3600e3);
  const [value, unit] = hours >= 36 ? [Math.round(hours / 24), "day"] : hours >= 1 ? [Math.round(hours), "hour"] : [Math.max(1, Math.round(hours * 60)), "minute"];
  return new Intl.RelativeTimeFormat(undefined, { numeric: "always" }).format(value, unit);
}

function span({ from, to, has_area: hasArea }) {
  const times = from && to ? `${when(from)} – ${when(to)}` : from ? `from ${when(from)}` : to ? `before ${when(to)}` : null;
  return [times, hasArea ? "in an area" : null].filter(Boolean).join(", ");
}

// A button that runs something; the page is drawn again afterwards.
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
  const plain = title.map((part) => part.textContent ?? part).join("");
  const isMerge = entry.kind === "merge";
  const facts = [
    span(entry), countsText(entry.counts, isMerge ? ["devices"] : []),
    `${isMerge ? "Merged" : "Deleted"} ${when(entry.deleted)}`,
  ].filter(Boolean);
  const who = make("small", {}, "by ", bdi(entry.actor), isAdministrator && entry.owner ? [" · of ", bdi(entry.owner)] : null);
  const buttons = entry.is_busy ? make("p", { className: "none", textContent: "In progress…" }) : make("div", { className: "buttons" },
    button(isMerge ? "Divide again" : "Undo", `${isMerge ? "Divide again" : "Undo"}: ${plain}`, async () => {
      const { counts } = await undo(entry.id);
      return `Restored: ${countsText(counts)}.`;
    }, "main"),
    button(isMerge ? "Keep merged" : "Delete for good", `${isMerge ? "Keep merged" : "Delete for good"}: ${plain}`, async () => {
      const isConfirmed = await ask({
        title: isMerge ? "Keep the devices merged?" : make("span", {}, "Delete for good: ", title.map((part) => part.cloneNode?.(true) ?? part), "?"),
        lines: [isMerge ? "They can no longer be divided." : "This can't be undone. The data is overwritten in the database.", ],
        confirm: isMerge ? "Keep merged" : "Delete for good",
      });
      if (!isConfirmed) return null;
      await change("DELETE", `/api/v1/trash/${encodeURIComponent(entry.id)}`);
      return isMerge ? "Done." : "Deleted for good.";
    }, isMerge ? "" : "danger"));
  const until = make("p", { className: "until", textContent: `${isMerge ? "Can be divided" : "Deleted for good"} ${left(entry.until)}`.replace("Can be divided in", "Can be divided for another") });
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
      : make("p", { className: "empty", textContent: "The trash is empty." });
    parts = [
      part("Trash", "Deleted items stay here for 7 days and can be restored completely. Until then nothing else shows them: no page, export, share link or backup.", list,
        entries.some((entry) => !entry.is_busy) ? make("p", { className: "row" }, button("Empty trash…", "Empty trash", async () => {
          const isConfirmed = await ask({ title: "Empty the trash?", lines: ["Everything in it is deleted for good and overwritten in the database. This can't be undone."], confirm: "Empty trash" });
          if (!isConfirmed) return null;
          await change("DELETE", "/api/v1/trash");
          return "The trash is empty.";
        }, "danger")) : null),
      copies.length ? part("Copies on this machine", "Backups and copies that were made before a deletion still contain the data. Delete the files yourself if they must not.",
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
