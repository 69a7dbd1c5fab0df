// How long this machine draws a map.

// Milliseconds a frame above which a map is slow to move. Without a graphics card a canvas of lines reached 28 frames a second, and a map
// should reach half of them.
const SLOW = 66;

// The median milliseconds between frames while the map draws itself again and again, in which nothing else happens.
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
