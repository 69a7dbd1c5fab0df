// Measures how long this machine takes to draw a map.

// Milliseconds per frame above which moving a map is slow. Without a graphics card, a canvas of lines reached 28 frames per second; a map
// should reach half of that.
const SLOW = 66;

// The median of the milliseconds between frames while the map redraws repeatedly without other work.
export function frameTime(map, count = 12) {
  return new Promise((resolve) => {
    const times = [];
    let last = null;
    const frame = (now) => {
      if (last !== null) times.push(now - last);
      last = now;
      if (times.length === count) return resolve(times.sort((a, b) => a - b)[count >> 1]);
      map.triggerRepaint();
      requestAnimationFrame(frame);
    };
    // A hidden page has no frames.
    if (document.hidden) resolve(0);
    else requestAnimationFrame(frame);
  });
}

export const isSlow = async (map) => (await frameTime(map)) > SLOW;
