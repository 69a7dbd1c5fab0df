// The forms of the account page, built from lists of fields.

import { form as plainForm, make, named } from "/elements.js";

// The names of a list as options of a field.
export const choices = (list) => list.map(({ name }) => [name, name]);

const checkbox = (properties, ...text) => make("label", { className: "check" }, make("input", { type: "checkbox", ...properties }), ...text);

/** @type {(field: any[]) => HTMLElement} */
function fieldOf([name, text, more]) {
  const { options, multiple, ...properties } = more ?? {};
  if (properties.type === "checkbox") return checkbox({ name, ...properties }, text);
  // A field with several choices: if there is only one option, it is selected.
  if (multiple) {
    const boxes = options.map(([value, shown]) => checkbox({ name, value, checked: options.length === 1 }, named(shown)));
    return make("fieldset", { className: "several" }, make("legend", { textContent: text }), ...boxes);
  }
  const input = options
    ? make("select", { name, ...properties }, ...options.map(([value, shown]) => new Option(shown, value)))
    : make("input", { name, ...properties });
  return make("label", {}, text, input);
}

/** @type {(field: any[], form: any) => any} */
function valueOf([name, , more], made) {
  const { type, multiple } = more ?? {};
  if (multiple) return [...made.querySelectorAll("input:checked")].filter((box) => box.name === name).map((box) => box.value);
  const input = made.elements[name];
  if (type === "checkbox") return input.checked;
  if (input.value === "") return undefined;
  return type === "number" ? Number(input.value) : input.value;
}

/**
 * A form. Fields are [name, label, properties] or [name, label, { options, multiple }]; `run` receives the values of the non-empty fields.
 * @param {any[]} fields
 * @param {string} label
 * @param {(values: any, form: any) => any} run
 */
export function form(fields, label, run) {
  return plainForm([make("div", { className: "fields" }, ...fields.map(fieldOf))], label, (made) => {
    const values = fields.map((field) => [field[0], valueOf(field, made)]).filter(([, value]) => value !== undefined);
    return run(Object.fromEntries(values), made);
  });
}
