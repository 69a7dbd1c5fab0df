// Places names beside points on a map, so that no name overlaps another name, another point's dot or a control.

const SIDE = 12; // pixels from the middle of a dot to its name
const DOT = 10; // pixels from the middle of a dot to its edge
const GAP = 2; // pixels between two names
const ROWS = 12; // the maximum number of rows that a name moves up or down

const overlap = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
const isInside = (box, { width, height }) => box.left >= 0 && box.top >= 0 && box.right <= width && box.bottom <= height;
const dotAt = ({ x, y }) => ({ left: x - DOT, top: y - DOT, right: x + DOT, bottom: y + DOT });
/** @type {(name: any, offset: [number, number]) => { left: number, top: number, right: number, bottom: number }} */
const boxAt = ({ x, y, width, height }, [dx, dy]) => ({ left: x + dx, top: y + dy - height / 2, right: x + dx + width, bottom: y + dy + height / 2 });

// The candidate offsets of a name: right and left of its dot, then at increasing distances below and above.
/** @returns {Generator<[number, number]>} */
function* offsets({ width, height }) {
  for (let row = 0; row <= ROWS; row++) {
    for (const dy of row ? [row * (height + GAP), -row * (height + GAP)] : [0]) {
      yield [SIDE, dy];
      yield [-SIDE - width, dy];
    }
  }
}

/**
 * Returns the offsets of names from their dots to the middle of their left edges, in pixels. A name without a free place is right of its
 * dot.
 * @param {{ x: number, y: number, width: number, height: number }[]} names the middles of their dots, and their sizes
 * @param {{ places?: { x: number, y: number }[], covers?: { left: number, top: number, right: number, bottom: number }[], size: { width: number, height: number } }} map
 *   dots without names, what covers the map, and its size
 * @returns {[number, number][]}
 */
export function arranged(names, { places = [], covers = [], size }) {
  const dots = [...names, ...places].map(dotAt);
  const taken = [...covers];
  const found = names.map(() => /** @type {[number, number]} */ ([SIDE, 0]));
  // From top to bottom, so that names of the same place are in the order of the list.
  const order = names.map((_, index) => index).sort((a, b) => names[a].y - names[b].y || a - b);
  for (const index of order) {
    const name = names[index];
    for (const offset of offsets(name)) {
      const box = boxAt(name, offset);
      if (!isInside(box, size) || taken.some((other) => overlap(box, other)) || dots.some((dot) => overlap(box, dot))) continue;
      found[index] = offset;
      break;
    }
    taken.push(boxAt(name, found[index]));
  }
  return found;
}
