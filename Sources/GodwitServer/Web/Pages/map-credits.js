// The credits of the map: a line at its edge, or a button on a small map.

import { t } from "/texts.js";

// Returns the parts of an attribution, which may be HTML: texts and links to the web. Other markup is removed.
export function creditParts(attribution) {
  const body = new DOMParser().parseFromString(attribution, "text/html").body;
  const parts = [];
  const walk = (node) => {
    for (const child of node.childNodes) {
      if (child.nodeType === Node.TEXT_NODE) parts.push(child.textContent);
      else if (child.nodeName === "A" && /^https?:/.test(child.getAttribute("href") ?? "")) {
        parts.push(Object.assign(document.createElement("a"), {
          href: child.href, textContent: child.textContent, target: "_blank", rel: "noopener noreferrer",
        }));
      } else if (!["SCRIPT", "STYLE"].includes(child.nodeName)) walk(child);
    }
  };
  walk(body);
  return parts;
}

// A control of the map with the credits.
export class Credits {
  #box = document.createElement("details");
  #text = document.createElement("span");
  #lists = new Map();

  constructor() {
    this.#box.className = "maplibregl-ctrl map-credits";
    const button = Object.assign(document.createElement("summary"), { textContent: "i", title: t("Credits of the map") });
    button.setAttribute("aria-label", t("Credits of the map"));
    this.#box.append(button, this.#text);
  }

  onAdd(map) {
    this.#box.open = map.getContainer().clientWidth > 640;
    return this.#box;
  }

  onRemove() { this.#box.remove(); }

  // Sets the credits of one part of the map, such as "base".
  set(name, attributions) {
    this.#lists.set(name, attributions);
    const all = [...new Set([...this.#lists.values()].flat().filter(Boolean))];
    this.#text.replaceChildren(...all.flatMap((attribution, index) => [...(index ? [" · "] : []), ...creditParts(attribution)]));
    this.#box.hidden = all.length === 0;
  }
}
