// Places names beside points on a map, so that no name overlaps another name, another point's dot or a control.

const SIDE = 12; // pixels from the middle of a dot to its name
const DOT = 10; // pixels from the middle of a dot to its edge
const GAP = 2; // pixels between two names
const REACH = 90; // pixels that a name moves up or down at most, so that it is still near its dot

const overlap = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
const isInside = (box, { width, height }) => box.left >= 0 && box.top >= 0 && box.right <= width && box.bottom <= height;
const dotAt = ({ x, y }) => ({ left: x - DOT, top: y - DOT, right: x + DOT, bottom: y + DOT });
/** @type {(name: any, offset: [number, number]) => { left: number, top: number, right: number, bottom: number }} */
const boxAt = ({ x, y, width, height }, [dx, dy]) => ({ left: x + dx, top: y + dy - height / 2, right: x + dx + width, bottom: y + dy + height / 2 });

// The candidate offsets of a name: right and left of its dot, then at increasing distances below and above.
/** @returns {Generator<[number, number]>} */
function* offsets({ width, height }) {
  for (let row = 0; row * (height + GAP) <= REACH; row++) {
    for (const dy of row ? [row * (height + GAP), -row * (height + GAP)] : [0]) {
      yield [SIDE, dy];
      yield [-SIDE - width, dy];
    }
  }
}

/**
 * Returns the offsets of names from their dots to the middle of their left edges, in pixels. A name without a free place is right of its
 * dot, even if the map cuts it off there; null if it would cover another name, a dot or a control. A name has no offset either if its dot
 * is outside the map, so that the focus of the keyboard is never on a name that is not visible.
 * @param {{ x: number, y: number, width: number, height: number }[]} names the middles of their dots, and their sizes
 * @param {{ places?: { x: number, y: number }[], covers?: { left: number, top: number, right: number, bottom: number }[], size: { width: number, height: number } }} map
 *   dots without names, what covers the map, and its size
 * @returns {([number, number] | null)[]}
 */
export function arranged(names, { places = [], covers = [], size }) {
  const dots = [...names, ...places].map(dotAt);
  const taken = [...covers];
  const found = names.map(() => /** @type {[number, number] | null} */ (null));
  // From top to bottom, so that names of the same place are in the order of the list.
  const order = names.map((_, index) => index).sort((a, b) => names[a].y - names[b].y || a - b);
  for (const index of order) {
    const name = names[index];
    const isFree = (offset) => ![...taken, ...dots].some((other) => overlap(boxAt(name, offset), other));
    if (name.x < 0 || name.y < 0 || name.x > size.width || name.y > size.height) continue;
    const near = [...offsets(name)];
    found[index] = near.find((offset) => isInside(boxAt(name, offset), size) && isFree(offset)) ?? (isFree(near[0]) ? near[0] : null);
    if (found[index]) taken.push(boxAt(name, found[index]));
  }
  return found;
}
