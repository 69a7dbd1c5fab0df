// Messages about form fields that are empty or have an invalid value, in the language of the page instead of the browser's.

import { locale } from "/format.js";
import { plural, t } from "/texts.js";

const DATES = new Set(["date", "datetime-local", "month", "time", "week"]);
// Formats a number for the user; a limit that is a date is not changed.
const shown = (value) => (Number.isNaN(Number(value)) ? value : Number(value).toLocaleString(locale));
const missing = { checkbox: () => t("Select this."), radio: () => t("Choose one of these."), file: () => t("Choose a file."), "select-one": () => t("Choose one of these."), "select-multiple": () => t("Choose one of these.") };

/**
 * The reason why the value of a field is invalid; null if it is valid.
 * @param {any} field
 * @returns {string | null}
 */
export function faultOf(field) {
  const { validity } = field;
  if (validity.valueMissing) return missing[field.type]?.() ?? t("Fill in this field.");
  if (validity.badInput) return DATES.has(field.type) ? t("Enter the whole date.") : t("Enter a number.");
  if (validity.typeMismatch) return field.type === "url" ? t("Enter an address such as {example}.", { example: "https://example.org" }) : t("This value is not valid.");
  if (validity.rangeUnderflow) return t("The smallest value is {limit}.", { limit: shown(field.min) });
  if (validity.rangeOverflow) return t("The largest value is {limit}.", { limit: shown(field.max) });
  if (validity.stepMismatch) return Number(field.step || 1) === 1 ? t("Enter a whole number.") : t("Enter a multiple of {step}.", { step: shown(field.step) });
  if (validity.tooShort) return plural(field.minLength, "Enter at least {n} character.", "Enter at least {n} characters.");
  if (validity.tooLong) return plural(field.maxLength, "Enter at most {n} character.", "Enter at most {n} characters.");
  return validity.patternMismatch ? field.title || t("This value is not valid.") : null;
}

// The first invalid field of a form.
export const firstFault = (form) => [...form.elements].find((field) => field.willValidate && !field.validity.valid);

// Makes the browser show these messages.
export function translateFaults() {
  // Fields with a custom message. The browser treats such a field as invalid until the message is removed.
  const marked = new Set();
  const unmark = () => {
    for (const field of marked) field.setCustomValidity("");
    marked.clear();
  };
  document.addEventListener("invalid", ({ target }) => {
    const text = faultOf(target);
    if (!text) return;
    /** @type {any} */ (target).setCustomValidity(text);
    marked.add(target);
  }, true);
  // Messages are removed when a value changes, and before a form is validated again.
  for (const name of ["input", "change", "click", "keydown"]) document.addEventListener(name, unmark, true);
}
