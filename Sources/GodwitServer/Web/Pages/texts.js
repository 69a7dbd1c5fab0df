// The texts of the pages, in the language of the page. The keys of a table (/texts-de.js, …) are the English texts.

/** @type {string} */
const language = document.documentElement.lang || "en";

/** @type {Record<string, string | Record<string, string>>} */
const table = language === "en" ? {} : (await import(`/texts-${language}.js`)).default;

const rules = new Intl.PluralRules(language);

// Replaces each {name} of a text with the value of that name.
const filled = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);

/**
 * Returns a text: t("Delete {name}?", { name }). A text that is missing in the table is shown in English. A context after "|" distinguishes
 * equal English texts and is not shown: t("Open|verb").
 * @param {string} key
 * @param {Record<string, string | number>} [values]
 * @returns {string}
 */
export function t(key, values = {}) {
  const found = table[key];
  return filled(typeof found === "string" ? found : key.split("|")[0], values);
}

/**
 * Returns a text with a number {n}: plural(3, "{n} point", "{n} points"). The key is the plural text. Its entry in a table has one text for
 * each plural category of the language ("one", "two", "few", "many", "other").
 * @param {number} n the number that chooses the text
 * @param {string} one
 * @param {string} many
 * @param {Record<string, string | number>} [values] those of other names; `n`: the number as it is shown
 * @returns {string}
 */
export function plural(n, one, many, values = {}) {
  const forms = table[many];
  const chosen = typeof forms === "object" ? (forms[rules.select(n)] ?? forms.other) : n === 1 ? one : many;
  // A number and its noun stay on one line.
  return filled(chosen.replace("{n} ", "{n}\u00a0"), { n, ...values });
}

/**
 * The pieces of a text whose values are elements: element.append(...pieces("Open {page} first.", { page: link })).
 * @param {string} key
 * @param {Record<string, string | number | Node>} values
 * @returns {(string | Node)[]}
 */
export function pieces(key, values) {
  return t(key)
    .split(/\{(\w+)\}/)
    .map((piece, index) => (index % 2 ? (values[piece] ?? `{${piece}}`) : piece))
    .map((piece) => (typeof piece === "number" ? String(piece) : piece))
    .filter((piece) => piece !== "");
}
