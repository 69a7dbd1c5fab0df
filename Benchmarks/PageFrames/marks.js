// Runs before a page's own scripts: `measured` gets the milliseconds from the beginning of the navigation to each state of the page.

window.measured = {};
new PerformanceObserver((list) => {
  for (const { name, startTime } of list.getEntries()) measured[name] = startTime;
}).observe({ type: "paint", buffered: true });

const isThere = {
  points: ({ points }) => Number(points) > 0,
  movable: ({ map }) => map === "ready" || map === "drawn",
  map: ({ map }) => map === "drawn",
  history: ({ drawn }) => Boolean(drawn),
};
new MutationObserver(() => {
  const { dataset } = document.body ?? {};
  if (!dataset) return;
  for (const [name, test] of Object.entries(isThere)) if (!measured[name] && test(dataset)) measured[name] = performance.now();
}).observe(document, { subtree: true, childList: true, attributes: true });
