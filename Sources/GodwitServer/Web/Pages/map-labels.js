// Labels of the page's own data, drawn with system fonts, because names of users and places can be in any script.
// A symbol layer names a label as its image, for example ["concat", "label:name:", ["get", "label"]].

import { isolated, shortened } from "/format.js";
import { color } from "/theme.js";

const PREFIX = "label:";
const RATIO = 2; // pixels of the picture per pixel of the page
const STYLES = {
  name: { font: "600 12px system-ui, 'DejaVu Sans', sans-serif", ink: "--ink", halo: 4 },
  quiet: { font: "11px system-ui, 'DejaVu Sans', sans-serif", ink: "--quiet", halo: 3 },
};

// Returns the expression for the image of a label; `text` is an expression too.
export const labelImage = (style, text) => ["concat", `${PREFIX}${style}:`, text];

// Draws labels when the map requests them.
export class Labels {
  #map;
  #drawn = new Set();

  constructor(map) {
    this.#map = map;
    map.on("styleimagemissing", ({ id }) => {
      if (!id.startsWith(PREFIX) || map.hasImage(id)) return;
      map.addImage(id, this.#picture(id), { pixelRatio: RATIO });
      this.#drawn.add(id);
    });
  }

  // Redraws the labels in the colours of the current theme.
  redraw() {
    for (const id of this.#drawn) if (this.#map.hasImage(id)) this.#map.updateImage(id, this.#picture(id));
  }

  #picture(id) {
    const [, style, ...rest] = id.split(":");
    const { font, ink, halo } = STYLES[style] ?? STYLES.name;
    const text = isolated(shortened(rest.join(":"), 40));
    const canvas = document.createElement("canvas");
    const context = canvas.getContext("2d", { willReadFrequently: true });
    context.font = font;
    const width = Math.ceil(context.measureText(text).width) + 2 * halo;
    Object.assign(canvas, { width: width * RATIO, height: 20 * RATIO });
    context.scale(RATIO, RATIO);
    Object.assign(context, { font, textAlign: "center", textBaseline: "middle", lineJoin: "round", lineWidth: halo });
    context.strokeStyle = color("--paper");
    context.strokeText(text, width / 2, 10.5);
    context.fillStyle = color(ink);
    context.fillText(text, width / 2, 10.5);
    return context.getImageData(0, 0, canvas.width, canvas.height);
  }
}
