// Functions for pages that create their own elements.

import { folded, number, when } from "/format.js";
import { t } from "/texts.js";
import { faultOf, firstFault } from "/validation.js";

export { when };

// Returns the element with an id; its type depends on the id.
/** @type {(id: string) => any} */
export const element = (id) => document.getElementById(id);

// Creates an element with properties, `data` (its data attributes) and children: elements, texts or arrays of them; null and undefined are
// skipped.
/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Partial<Omit<HTMLElementTagNameMap[Name], "dataset" | "style" | "form" | "list">> & { data?: Object, role?: string }} properties
 * @returns {any}
 */
export function make(name, { data, ...properties } = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  Object.assign(made.dataset, data ?? {});
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

// A part of a page, with its title and description.
export const part = (title, text, ...children) =>
  make("section", { className: "part" }, make("h2", { textContent: title }), text ? make("p", { textContent: text }) : null, ...children);

// A name chosen by a user or a device, isolated so that its text direction does not affect the surrounding text.
export const named = (text, properties = {}) => make("bdi", { ...properties, textContent: text ?? "" });

// Shows a confirmation dialog. Resolves to true if it was confirmed.
export const ask = (title, text, label) => new Promise((resolve) => {
  const cancel = make("button", { type: "button", textContent: t("Cancel") });
  const yes = make("button", { className: "main", type: "button", textContent: label });
  const box = make("dialog", { className: "confirmation" }, make("h2", { textContent: title }),
    ...[text].flat().map((line) => make("p", { textContent: line })), make("div", { className: "buttons" }, cancel, yes));
  box.setAttribute("aria-label", title);
  let isYes = false;
  cancel.addEventListener("click", () => box.close());
  yes.addEventListener("click", () => {
    isYes = true;
    box.close();
  });
  box.addEventListener("close", () => {
    box.remove();
    resolve(isYes);
  });
  document.body.append(box);
  box.showModal();
  yes.focus();
});

let said = null;

// Shows a text for five seconds.
export function toast(text) {
  const place = element("toast");
  place.textContent = text;
  place.hidden = false;
  clearTimeout(said);
  said = setTimeout(() => (place.hidden = true), 5000);
}

// Copies a text to the clipboard. Pages over plain HTTP have no access to the clipboard, and copy a selection instead.
async function copied(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const focused = document.activeElement;
  const field = make("textarea", { value: text, readOnly: true, className: "hidden" });
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  focused?.focus();
  if (!isCopied) throw new Error();
}

// A button that copies a text.
export function copyButton(text) {
  const button = make("button", { type: "button", textContent: t("Copy") });
  button.addEventListener("click", () => copied(text).then(
    () => toast(t("Copied.")),
    () => toast(t("The browser does not allow copying. Select the text and copy it yourself.")),
  ));
  return button;
}

// A button that runs an action, shows its result, and then redraws the page. With `danger`, a second click on the same button confirms the
// action.
export function action(text, label, run, redraw, { danger = false } = {}) {
  const button = make("button", { type: "button", textContent: text, className: danger ? "danger" : "" });
  button.setAttribute("aria-label", label);
  button.addEventListener("click", async () => {
    if (danger && button.textContent === text) {
      button.textContent = t("Sure?");
      button.addEventListener("blur", () => (button.textContent = text), { once: true });
      return;
    }
    button.disabled = true;
    try {
      toast((await run()) ?? t("Done."));
      await redraw();
    } catch (error) {
      button.textContent = text;
      toast(error.message);
    } finally {
      // A page that does not redraw itself reuses the button.
      button.disabled = false;
    }
  });
  return button;
}

// The name of a field: the text of its label before other elements.
const nameOf = (field) => [...(field.labels?.[0]?.childNodes ?? [])].find((node) => node.nodeType === 3 && node.data.trim())?.data.trim() ?? field.ariaLabel;

// A form of some elements. `run` receives it on submission. An error is shown in the form, and the field with the error gets the focus.
export function form(children, label, run) {
  const problem = make("p", { className: "problem", hidden: true });
  problem.setAttribute("role", "alert");
  const button = make("button", { className: "main", textContent: label });
  const made = make("form", { noValidate: true, autocomplete: "off" }, problem, ...children, button);
  made.addEventListener("submit", async (event) => {
    event.preventDefault();
    problem.hidden = true;
    const wrong = firstFault(made);
    if (wrong) {
      problem.textContent = [nameOf(wrong), faultOf(wrong)].filter(Boolean).join(": ");
      problem.hidden = false;
      return wrong.focus();
    }
    button.disabled = true;
    try {
      await run(made);
    } catch (error) {
      problem.textContent = error.message;
      problem.hidden = false;
      const field = error.at && made.elements[error.at];
      // Fields with the same name are a list.
      if (field) (field instanceof RadioNodeList ? field[0] : field).focus?.();
    } finally {
      button.disabled = false;
    }
  });
  return made;
}

// A table, or the text `none` if it has no rows. A cell is a text or an element; one with the class "warn" is highlighted. On a phone each
// cell shows its column's heading. A column without a heading contains buttons.
export function table(heads, rows, none) {
  if (!rows.length) return make("p", { className: "none", textContent: none });
  const head = make("tr", {}, heads.map((text) => (text ? make("th", { scope: "col", textContent: text }) : make("td"))));
  const body = rows.map((cells) => make("tr", {}, cells.map((cell, index) =>
    make("td", { className: cell?.className === "warn" ? "warn" : "", data: { head: heads[index] } }, cell ?? "–"))));
  return make("div", { className: "table" }, make("table", {}, make("thead", {}, head), make("tbody", {}, body)));
}

// The searches of long tables by key, which a redrawn page shows again.
const searches = new Map();

// A table, with a field above it that searches the first column if the table has more than 20 rows.
export function searchable(box, key) {
  const rows = [...box.querySelectorAll("tbody tr")];
  if (rows.length <= 20) return box;
  const input = make("input", { type: "search", value: searches.get(key) ?? "", placeholder: t("Search"), ariaLabel: t("Search") });
  const count = make("output");
  const show = () => {
    const wanted = folded(input.value.trim());
    searches.set(key, input.value);
    for (const row of rows) row.hidden = !folded(row.cells[0].textContent).includes(wanted);
    const found = rows.filter((row) => !row.hidden).length;
    count.textContent = wanted ? t("{n} of {all}", { n: number(found), all: number(rows.length) }) : "";
  };
  input.addEventListener("input", show);
  show();
  return make("div", {}, make("div", { className: "search" }, input, count), box);
}
