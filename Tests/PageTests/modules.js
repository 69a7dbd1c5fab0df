// Resolves the modules of the server's pages for node: "/format.js" is the file that the server sends to a browser for that path.

import { register } from "node:module";

const pages = new URL("../../Sources/GodwitServer/Web/Pages", import.meta.url).href;
const hooks = `
  const pages = ${JSON.stringify(pages)};
  export const resolve = (name, context, next) =>
    name.startsWith("/") && !name.startsWith("//") && context.parentURL ? { url: pages + name, shortCircuit: true } : next(name, context);
  export const load = (url, context, next) => next(url, url.startsWith(pages) ? { ...context, format: "module" } : context);
`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);

// The values that the modules read when they are loaded: the preferences of a user, and the languages of the browser.
globalThis.document ??= { documentElement: { dataset: {}, lang: "en" }, getElementById: () => null, addEventListener: () => {} };
globalThis.addEventListener ??= () => {};
Object.defineProperty(globalThis, "navigator", { value: { languages: ["en-GB"], onLine: true }, configurable: true });
