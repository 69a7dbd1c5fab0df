// Icons of modes of transport: lines in a view box of 24 by 24.

const circle = (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;
const dot = (x, y) => `M${x} ${y}h.01`;

const car = `M3.5 16.5v-4l2-5.1A2 2 0 0 1 7.4 6h9.2a2 2 0 0 1 1.9 1.4l2 5.1v4zM3.8 11.8h16.4M5.5 16.5v2.3M18.5 16.5v2.3${dot(7, 14.2)}${dot(17, 14.2)}`;

const paths = {
  more: `${circle(5.5, 12, 1.3)}${circle(12, 12, 1.3)}${circle(18.5, 12, 1.3)}`,
  walk: `${circle(13, 4, 1.7)}M12.4 8.4 11 13.6l3 2.7 1 5M11 13.6l-1 3.7L7.3 21.3M12.4 8.4 9.2 9.9 8 12.9M12.4 8.4l2 2.9 2.8 1`,
  run: `${circle(15.2, 4, 1.7)}M13.7 8.2 10.8 12.9l3.7 2.5-.7 5.4M10.8 12.9 9.3 16.4H5.2M13.7 8.2 9.9 7.6 7.6 10.5M13.7 8.2l1.9 3h3.2`,
  bicycle: `${circle(5.8, 16, 3.8)}${circle(18.2, 16, 3.8)}M5.8 16 9.4 9h5.7l3.1 7M9.4 9l3 7H5.8M12.4 16l2.7-7M7.8 9h2.9M13.8 6h2l-.7 3`,
  car,
  taxi: `M3.5 17.5v-4l2-4.6A2 2 0 0 1 7.4 7.5h9.2a2 2 0 0 1 1.9 1.4l2 4.6v4zM3.8 12.8h16.4M5.5 17.5v2.3M18.5 17.5v2.3M9.5 7.5v-3h5v3${dot(7, 15.2)}${dot(17, 15.2)}`,
  bus: `M5 17.5V6.5A2.5 2.5 0 0 1 7.5 4h9A2.5 2.5 0 0 1 19 6.5v11zM5 12h14M7.5 17.5V20M16.5 17.5V20M3 8v3M21 8v3${dot(8.2, 14.8)}${dot(15.8, 14.8)}`,
  tram: `M7 18V9.5a2 2 0 0 1 2-2h6a2 2 0 0 1 2 2V18zM7 13h10M8.5 3.5h7M12 3.5v4M9 18l-2 3.2M15 18l2 3.2${dot(10, 15.5)}${dot(14, 15.5)}`,
  train: `M6 15.8V7a3 3 0 0 1 3-3h6a3 3 0 0 1 3 3v8.8a1.7 1.7 0 0 1-1.7 1.7H7.7A1.7 1.7 0 0 1 6 15.8zM6 11.5h12M12 4v7.5M9 17.5l-2.3 3.7M15 17.5l2.3 3.7${dot(9, 14.5)}${dot(15, 14.5)}`,
  metro: `${circle(12, 12, 8.8)}M7.8 16V8.5l4.2 5 4.2-5V16`,
  gondola: `M3 5.8 21 3M12 4.4V9M6.5 9h11A1.5 1.5 0 0 1 19 10.5V16a4 4 0 0 1-4 4H9a4 4 0 0 1-4-4v-5.5A1.5 1.5 0 0 1 6.5 9zM5 14.5h14M12 9v5.5`,
  monorail: `M3.5 13.5V8a3 3 0 0 1 3-3h8c3.7 0 6 4 6 8.5zM3.5 9.7h16.2M8.8 5v4.7M14 5v4.7M2.5 17h19M12 17v4M7 13.5V17M17 13.5V17`,
  sleigh: `M4 6.5c0 4 1.2 6.5 4.5 6.5H17l3-5M16.5 13v4M8.5 13v4M3 17h15.5A2.5 2.5 0 0 0 21 14.5`,
  plane: `M12 3c1 0 1.6 1.2 1.6 2.8v3.8L21 14v2l-7.4-2.2v4l2.2 1.7V21L12 20l-3.8 1v-1.5l2.2-1.7v-4L3 16v-2l7.4-4.4V5.8C10.4 4.2 11 3 12 3z`,
  boat: `M3.5 15.5h17L18 20H6zM12 3v12.5M12 4.5l6.2 8.5H12M9.8 7.5 6 13h3.8`,
  scooter: `${circle(6, 17.8, 2.2)}${circle(18.5, 17.8, 2.2)}M8.2 17.8h5.3c0-3.2 1.8-4.8 4.3-4.8M12.8 4.5h2.7l2.6 11.1`,
};

export function icon(mode) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  // An unknown mode is drawn as a ring.
  path.setAttribute("d", paths[mode] ?? circle(12, 12, 6));
  svg.append(path);
  return svg;
}
