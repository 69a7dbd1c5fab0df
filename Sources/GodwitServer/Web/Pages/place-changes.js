// Changes of places in the last week, each with an undo.

import { change } from "/api.js";
import { ask } from "/deletion.js";
import { make, named, toast, when } from "/elements.js";
import { pieces, t } from "/texts.js";

const TITLES = {
  edit: ({ name }) => pieces("{name} changed", { name: named(name) }),
  merge: ({ name, into_name: into }) => pieces("{name} merged into {other}", { name: named(name), other: named(into) }),
  removal: ({ name }) => pieces("{name} removed", { name: named(name) }),
};

const plainText = (parts) => parts.map((part) => (typeof part === "string" ? part : part.textContent)).join("");
const pathOf = ({ id }) => `/api/v1/place-changes/${encodeURIComponent(id)}`;

// Restores a place to the state before a change, and returns the place.
export const undoChange = (item) => change("POST", `${pathOf(item)}/undo`);

// The newest change of a place, which the undo of a recent action needs.
export const newestOf = (changes, id) => changes.find(({ place, into }) => place === id || into === id);

// The collapsed list; null if nothing can be undone. `done` is called with the place after an undo, and without it after a permanent
// deletion.
export function changeList(changes, { mayChange, done }) {
  if (!changes.length || !mayChange) return null;
  const button = (textContent, what, className, run) => {
    const made = make("button", { type: "button", textContent, className, ariaLabel: what });
    made.addEventListener("click", async () => {
      made.disabled = true;
      try {
        await run();
      } catch (error) {
        toast(error.message);
      }
      made.disabled = false;
    });
    return made;
  };
  const items = changes.map((item) => {
    const title = TITLES[item.kind]?.(item) ?? [named(item.name)];
    const what = plainText(title);
    const undo = button(t("Undo"), t("Undo: {what}", { what }), "", async () => {
      const place = await undoChange(item);
      toast(t("Undone."));
      await done(place);
    });
    undo.disabled = !item.can_undo;
    if (!item.can_undo) undo.title = t("Undo the newer change of this place first.");
    const discard = button(t("Delete for good"), t("Delete for good: {what}", { what }), "danger", async () => {
      const isSure = await ask({
        title: t("Delete for good: {what}?", { what }), lines: [t("The change can no longer be undone.")], confirm: t("Delete for good"),
      });
      if (!isSure) return;
      await change("DELETE", pathOf(item));
      await done();
    });
    return make("li", { data: { change: item.id } }, make("span", {}, ...title),
      make("small", { textContent: `${when(item.changed)} · ${t("Can be undone until {time}", { time: when(item.until) })}` }),
      make("div", { className: "tools" }, undo, discard));
  });
  return make("details", { id: "changes" }, make("summary", { textContent: t("Changes of the last week") }), make("ul", {}, ...items));
}
