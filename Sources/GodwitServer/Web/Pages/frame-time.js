// How long this machine draws a map.

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
